/** A latency distribution of an arm as a curve, all its trials together. */

import { latencyFigure, medianFigure, type Quantile } from "../../figures/figure.ts";
import type { LatencySummary } from "../../result/schema.ts";
import type { DecodeLatencies } from "../export/export-input.ts";
import { percentilePoints } from "./percentile-points.ts";

const MICROS_PER_MS = 1000;

export interface CurvePoint {
  /** 0..1 of the values lie at or below `valueMs`. */
  readonly share: number;
  readonly valueMs: number;
  /** On the axis of the plot: 1 / (1 - share), the number of values for the largest. */
  readonly odds: number;
  readonly lowerBound: boolean;
}

export interface Curve {
  readonly count: number;
  readonly points: readonly CurvePoint[];
}

const STORED: readonly (readonly [Quantile, number])[] = [
  ["p50Ms", 0.5],
  ["p90Ms", 0.9],
  ["p99Ms", 0.99],
  ["p999Ms", 0.999],
  ["maxMs", 1],
];

/**
 * @param latencies of the trials of an arm; empty and absent ones take no part.
 * @param decode where it is not given, or cannot read them, the curve goes through the medians of the trials' percentiles.
 * @returns undefined without values.
 */
export function curveOf(
  latencies: readonly (LatencySummary | undefined)[],
  decode: DecodeLatencies | undefined,
): Curve | undefined {
  const known = latencies.filter((latency) => latency !== undefined).filter(({ count }) => count > 0);
  if (known.length === 0) return undefined;
  const count = known.reduce((total, latency) => total + latency.count, 0);
  const exactCount = count - known.reduce((total, { censored }) => total + censored, 0);
  const points = readPoints(known, decode).map(({ share, valueMs }) => ({
    share,
    valueMs,
    odds: share === 1 ? count : Math.min(count, 1 / (1 - share)),
    lowerBound: Math.ceil(share * count - 1e-6) > exactCount,
  }));
  if (points.length > 0) return { count, points };
  return { count, points: storedPoints(known, count) };
}

/** Histograms know values to three digits; the largest one is known exactly. */
function readPoints(
  known: readonly LatencySummary[],
  decode: DecodeLatencies | undefined,
): { share: number; valueMs: number }[] {
  if (decode === undefined) return [];
  const maxMs = Math.max(...known.map((latency) => latency.maxMs));
  try {
    return percentilePoints(decode(known.map(({ hdr }) => hdr)).bins).map(({ share, micros }) => ({
      share,
      valueMs: share === 1 ? maxMs : Math.min(maxMs, micros / MICROS_PER_MS),
    }));
  } catch {
    // A file may come from elsewhere: without its histograms the stored percentiles are left.
    return [];
  }
}

function storedPoints(known: readonly LatencySummary[], count: number): CurvePoint[] {
  return STORED.flatMap(([quantile, share]) => {
    const figure = medianFigure(known.map((latency) => latencyFigure(latency, quantile)));
    const odds = share === 1 ? count : 1 / (1 - share);
    if (figure === undefined || odds > count) return [];
    return [{ share, valueMs: figure.value, odds, lowerBound: figure.lowerBound }];
  });
}

/** The point of that share. */
export function pointAt({ points }: Curve, share: number): CurvePoint | undefined {
  return points.find((point) => Math.abs(point.share - share) < 1e-9);
}
