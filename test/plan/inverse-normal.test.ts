import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inverseNormal } from "../../src/plan/inverse-normal.ts";

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

describe("inverseNormal()", () => {
  // By mpmath with 40 digits: -sqrt(2) erfinv(1 - 2 p).
  it.each([
    [1e-300, -37.0470962993612],
    [1e-20, -9.26234008979841],
    [1e-10, -6.361340902404056],
    [0.001, -3.0902323061678136],
    [0.01, -2.326347874040841],
    [0.2, -0.8416212335729142],
    [0.5, 0],
    [0.99, 2.326347874040841],
  ])("of %d is %d, to fifteen digits", (p, z) => {
    expect(Math.abs(inverseNormal(p) - z)).toBeLessThanOrEqual(1e-15 * Math.abs(z));
  });

  it("is odd about 1/2 and grows, across the borders of its three approximations too", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 0.4999, noNaN: true }), (p) => {
        expect(inverseNormal(1 - p)).toBeCloseTo(-inverseNormal(p), 6);
        expect(inverseNormal(p * 1.0001)).toBeGreaterThan(inverseNormal(p));
      }),
    );
    for (const border of [0.075, 0.925, Math.exp(-25)]) {
      expect(inverseNormal(border * (1 + 1e-12)) - inverseNormal(border * (1 - 1e-12))).toBeLessThan(1e-10);
    }
  });

  it("gives the same bits on every runtime", () => {
    let hash = 0;
    const probabilities = Array.from({ length: 9999 }, (_, i) => (i + 1) / 10_000);
    for (let p = 0.5; p > 1e-300; p *= 0.99) probabilities.push(p);
    for (const p of probabilities) {
      double[0] = inverseNormal(p);
      hash = (Math.imul(hash, 31) + Number((bits[0] as bigint) & 0xffffffffn)) | 0;
    }
    expect(hash).toBe(-382608769);
  });

  it.each([0, 1, -0.1, 1.1, Number.NaN])("of %d is refused", (p) => {
    expect(() => inverseNormal(p)).toThrow(
      new RangeError(`Cannot invert the normal distribution as 'p' must be above 0 and below 1: current value is ${p}`),
    );
  });
});
