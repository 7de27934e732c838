/** The statistics of one arm against another, metric by metric. The unit is the pair of trials, never the request. */

import { medianFigure } from "../figures/figure.ts";
import type { Metric } from "../figures/metrics.ts";
import { stream } from "../plan/streams.ts";
import type { MetricComparison } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { detectableEffect, suggestedPairs } from "../stats/power.ts";
import { signFlipTest } from "../stats/sign-flip.ts";
import { INTERVAL_VALUES_MIN, studentisedInterval } from "../stats/studentised-bootstrap.ts";
import type { Opponents, Pair } from "./arms.ts";
import { effectsOf, estimateOf, knownEffects, type Scale, scaleOf, sizeOf, smallestOn } from "./effects.ts";

const CONFIDENCE = 0.95;
/** The share of experiments in which a detectable effect is found. */
const POWER = 0.8;

/** What random numbers of a comparison are drawn for; the same for every contrast and metric, so that none shifts another's. */
const FLIPS = 0;
const RESAMPLES = 1;

export interface InferenceOptions {
  readonly alpha: number;
  readonly smallestEffect: number;
  /** How many contrasts share alpha. */
  readonly contrasts: number;
  /** Of the random numbers. */
  readonly seed: number;
}

/** One arm against another before the correction for the other contrasts. */
export interface RawContrast extends Opponents {
  readonly pairs: readonly Pair[];
  readonly metrics: readonly RawMetric[];
  readonly suggestedPairs: number | null;
}

/** A metric whose p-value is corrected for the other metrics of its contrast alone. */
export interface RawMetric {
  readonly metric: Metric;
  readonly facts: Omit<MetricComparison, "adjustedPValue" | "verdict">;
  readonly adjusted: number | null;
  /** Whether the interval lies within the smallest effect that matters. */
  readonly isEquivalent: boolean;
}

/** @param metrics those to compare by. But for the first one, one that no trial has a figure of is left out, and a ratio of zeros. */
export function contrastOf(
  opponents: Opponents,
  pairs: readonly Pair[],
  metrics: readonly Metric[],
  options: InferenceOptions,
): RawContrast {
  const measured = metrics
    .filter((metric, index) => index === 0 || saysSomething(metric, pairs))
    .map((metric) => {
      const effects = effectsOf(metric, pairs);
      const known = knownEffects(effects);
      return { metric, effects, known, scale: known && scaleOf(metric, known) };
    });
  const tested = measured.flatMap(({ metric, scale }) => (scale === undefined ? [] : [{ metric, scale }]));
  const { pValues, adjusted } = signFlipTest(
    tested.map(({ scale }) => scale.values),
    stream(options.seed, "comparison", FLIPS),
  );
  const power = { alpha: options.alpha, power: POWER, contrasts: options.contrasts };
  const lead = measured[0];
  return {
    ...opponents,
    pairs,
    metrics: measured.map(({ metric, effects, known, scale }): RawMetric => {
      const facts = {
        metric: metric.key,
        effect: metric.effect,
        better: metric.better,
        baseline: middle(
          metric,
          pairs.map(({ base }) => base),
        ),
        arm: middle(
          metric,
          pairs.map(({ other }) => other),
        ),
        effects,
      };
      if (known === undefined || scale === undefined) {
        const nothing = { estimate: null, pValue: null, detectable: null };
        return { metric, facts: { ...facts, ...nothing }, adjusted: null, isEquivalent: false };
      }
      const index = tested.findIndex((candidate) => candidate.metric === metric);
      const interval = intervalOf(scale, options.seed);
      const distance = scale.isLinear ? detectableEffect(scale.values, power) : undefined;
      return {
        metric,
        facts: {
          ...facts,
          estimate: estimateOf(known, scale),
          ...(interval === undefined ? {} : { interval: onEffects(interval, scale) }),
          pValue: pValues[index] ?? null,
          detectable: distance === undefined ? null : sizeOf(metric, distance),
        },
        adjusted: adjusted[index] ?? null,
        isEquivalent: interval !== undefined && isWithin(interval, smallestOn(metric, options.smallestEffect)),
      };
    }),
    suggestedPairs:
      (lead?.scale?.isLinear === true
        ? suggestedPairs(lead.scale.values, smallestOn(lead.metric, options.smallestEffect), power)
        : undefined) ?? null,
  };
}

function saysSomething({ figure, effect }: Metric, pairs: readonly Pair[]): boolean {
  const figures = pairs.flatMap(({ base, other }) => [figure(base), figure(other)]);
  return figures.some((one) => one !== undefined && (effect === "difference" || one.value !== 0));
}

/** The median of the figures; null where some trial has none. A lower bound stands for itself. */
function middle({ figure }: Metric, trials: readonly TrialResult[]): number | null {
  const figures = trials.map(figure);
  return figures.includes(undefined) ? null : (medianFigure(figures)?.value ?? null);
}

interface Range {
  readonly low: number;
  readonly high: number;
}

function intervalOf({ values, isLinear }: Scale, seed: number): Range | undefined {
  if (!isLinear || values.length < INTERVAL_VALUES_MIN) return undefined;
  return studentisedInterval(values, CONFIDENCE, stream(seed, "comparison", RESAMPLES));
}

function onEffects({ low, high }: Range, scale: Scale): NonNullable<MetricComparison["interval"]> {
  const bound = (value: number): number | null => {
    const effect = scale.effectOf(value);
    return Number.isFinite(effect) ? effect : null;
  };
  return { low: bound(low), high: bound(high), confidence: CONFIDENCE, method: "studentised-bootstrap" };
}

function isWithin({ low, high }: Range, distance: number): boolean {
  return low >= -distance && high <= distance;
}
