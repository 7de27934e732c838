import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LatencyHistogram } from "../../../src/policy/limiter/latency-histogram.ts";

function histogramOf(...values: number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

// Worked out by hand from openhistogram/libcircllhist.
describe("LatencyHistogram", () => {
  it("places the k-th of n values of a bin at left + width x k / (n + 1)", () => {
    expect(histogramOf(5000).quantile(0.5)).toBe(5050);
    expect(histogramOf(5000, 5099, 5001).quantile(0.5)).toBe(5050);
    expect(histogramOf(5000, 5099, 5001).quantile(1)).toBe(5075);
    expect(histogramOf(1000, 2000, 3000, 4000, 5000).quantile(0.5)).toBe(3050);
    expect(histogramOf(1000, 2000, 3000, 4000, 5000).quantile(0.9)).toBe(5050);
    expect(histogramOf(1000, 2000).quantile(0)).toBe(1050);
  });

  it("keeps two digits of every size, and 0 apart", () => {
    const values = [0, 1, 7, 10, 99, 100, 999, 1337, 9999, 123_456, 2 ** 31];
    const lefts = [0, 1, 7, 10, 99, 100, 990, 1300, 9900, 120_000, 2_100_000_000];
    const widths = [0, 0.1, 0.1, 1, 1, 10, 10, 100, 100, 10_000, 1e8];
    expect(values.map((value) => histogramOf(value).quantile(0.5))).toEqual(
      lefts.map((left, index) => left + (widths[index] as number) / 2),
    );
  });

  it("is empty at the start and after clear()", () => {
    const histogram = histogramOf(1, 2, 3);
    histogram.clear();
    expect([histogram.count, histogram.quantile(0.5)]).toEqual([0, 0]);
    histogram.add(70);
    expect([histogram.count, histogram.quantile(0.5)]).toEqual([1, 70.5]);
  });

  it("gives quantiles within a bin's width of the exact ones, in bounded memory", () => {
    const latencies = fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(latencies, fc.integer({ min: 1, max: 99 }), (values, percent) => {
        const exact = values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] as number;
        const estimate = histogramOf(...values).quantile(percent / 100);
        expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * 0.1);
      }),
    );
  });

  it("holds no more bins than there are, whatever it counts", () => {
    const histogram = new LatencyHistogram();
    for (let n = 0; n < 100_000; n++) histogram.add(Math.floor(1.0005 ** n));
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 53]) histogram.add(odd);
    const kept = Object.values(histogram).filter(Array.isArray);
    expect(kept).toHaveLength(2);
    for (const array of kept) expect(array.length).toBeLessThanOrEqual(16 * 90 + 1);
    expect(histogram.count).toBe(100_004);
    expect(Number.isFinite(histogram.quantile(0.99))).toBe(true);
  });
});
