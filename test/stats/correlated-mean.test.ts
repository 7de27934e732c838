import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/plan/streams.ts";
import { type CorrelatedMean, correlatedMean } from "../../src/stats/correlated-mean.ts";
import { sampleMoments } from "../../src/stats/sample-moments.ts";
import { studentCritical } from "../../src/stats/student-t.ts";

const SERIES = 2000;

/** The share of AR(1) series of mean 0 whose interval holds it. */
function coverage(count: number, correlation: number, interval: (values: number[]) => CorrelatedMean): number {
  const chance = stream(7, "comparison");
  // The sum of twelve uniform numbers, which is near enough to normal.
  const normal = (): number => Array.from({ length: 12 }, () => chance.random()).reduce((sum, u) => sum + u, -6);
  let held = 0;
  for (let series = 0; series < SERIES; series += 1) {
    const values = [normal()];
    while (values.length < count) {
      values.push(correlation * (values.at(-1) as number) + Math.sqrt(1 - correlation ** 2) * normal());
    }
    const { low, high } = interval(values);
    if (low <= 0 && high >= 0) held += 1;
  }
  return held / SERIES;
}

function independent(values: readonly number[]): CorrelatedMean {
  const { mean, deviation } = sampleMoments(values);
  const half = (studentCritical(0.05, values.length - 1) * deviation) / Math.sqrt(values.length);
  return { mean, low: mean - half, high: mean + half, effectiveCount: values.length };
}

const of = (values: readonly number[]): CorrelatedMean => correlatedMean(values, 0.95) as CorrelatedMean;

describe("correlatedMean()", () => {
  it.each([
    [12, 0, 0.94],
    [12, 0.3, 0.91],
    [12, 0.5, 0.89],
    [12, 0.7, 0.85],
    [60, 0, 0.94],
    [60, 0.5, 0.92],
    [60, 0.7, 0.91],
  ])(
    "of %i values whose neighbours correlate by %d holds the true mean in at least %d of all series",
    (count, correlation, least) => {
      expect(coverage(count, correlation, of)).toBeGreaterThanOrEqual(least);
    },
  );

  it("is what correlated values need: the interval of independent ones misses the mean in a quarter of all series at 0.6 and more", () => {
    expect(coverage(12, 0.6, independent)).toBeLessThan(0.72);
    expect(coverage(12, 0.6, of)).toBeGreaterThan(0.87);
  });

  it("holds the mean of the values, is never narrower than that of independent ones, and counts at most as many", () => {
    const values = fc.array(fc.double({ min: -1000, max: 1000, noNaN: true }), { minLength: 5, maxLength: 40 });
    fc.assert(
      fc.property(values, (sample) => {
        const { mean, low, high, effectiveCount } = of(sample);
        const plain = independent(sample);
        expect(mean).toBe(sampleMoments(sample).mean);
        expect(high - low).toBeGreaterThanOrEqual((plain.high - plain.low) * (1 - 1e-9));
        expect(effectiveCount).toBeLessThanOrEqual(sample.length);
        expect(effectiveCount).toBeGreaterThan(0);
      }),
    );
  });

  it("goes with the values' unit and zero", () => {
    const sample = [3, 5, 4, 6, 8, 7, 9, 8];
    const moved = of(sample.map((value) => 10 * value + 100));
    expect(moved.low).toBeCloseTo(10 * of(sample).low + 100, 9);
    expect(moved.effectiveCount).toBeCloseTo(of(sample).effectiveCount, 9);
    expect(moved.effectiveCount).toBeLessThan(sample.length / 2);
  });

  it("of equal values has no width, and of fewer than five values there is none", () => {
    expect(of([7, 7, 7, 7, 7])).toEqual({ mean: 7, low: 7, high: 7, effectiveCount: 5 });
    expect(correlatedMean([1, 2, 3, 4], 0.95)).toBeUndefined();
  });
});
