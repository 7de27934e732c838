import { describe, expect, it } from "vitest";
import { isHopeless } from "../../src/stats/conditional-power.ts";

const NOISE = [0.5, -0.5, 0.4, -0.4, 0.6, -0.6];
const OUTLOOK = { left: 14, effect: 0.05, level: 0.05 };

describe("isHopeless()", () => {
  it("gives up on an effect that drowns in the noise", () => {
    expect(isHopeless(NOISE, OUTLOOK, 0.1)).toBe(true);
  });

  it("goes on where the effect would show, be it as large as hoped for or as seen so far", () => {
    expect(isHopeless(NOISE, { ...OUTLOOK, effect: 0.6 }, 0.1)).toBe(false);
    expect(
      isHopeless(
        NOISE.map((value) => value + 0.4),
        OUTLOOK,
        0.1,
      ),
    ).toBe(false);
    expect(
      isHopeless(
        NOISE.map((value) => value - 0.4),
        OUTLOOK,
        0.1,
      ),
    ).toBe(false);
  });

  it("gives up later when a smaller chance is worth while", () => {
    const near = { ...OUTLOOK, effect: 0.14 };
    expect(isHopeless(NOISE, near, 0.5)).toBe(true);
    expect(isHopeless(NOISE, near, 0.001)).toBe(false);
  });

  it("gives up when so few pairs come together that equal signs in all are not enough", () => {
    expect(isHopeless([0.1, 0.2], { left: 3, effect: 1, level: 0.05 }, 0.1)).toBe(true);
    expect(isHopeless([], { left: 6, effect: 1, level: 0.05 }, 0.1)).toBe(false);
  });

  it("gives nothing up without any spread: what follows cannot be known", () => {
    expect(isHopeless([0.01, 0.01, 0.01], { left: 5, effect: 0.05, level: 0.05 }, 0.1)).toBe(false);
  });
});
