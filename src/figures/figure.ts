/**
 * One figure of a report, which may be a lower bound. A time-out or an unfinished call says that something took at least
 * so long; it takes part in a distribution with that bound, and every figure that rests on it must show that.
 */

import type { LatencySummary } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { formatNumber, NONE } from "./number-format.ts";

/** A value, and whether the true one may be larger. */
export interface Figure {
  readonly value: number;
  readonly lowerBound: boolean;
}

/** The figures of a {@link LatencySummary} that reports show. */
export type Quantile = "p50Ms" | "p90Ms" | "p99Ms" | "p999Ms" | "maxMs";

const SHARE: Readonly<Record<Quantile, number>> = { p50Ms: 0.5, p90Ms: 0.9, p99Ms: 0.99, p999Ms: 0.999, maxMs: 1 };

/** A value that was measured in full. */
export function exact(value: number): Figure {
  return { value, lowerBound: false };
}

/**
 * A quantile of a distribution; undefined where it is empty. It is a lower bound when its rank falls among the censored
 * values, which are taken to be the largest: within one outcome or class they all waited for the same bound.
 */
export function latencyFigure(latency: LatencySummary | undefined, quantile: Quantile): Figure | undefined {
  if (latency === undefined || latency.count === 0) return undefined;
  const rank = Math.ceil(SHARE[quantile] * latency.count);
  return { value: latency[quantile], lowerBound: rank > latency.count - latency.censored };
}

/** The median of the figures that exist. Bounds above it do not move it: the true values lie above it as well. */
export function medianFigure(figures: readonly (Figure | undefined)[]): Figure | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  if (known.length === 0) return undefined;
  const value = median(known.map((figure) => figure.value));
  return { value, lowerBound: known.some((figure) => figure.lowerBound && figure.value <= value) };
}

/** The figure in the given format, a lower bound with `≥` before it; {@link NONE} where there is none. */
export function formatFigure(figure: Figure | undefined, format: (value: number) => string = formatNumber): string {
  if (figure === undefined) return NONE;
  return figure.lowerBound ? `≥${format(figure.value)}` : format(figure.value);
}
