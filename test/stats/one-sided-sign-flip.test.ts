import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/plan/streams.ts";
import { belowZeroPValue } from "../../src/stats/one-sided-sign-flip.ts";

const chance = () => stream(1, "comparison");

describe("belowZeroPValue()", () => {
  it.each([
    [[-1, -2, -3, -4, -5, -6], 1 / 64],
    [[1, 2, 3, 4, 5, 6], 1],
    // Sums of 3, 1, -1 and -3, one and three and three and one of them.
    [[-1, -1, 1], 4 / 8],
    [[0, 0, 0], 1],
    [[], 1],
  ])("of %j is %d", (effects, expected) => {
    expect(belowZeroPValue(effects, chance())).toBeCloseTo(expected, 12);
  });

  it("is the share of the sign patterns with a sum as low", () => {
    const sizes = fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, (effects) => {
        const sum = (bits: number): number =>
          effects.reduce((total, value, pair) => total + ((bits >> pair) & 1 ? -value : value), 0);
        const patterns = 2 ** effects.length;
        const rounding = 1e-9 * effects.reduce((total, value) => total + Math.abs(value), 0);
        const low = Array.from({ length: patterns }, (_, bits) => sum(bits)).filter((s) => s <= sum(0) + rounding);
        expect(belowZeroPValue(effects, chance())).toBeCloseTo(low.length / patterns, 12);
      }),
    );
  });
});
