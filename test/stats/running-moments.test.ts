import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunningMoments } from "../../src/stats/running-moments.ts";

function momentsOf(values: readonly number[]): RunningMoments {
  const moments = new RunningMoments();
  for (const value of values) moments.add(value);
  return moments;
}

describe("RunningMoments", () => {
  it("gives mean, standard deviation and their ratio", () => {
    const moments = momentsOf([2, 4, 4, 4, 5, 5, 7, 9]);
    expect([moments.count, moments.mean, moments.standardDeviation, moments.variation]).toEqual([8, 5, 2, 0.4]);
  });

  it("is 0 throughout when there is no value", () => {
    const moments = new RunningMoments();
    expect([moments.count, moments.mean, moments.standardDeviation, moments.variation]).toEqual([0, 0, 0, 0]);
  });

  it("loses nothing to a mean that is large beside the spread", () => {
    const moments = momentsOf([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]);
    expect(moments.standardDeviation).toBeCloseTo(Math.sqrt(22.5), 9);
  });

  it("agrees with two passes over the values", () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(values, (list) => {
        const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
        const variance = list.reduce((sum, value) => sum + (value - mean) ** 2, 0) / list.length;
        const moments = momentsOf(list);
        expect(moments.mean).toBeCloseTo(mean, 6);
        expect(moments.standardDeviation ** 2 / (1 + variance)).toBeCloseTo(variance / (1 + variance), 6);
      }),
    );
  });
});
