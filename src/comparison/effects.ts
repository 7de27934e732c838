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

/** All effects, or undefined where some pair has none: what is left of them would be a choice. */
export function knownEffects(effects: readonly (number | null)[]): number[] | undefined {
  const known = effects.filter((effect) => effect !== null);
  return known.length === 0 || known.length < effects.length ? undefined : known;
}

/** Effects on a scale on which "no difference" is 0, opposite effects are opposite numbers, and pairs can be averaged. */
export interface Scale {
  readonly values: readonly number[];
  /** The effect that a value on the scale stands for. */
  effectOf(value: number): number;
  /** Whether a mean on this scale, with what lies around it, is one of effects: it is not where a ratio is 0. */
  readonly isLinear: boolean;
}

/**
 * Differences as they are, ratios by their logarithm. A ratio of 0 has none: then each ratio `r` by `(r - 1) / (r + 1)`, which
 * is the difference over the sum of the two figures: in the same order, but no mean of ratios follows from it.
 */
export function scaleOf(metric: Pick<Metric, "effect">, effects: readonly number[]): Scale {
  if (metric.effect === "difference") return { values: effects, effectOf: (value) => value, isLinear: true };
  if (effects.some((effect) => effect === 0)) {
    return {
      values: effects.map((effect) => (effect - 1) / (effect + 1)),
      effectOf: (value) => (1 + value) / (1 - value),
      isLinear: false,
    };
  }
  return { values: effects.map(naturalLog), effectOf: (value) => rounded(Math.exp(value)), isLinear: true };
}

/** Geometric mean of ratios, mean of differences. */
export function estimateOf(effects: readonly number[], scale: Scale): number {
  if (!scale.isLinear) return 0;
  const [first = 0] = effects;
  // Exactly, where all say the same: a mean may differ from its equal parts in the last digit.
  if (effects.every((effect) => effect === first)) return first;
  return scale.effectOf(scale.values.reduce((sum, value) => sum + value, 0) / scale.values.length);
}

/** How far from "no difference" on its scale an effect may lie and still not matter. @param share 0.05: 5 % of a ratio, 5 points of a share. */
export function smallestOn(metric: Pick<Metric, "effect">, share: number): number {
  return metric.effect === "difference" ? share : naturalLog(1 + share);
}

/** The size of an effect that lies so far from "no difference" on its scale, as |ratio - 1| or |difference|; null beyond all numbers. */
export function sizeOf(metric: Pick<Metric, "effect">, distance: number): number | null {
  const size = metric.effect === "difference" ? distance : rounded(Math.exp(distance) - 1);
  return Number.isFinite(size) ? size : null;
}

function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : value;
}
