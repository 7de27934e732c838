import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/plan/streams.ts";
import type { Random } from "../../src/policy/policy.ts";
import { type Interval, studentisedInterval } from "../../src/stats/studentised-bootstrap.ts";

const chance = () => stream(1, "comparison");
/** For samples so small that every resample is enumerated. */
const noChance: Random = {
  random() {
    throw new Error("Nothing is to be drawn");
  },
};

const Z = 1.959963984540054;
const values = (least: number, most: number) =>
  fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: least, maxLength: most });

function interval(sample: readonly number[], confidence = 0.95): Interval {
  return studentisedInterval(sample, confidence, chance()) as Interval;
}

/** By definition, from all n^n ordered resamples. */
function byDefinition(sample: readonly number[], tail: number): Interval {
  const n = sample.length;
  const mean = (of: readonly number[]): number => of.reduce((sum, value) => sum + value, 0) / n;
  const deviation = (of: readonly number[]): number =>
    Math.sqrt(of.reduce((sum, value) => sum + (value - mean(of)) ** 2, 0) / (n - 1));
  const centre = mean(sample);
  const t = Array.from({ length: n ** n }, (_, code) => {
    const drawn = sample.map((_, place) => sample[Math.floor(code / n ** place) % n] as number);
    const off = mean(drawn) - centre;
    return drawn.every((value) => value === drawn[0]) ? off / 0 : off / (deviation(drawn) / Math.sqrt(n));
  }).sort((a, b) => (a === b ? 0 : a - b));
  const rank = Math.ceil(tail * t.length) - 1;
  const unit = deviation(sample) / Math.sqrt(n);
  return {
    low: centre - Math.max(t[t.length - 1 - rank] as number, Z) * unit,
    high: centre - Math.min(t[rank] as number, -Z) * unit,
  };
}

describe("studentisedInterval()", () => {
  it("of five values is that of all 3,125 resamples, and draws nothing", () => {
    const sample = [0.03, 0.11, 0.05, 0.42, 0.08];
    const { low, high } = byDefinition(sample, 0.025);
    const found = studentisedInterval(sample, 0.95, noChance) as Interval;
    expect(found.low).toBeCloseTo(low, 10);
    expect(found.high).toBeCloseTo(high, 10);
  });

  it("reaches farther on the side of the long tail", () => {
    const { low, high } = interval([0, 0.1, 0.2, 0.35, 0.6, 1.2, 3]);
    const mean = 5.45 / 7;
    expect(high - mean).toBeGreaterThan(mean - low);
  });

  it("holds the mean, and is never narrower than where the spread is known", () => {
    fc.assert(
      fc.property(values(5, 12), (sample) => {
        const { low, high } = interval(sample);
        const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
        const square = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1);
        const half = Z * Math.sqrt(square / sample.length) * (1 - 1e-9);
        expect(low).toBeLessThanOrEqual(mean - half + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean + half - 1e-12);
      }),
      { numRuns: 50 },
    );
  });

  it("is wider for more confidence", () => {
    fc.assert(
      fc.property(values(5, 8), (sample) => {
        const [less, more] = [interval(sample, 0.8), interval(sample, 0.99)];
        expect(more.low).toBeLessThanOrEqual(less.low);
        expect(more.high).toBeGreaterThanOrEqual(less.high);
      }),
      { numRuns: 50 },
    );
  });

  it("moves with the values, and is mirrored with them", () => {
    const sample = [0.4, 0.1, 0.9, 0.3, 0.2, 0.7];
    const { low, high } = interval(sample);
    const moved = interval(sample.map((value) => 100 + 3 * value));
    expect(moved.low).toBeCloseTo(100 + 3 * low, 8);
    expect(moved.high).toBeCloseTo(100 + 3 * high, 8);
    const mirrored = interval(sample.map((value) => -value));
    expect(mirrored.low).toBeCloseTo(-high, 10);
    expect(mirrored.high).toBeCloseTo(-low, 10);
  });

  it("is one point where all values are equal", () => {
    expect(interval([0.3, 0.3, 0.3, 0.3, 0.3])).toEqual({ low: 0.3, high: 0.3 });
  });

  it("has no bound on a side of which the values tell nothing: four equal ones of five", () => {
    const { low, high } = interval([0, 0, 0, 0, 1]);
    expect(high).toBe(Number.POSITIVE_INFINITY);
    expect(low).toBeGreaterThan(Number.NEGATIVE_INFINITY);
  });

  it("is absent below five values", () => {
    expect(studentisedInterval([1, 2, 3, 4], 0.95, noChance)).toBeUndefined();
  });

  it("draws resamples from nine values on: the same for the same random numbers, and about the same for others", () => {
    const sample = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
    const { low, high } = interval(sample);
    expect(interval(sample)).toEqual({ low, high });
    const other = studentisedInterval(sample, 0.95, stream(2, "comparison")) as Interval;
    expect(other).not.toEqual({ low, high });
    expect(Math.abs(other.low - low) + Math.abs(other.high - high)).toBeLessThan(0.2 * (high - low));
  });

  it.each([0, 1, Number.NaN])("refuses a confidence of %d", (confidence) => {
    expect(() => studentisedInterval([1, 2, 3, 4, 5], confidence, chance())).toThrow(RangeError);
  });

  it("refuses a value that is not finite", () => {
    expect(() => interval([1, 2, 3, 4, Number.NaN])).toThrow(RangeError);
  });
});
