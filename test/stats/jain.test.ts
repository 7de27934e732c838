import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jain } from "../../src/stats/jain.ts";

const shares = fc.array(fc.double({ min: 0, max: 1e300, noNaN: true }), { minLength: 1, maxLength: 50 });

describe("jain()", () => {
  it.each([
    [[7, 7, 7], 1],
    [[1, 0, 0, 0], 0.25],
    [[1, 2, 3], 36 / 42],
    [[5], 1],
  ])("of %j is %d", (values, expected) => {
    expect(jain(values)).toBeCloseTo(expected, 12);
  });

  it("jain() is 1 by definition where nobody has anything", () => {
    expect(jain([0, 0, 0])).toBe(1);
    expect(jain([])).toBe(1);
  });

  it("jain() lies in [1/n, 1] whatever the magnitudes", () => {
    fc.assert(
      fc.property(shares, (values) => {
        const index = jain(values);
        expect(index).toBeGreaterThanOrEqual(1 / values.length);
        expect(index).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("jain() does not change when all shares are scaled", () => {
    const counts = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(counts, fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (values, factor) => {
        expect(jain(values.map((value) => value * factor))).toBeCloseTo(jain(values), 9);
      }),
    );
  });

  it("jain() takes the typed arrays of a recorder", () => {
    expect(jain(Uint32Array.of(2, 2))).toBe(1);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("jain() refuses a share of %d", (value) => {
    expect(() => jain([1, value])).toThrow(RangeError);
  });
});
