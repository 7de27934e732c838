import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { median } from "../../src/stats/median.ts";

const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 });

describe("median()", () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
    [[1e308, 1.5e308], 1.25e308],
  ])("of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("median() leaves at least half of the values on either side", () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const middle = median(values);
        expect(values.filter((value) => value <= middle).length).toBeGreaterThanOrEqual(values.length / 2);
        expect(values.filter((value) => value >= middle).length).toBeGreaterThanOrEqual(values.length / 2);
      }),
    );
  });

  it("median() does not reorder what it is given", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it("median() refuses an empty list and NaN", () => {
    expect(() => median([])).toThrow("Cannot take the median as 'values' must not be empty");
    expect(() => median([1, Number.NaN])).toThrow(RangeError);
  });
});
