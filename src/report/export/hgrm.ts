/**
 * A percentile distribution as text, `.hgrm`, as HdrHistogram writes it and its plotters read it (AbstractHistogram's
 * `outputPercentileDistribution`): values in milliseconds, three digits after the point.
 */

import type { DecodedLatencies } from "./export-input.ts";
import { percentileSteps } from "./percentile-steps.ts";

const HEAD = "       Value     Percentile TotalCount 1/(1-Percentile)";
const MICROS_PER_MS = 1000;

export function renderHgrm(latencies: DecodedLatencies): string {
  const rows = percentileSteps(latencies).map(({ share, micros, total }) => {
    const columns = [fixed(micros / MICROS_PER_MS, 12, 3), fixed(share, 2, 12), String(total).padStart(10)];
    return [...columns, ...(share < 1 ? [fixed(1 / (1 - share), 14, 2)] : [])].join(" ");
  });
  const { mean, deviation, total } = moments(latencies);
  const max = latencies.bins.at(-1)?.highMicros ?? 0;
  const ms = (micros: number): string => fixed(micros / MICROS_PER_MS, 12, 3);
  const whole = (count: number): string => String(count).padStart(12);
  return [
    HEAD,
    "",
    ...rows,
    `#[Mean    = ${ms(mean)}, StdDeviation   = ${ms(deviation)}]`,
    `#[Max     = ${ms(max)}, Total count    = ${whole(total)}]`,
    `#[Buckets = ${whole(latencies.buckets)}, SubBuckets     = ${whole(latencies.subBuckets)}]`,
    "",
  ].join("\n");
}

/** Each value is taken to be in the middle of its bin. */
function moments({ bins }: DecodedLatencies): { mean: number; deviation: number; total: number } {
  const middles = bins.map(({ lowMicros, highMicros, count }) => ({
    middle: lowMicros + Math.floor((highMicros - lowMicros + 1) / 2),
    count,
  }));
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return { mean: 0, deviation: 0, total };
  const mean = middles.reduce((sum, { middle, count }) => sum + middle * count, 0) / total;
  const squares = middles.reduce((sum, { middle, count }) => sum + (middle - mean) * (middle - mean) * count, 0);
  return { mean, deviation: Math.sqrt(squares / total), total };
}

const FORMATS = new Map<number, Intl.NumberFormat>();

/** Rounded as the original does, which is not how `toFixed` does it. */
function fixed(value: number, width: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  const format = FORMATS.get(digits) ?? new Intl.NumberFormat("en-US", options);
  FORMATS.set(digits, format);
  return format.format(value).padStart(width);
}
