import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHistogram, LatencyHistogram } from "../../src/engine/histogram.ts";

const seconds = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 4000, noNaN: true }),
  fc.double({ min: 0, max: 0.01, noNaN: true }),
);

describe("LatencyHistogram", () => {
  it("is empty before the first value", () => {
    expect(new LatencyHistogram().summary()).toMatchObject({ count: 0, p99Ms: 0, maxMs: 0, hdr: "" });
  });

  it("keeps count, minimum and maximum exactly, and quantiles in order between them", () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 200 }), (values) => {
        const histogram = new LatencyHistogram();
        for (const value of values) histogram.record(value);
        const { count, minMs, p50Ms, p90Ms, p99Ms, p999Ms, maxMs } = histogram.summary();
        expect(count).toBe(values.length);
        expect(minMs).toBeCloseTo(Math.min(...values) * 1000, 2);
        expect(maxMs).toBeCloseTo(Math.max(...values) * 1000, 2);
        const ordered = [p50Ms, p90Ms, p99Ms, p999Ms, maxMs];
        expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
      }),
    );
  });

  it("gives quantiles within a thousandth of the sorted values, zeros among them", () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 300 }), fc.constantFrom(0.5, 0.9, 0.99), (values, q) => {
        const histogram = new LatencyHistogram();
        for (const value of values) histogram.record(value);
        const exact = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(q * values.length) - 1)] as number;
        const bounded = Math.min(exact, 3600);
        expect(Math.abs(histogram.quantileSeconds(q) - bounded)).toBeLessThanOrEqual(bounded * 0.001 + 1.5e-6);
      }),
    );
  });

  it("encodes all its values, so that files can be merged", () => {
    const histogram = new LatencyHistogram();
    for (const value of [0, 0, 0.001, 0.25, 7200]) histogram.record(value);
    const decoded = decodeHistogram(histogram.summary().hdr);
    expect(decoded.totalCount).toBe(5);
    expect(decoded.getValueAtPercentile(40)).toBe(0);
    expect(decoded.getValueAtPercentile(60)).toBe(1000);
  });

  it("counts a value below zero as zero and marks lower bounds", () => {
    const histogram = new LatencyHistogram();
    histogram.record(-0.001);
    histogram.record(1, true);
    expect(histogram.summary()).toMatchObject({ count: 2, minMs: 0, maxMs: 1000, censored: 1 });
  });

  it("add() makes of any number of parts what one histogram would hold, but for the rounding of the mean", () => {
    const value = fc.record({ seconds, censored: fc.boolean(), part: fc.integer({ min: 0, max: 7 }) });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), (values, count) => {
        const whole = new LatencyHistogram();
        const parts = Array.from({ length: count }, () => new LatencyHistogram());
        for (const { seconds: duration, censored, part } of values) {
          whole.record(duration, censored);
          parts[part % count]?.record(duration, censored);
        }
        const merged = new LatencyHistogram();
        for (const part of parts) merged.add(structuredClone(part.data()));
        const { hdr, meanMs, ...summary } = whole.summary();
        const { hdr: mergedHdr, meanMs: mergedMeanMs, ...mergedSummary } = merged.summary();
        expect(mergedSummary).toEqual(summary);
        expect(Math.abs(mergedMeanMs - meanMs)).toBeLessThanOrEqual(0.001 + meanMs * 1e-9);
        expect(bins(mergedHdr)).toEqual(bins(hdr));
        expect(merged.quantileSeconds(0.37)).toBe(whole.quantileSeconds(0.37));
      }),
    );
  });

  it("holds more values in a bin than 32 bits count", () => {
    const sum = new LatencyHistogram();
    sum.record(0.001);
    for (let i = 0; i < 33; i += 1) sum.add(sum.data());
    expect(sum.count).toBe(2 ** 33);
    expect(decodeHistogram(sum.summary().hdr).totalCount).toBe(2 ** 33);
  });
});

/** The counts of a histogram by bin. */
function bins(hdr: string): [bin: number, count: number][] {
  if (hdr === "") return [];
  const decoded = decodeHistogram(hdr) as unknown as {
    countsArrayLength: number;
    getCountAtIndex(bin: number): number;
  };
  const counts = Array.from({ length: decoded.countsArrayLength }, (_, bin) => decoded.getCountAtIndex(bin));
  return [...counts.entries()].filter(([, count]) => count > 0);
}
