import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/report/display-width.ts";
import { shorten, shortenStart } from "../../src/report/shorten.ts";

describe("shorten() and shortenStart()", () => {
  it("leave what fits, and else keep the start or the end", () => {
    expect(shorten("k=1.1", 5)).toBe("k=1.1");
    expect(shorten("maxAttempts=3", 6)).toBe("maxAt…");
    expect(shortenStart("maxAttempts=3", 6)).toBe("…pts=3");
  });

  it("count columns, not characters", () => {
    expect(displayWidth(shorten("漢字漢字", 5))).toBeLessThanOrEqual(5);
    expect(displayWidth(shortenStart("漢字漢字", 5))).toBeLessThanOrEqual(5);
  });
});
