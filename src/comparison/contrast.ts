/** The statistics of one arm against another, metric by metric. The unit is the pair of trials, never the request. */

import { medianFigure } from "../figures/figure.ts";
import type { Metric } from "../figures/metrics.ts";
import { stream } from "../plan/streams.ts";
import type { MetricComparison } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { detectableEffect, type PowerOptions, suggestedPairs } from "../stats/power.ts";
import { signFlipTest } from "../stats/sign-flip.ts";
import { studentisedInterval } from "../stats/studentised-bootstrap.ts";
import type { Opponents, Pair } from "./arms.ts";
import { CHANCE, CONFIDENCE, POWER } from "./defaults.ts";
import { effectsOf, estimateOf, isEquivalent, meanOn, type Scale, scaleOf, sizeOf, smallestOn } from "./effects.ts";
import { type Weights, weightsOf } from "./multiplicity.ts";

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

/** A metric whose p-value is corrected for those alone that it is tested together with. */
export interface RawMetric {
  readonly metric: Metric;
  readonly facts: Omit<MetricComparison, "adjustedPValue" | "verdict">;
  readonly adjusted: number | null;
  /** Of what was tested: above 0 where the arm's figure is the higher one. */
  readonly direction: number;
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
  const weights = weightsOf(metrics);
  const measured = metrics
    .filter((metric, index) => index === 0 || saysSomething(metric, pairs))
    .map((metric) => ({ metric, effects: effectsOf(metric, pairs), scale: scaleOf(metric, pairs) }));
  const tested = testsOf(measured, weights, options.seed);
  const [lead] = measured;
  const powerOf = (metric: Metric): PowerOptions => ({
    alpha: options.alpha * (metric === lead?.metric ? weights.lead : 1),
    power: POWER,
    contrasts: options.contrasts,
  });
  return {
    ...opponents,
    pairs,
    metrics: measured.map(({ metric, effects, scale }): RawMetric => {
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
      const test = tested.get(metric.key);
      if (scale === undefined || test === undefined) {
        const nothing = { estimate: null, pValue: null, detectable: null };
        return { metric, facts: { ...facts, ...nothing }, adjusted: null, direction: 0, isEquivalent: false };
      }
      const interval = intervalOf(scale, options.seed);
      const distance = scale.isLinear ? detectableEffect(scale.values, powerOf(metric)) : undefined;
      return {
        metric,
        facts: {
          ...facts,
          estimate: estimateOf(effects, scale),
          ...(scale.isLinear ? {} : { balance: meanOn(scale) }),
          ...(interval === undefined || !scale.isLinear
            ? {}
            : { interval: { ...interval, confidence: CONFIDENCE, method: "studentised-bootstrap" as const } }),
          pValue: test.pValue,
          detectable: distance === undefined ? null : sizeOf(metric, distance),
        },
        adjusted: test.adjusted,
        direction: meanOn(scale),
        isEquivalent: isEquivalent(metric.effect, interval, options.smallestEffect),
      };
    }),
    suggestedPairs:
      (lead?.scale?.isLinear === true
        ? suggestedPairs(
            lead.scale.values,
            smallestOn(lead.metric, lead.scale, options.smallestEffect),
            powerOf(lead.metric),
          )
        : undefined) ?? null,
  };
}

interface Measured {
  readonly metric: Metric;
  readonly scale: Scale | undefined;
}

interface Tested {
  readonly pValue: number;
  readonly adjusted: number;
}

/** Goodput apart from the others, where they divide alpha; those tested together share their sign flips. */
function testsOf(measured: readonly Measured[], { isDivided }: Weights, seed: number): ReadonlyMap<string, Tested> {
  const isApart = ({ metric }: Measured): boolean => isDivided && metric.key === "goodput";
  const groups = [measured.filter(isApart), measured.filter((one) => !isApart(one))];
  return new Map(
    groups.flatMap((group) => {
      const known = group.flatMap(({ metric, scale }) => (scale === undefined ? [] : [{ key: metric.key, scale }]));
      const { pValues, adjusted } = signFlipTest(
        known.map(({ scale }) => scale.values),
        stream(seed, "comparison", CHANCE.flips),
      );
      return known.map(({ key }, index): [string, Tested] => [
        key,
        { pValue: pValues[index] as number, adjusted: adjusted[index] as number },
      ]);
    }),
  );
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
  readonly low: number | null;
  readonly high: number | null;
}

/** Of effects; null: no bound. */
function intervalOf({ values, effectOf }: Scale, seed: number): Range | undefined {
  const interval = studentisedInterval(values, CONFIDENCE, stream(seed, "comparison", CHANCE.resamples));
  if (interval === undefined) return undefined;
  const bound = (value: number): number | null => {
    const effect = effectOf(value);
    return Number.isFinite(value) && Number.isFinite(effect) ? effect : null;
  };
  return { low: bound(interval.low), high: bound(interval.high) };
}
