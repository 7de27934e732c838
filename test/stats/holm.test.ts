import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holm } from "../../src/stats/holm.ts";

describe("holm()", () => {
  // p.adjust(p, "holm") of R gives the same.
  it.each([
    [
      [0.01, 0.04, 0.03, 0.005],
      [0.03, 0.06, 0.06, 0.02],
    ],
    [
      [0.5, 0.6],
      [1, 1],
    ],
    [[0.02], [0.02]],
    [
      [0.02, 0.02, 0.02],
      [0.06, 0.06, 0.06],
    ],
    [[], []],
  ])("of %j is %j", (pValues, expected) => {
    const adjusted = holm(pValues);
    expect(adjusted).toHaveLength(expected.length);
    for (const [index, value] of adjusted.entries()) expect(value).toBeCloseTo(expected[index] as number, 12);
  });

  it("is at least the p-value, at most Bonferroni's, in the same order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 }), (pValues) => {
        const adjusted = holm(pValues);
        pValues.forEach((p, index) => {
          expect(adjusted[index]).toBeGreaterThanOrEqual(p);
          expect(adjusted[index]).toBeLessThanOrEqual(Math.min(1, pValues.length * p));
          pValues.forEach((q, other) => {
            if (p <= q) expect(adjusted[index]).toBeLessThanOrEqual(adjusted[other] as number);
          });
        });
      }),
    );
  });

  it.each([-0.1, 1.1, Number.NaN])("refuses a p-value of %d", (p) => {
    expect(() => holm([0.5, p])).toThrow(RangeError);
  });
});
