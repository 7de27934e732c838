import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wilsonInterval } from "../../src/stats/wilson.ts";

const Z = 1.959963984540054;

describe("wilsonInterval()", () => {
  // By bisection on the equation of the score, not by its solution.
  it.each([
    [0, 10, 0, 0.27753],
    [1, 10, 0.01788, 0.40415],
    [5, 10, 0.23659, 0.76341],
    [10, 10, 0.72247, 1],
    [3, 100, 0.01025, 0.08452],
    [0, 1, 0, 0.79346],
  ])("of %d in %d is %d to %d", (count, trials, low, high) => {
    const interval = wilsonInterval(count, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("knows nothing of no trial", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it("has at its bounds shares that the count is just compatible with, and holds the share itself", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(), (trials, any) => {
        const count = any % (trials + 1);
        const share = count / trials;
        const { low, high } = wilsonInterval(count, trials);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(share);
        expect(high).toBeGreaterThanOrEqual(share);
        for (const bound of [low, high]) {
          if (bound === 0 || bound === 1) continue;
          expect(Math.abs(share - bound) / Math.sqrt((bound * (1 - bound)) / trials)).toBeCloseTo(Z, 6);
        }
      }),
    );
  });

  it("is the mirror image for the trials that had it not, and narrower with ten times as many", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (trials, any) => {
        const count = any % (trials + 1);
        const one = wilsonInterval(count, trials);
        const other = wilsonInterval(trials - count, trials);
        expect(one.low).toBeCloseTo(1 - other.high, 12);
        expect(one.high).toBeCloseTo(1 - other.low, 12);
        const more = wilsonInterval(10 * count, 10 * trials);
        expect(more.high - more.low).toBeLessThan(one.high - one.low);
      }),
    );
  });

  it.each([
    [-1, 10],
    [11, 10],
    [0.5, 10],
    [0, -1],
    [0, 1.5],
    [Number.NaN, 10],
  ])("refuses %d in %d", (count, trials) => {
    expect(() => wilsonInterval(count, trials)).toThrow(RangeError);
  });
});
