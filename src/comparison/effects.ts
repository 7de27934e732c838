/** How a metric of one trial is set against that of another, and what follows for the middle of several pairs. */

import type { Metric } from "../figures/metrics.ts";
import { naturalLog } from "../plan/natural-log.ts";
import type { Pair } from "./arms.ts";

/**
 * Digits that count: the last ones are rounding, in which equal effects would seem to differ, and the exponential functions of
 * engines do.
 */
const DIGITS = 12;

/**
 * Pair by pair the arm's figure over the baseline's, or minus it. null where a pair has none: a figure is missing or a lower
 * bound, so that it could be anything, or the baseline's is zero.
 */
export function effectsOf(metric: Pick<Metric, "effect" | "figure">, pairs: readonly Pair[]): (number | null)[] {
  return pairs.map(({ base, other }) => {
    const [below, above] = [metric.figure(base), metric.figure(other)];
    if (below === undefined || above === undefined || below.lowerBound || above.lowerBound) return null;
    if (metric.effect === "difference") return Number((above.value - below.value).toFixed(DIGITS));
    return below.value === 0 ? null : rounded(above.value / below.value);
  });
}

/** Pairs on a scale on which "no difference" is 0, swapping the arms swaps the sign, and pairs can be averaged. It is what is tested. */
export interface Scale {
  readonly values: readonly number[];
  /** The effect that a value on the scale stands for. */
  effectOf(value: number): number;
  /** The value that an effect has. */
  onScale(effect: number): number;
  /** Whether a mean on this scale, with what lies around it, is one of effects: it is not where a ratio has a zero. */
  readonly isLinear: boolean;
}

const DIFFERENCES: Omit<Scale, "values"> = {
  effectOf: (value) => value,
  onScale: (effect) => effect,
  isLinear: true,
};

const LOGARITHMS: Omit<Scale, "values"> = {
  effectOf: (value) => rounded(Math.exp(value)),
  onScale: naturalLog,
  isLinear: true,
};

const BALANCES: Omit<Scale, "values"> = {
  // A bound may lie beyond what a balance can be.
  effectOf: (value) => (value >= 1 ? Number.POSITIVE_INFINITY : Math.max(0, (1 + value) / (1 - value))),
  onScale: (effect) => (effect - 1) / (effect + 1),
  isLinear: false,
};

/**
 * Differences as they are, ratios by their logarithm. Where a figure of some pair is 0 there is no logarithm: then all pairs are
 * taken by their difference over their sum, (a - b) / (a + b), which is half the logarithm for small ones, 1 and -1 where one of
 * the two is 0, and 0 where both are. They can be tested so, but no mean of ratios follows.
 *
 * @returns undefined without pairs, and where a figure of some pair is missing or a lower bound, so that it could be anything.
 */
export function scaleOf(metric: Pick<Metric, "effect" | "figure">, pairs: readonly Pair[]): Scale | undefined {
  const figures = pairs.flatMap(({ base, other }) => {
    const [below, above] = [metric.figure(base), metric.figure(other)];
    if (below === undefined || above === undefined || below.lowerBound || above.lowerBound) return [];
    return [{ below: below.value, above: above.value }];
  });
  if (figures.length === 0 || figures.length < pairs.length) return undefined;
  if (metric.effect === "difference") {
    return { ...DIFFERENCES, values: figures.map(({ below, above }) => Number((above - below).toFixed(DIGITS))) };
  }
  if (figures.every(({ below, above }) => below > 0 && above > 0)) {
    return { ...LOGARITHMS, values: figures.map(({ below, above }) => naturalLog(rounded(above / below))) };
  }
  return {
    ...BALANCES,
    values: figures.map(({ below, above }) => (below === above ? 0 : rounded((above - below) / (above + below)))),
  };
}

/** The mean on the scale: its sign is the direction of what was tested. */
export function meanOn({ values }: Scale): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Geometric mean of ratios, mean of differences; null where a ratio has a zero, but 0 where all ratios are 0. */
export function estimateOf(effects: readonly (number | null)[], scale: Scale): number | null {
  const [first = null] = effects;
  // Exactly, where all say the same: a mean may differ from its equal parts in the last digit.
  if (effects.every((effect) => effect === first)) return first;
  return scale.isLinear ? scale.effectOf(meanOn(scale)) : null;
}

/** How far from "no difference" on its scale an effect may lie and still not matter. @param share 0.05: 5 % of a ratio, 5 points of a share. */
export function smallestOn(metric: Pick<Metric, "effect">, { onScale }: Pick<Scale, "onScale">, share: number): number {
  return onScale(metric.effect === "difference" ? share : 1 + share);
}

/** The effects that do not matter: for a ratio from 1 / (1 + share) to 1 + share, so that swapping the arms changes nothing. */
export function notMattering(effect: Metric["effect"], share: number): { readonly low: number; readonly high: number } {
  return effect === "ratio" ? { low: 1 / (1 + share), high: 1 + share } : { low: -share, high: share };
}

/** Whether all that an interval of effects holds is less than what matters. No bound, which is null or absent, holds anything. */
export function isEquivalent(
  effect: Metric["effect"],
  interval: { readonly low?: number | null; readonly high?: number | null } | undefined,
  share: number,
): boolean {
  if (typeof interval?.low !== "number" || typeof interval.high !== "number") return false;
  const { low, high } = notMattering(effect, share);
  return interval.low >= low && interval.high <= high;
}

/** The size of an effect that lies so far from "no difference" on its scale, as |ratio - 1| or |difference|; null beyond all numbers. */
export function sizeOf(metric: Pick<Metric, "effect">, distance: number): number | null {
  const size = metric.effect === "difference" ? distance : rounded(Math.exp(distance) - 1);
  return Number.isFinite(size) ? size : null;
}

function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : value;
}
