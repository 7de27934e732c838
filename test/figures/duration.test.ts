import { describe, expect, it } from "vitest";
import { formatDuration } from "../../src/figures/duration.ts";

describe("formatDuration()", () => {
  it.each([
    [0, "0 s"],
    [0.5, "0.5 s"],
    [45, "45 s"],
    [59.4, "59.4 s"],
    [59.6, "1 min"],
    [60, "1 min"],
    [200, "3 min 20 s"],
    [3600, "1 h"],
    [3900.4, "1 h 5 min"],
    [3_600_000, "1,000 h"],
  ])("shows %d seconds as %s", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
