import { describe, expect, it } from "vitest";
import { BinnedDistribution, tolerantDistance } from "../../src/stats/binned-distribution.ts";

function binned(values: readonly number[], binsPerUnit = 100, units = 4): BinnedDistribution {
  const distribution = new BinnedDistribution(binsPerUnit, units);
  for (const value of values) distribution.add(value);
  return distribution;
}

function evenly(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, i) => from + ((to - from) * (i + 0.5)) / count);
}

describe("BinnedDistribution", () => {
  it("gives the shares below its edges, and leaves out what lies beyond the last", () => {
    expect([...binned([0, 0.5, 1.5, 99], 1, 2).shares()]).toEqual([0.5, 0.75]);
  });

  it("puts what lies below 0 into the first bin", () => {
    expect(binned([-3, 0], 1, 1).shares()[0]).toBe(1);
  });

  it("finds no distance from the law that its values follow, and the whole one from another", () => {
    const uniform = (x: number): number => Math.min(1, Math.max(0, x));
    expect(binned(evenly(1000, 0, 1)).distanceFrom(uniform)).toBeLessThan(0.002);
    expect(binned(evenly(1000, 0.25, 1.25)).distanceFrom(uniform)).toBeCloseTo(0.25, 2);
    expect(binned(evenly(10, 2, 3)).distanceFrom(uniform)).toBe(1);
  });

  it("has distance 0 and shares 0 when it is empty", () => {
    expect(binned([]).distanceFrom(() => 0.5)).toBe(0);
    expect(Math.max(...binned([]).shares())).toBe(0);
  });
});

describe("tolerantDistance()", () => {
  const even = binned(Array(100).fill(1)).shares();

  it("is 0 for values that differ by less than the tolerance, 1 without one", () => {
    const nearby = binned(evenly(100, 0.9, 0.99)).shares();
    expect(tolerantDistance(nearby, even, 20)).toBe(0);
    expect(tolerantDistance(nearby, even, 0)).toBe(1);
  });

  it("is the share that moved farther, whichever way", () => {
    const moved = binned([...Array(70).fill(1), ...Array(30).fill(0)]).shares();
    expect(tolerantDistance(moved, even, 20)).toBeCloseTo(0.3, 12);
    expect(tolerantDistance(even, moved, 20)).toBeCloseTo(0.3, 12);
    const beyond = binned([...Array(80).fill(1), ...Array(20).fill(50)]).shares();
    expect(tolerantDistance(beyond, even, 20)).toBeCloseTo(0.2, 12);
  });
});
