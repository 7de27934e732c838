/** Which metrics got worse by more than they may. */

import { formatEffect, formatEffectRange, METRICS, type Metric, metricOf } from "../figures/metrics.ts";
import type { Regression, Tolerance } from "../result/comparison-document.ts";
import type { Comparison, Contrast, MetricComparison } from "../result/comparison-schema.ts";
import { chosen, pairsText } from "./wording.ts";

/** A tolerance, and whether its metric was named: then it is missed where it is not known. */
export interface Allowance extends Tolerance {
  readonly isNamed: boolean;
}

/**
 * Reads `5%`, for all metrics, or `goodput=3%,waste=2%`. In percent of a ratio, in percentage points of a difference.
 *
 * @param metrics those that are compared: what `5%` stands for.
 * @throws RangeError
 */
export function parseTolerance(text: string, metrics: readonly Metric[] = METRICS): Allowance[] {
  const byMetric = new Map<string, Allowance>();
  const parts = text.split(",").map((part) => part.trim());
  for (const part of parts.filter((one) => !one.includes("="))) {
    for (const { key } of metrics)
      byMetric.set(key, { metric: key, tolerance: percentage(part, text), isNamed: false });
  }
  for (const part of parts.filter((one) => one.includes("="))) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/u.exec(part) ?? [];
    const { key } = metricOf(name.trim());
    byMetric.set(key, { metric: key, tolerance: percentage(value.trim(), text), isNamed: true });
  }
  return [...byMetric.values()];
}

function percentage(part: string, text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)%$/u.exec(part) ?? [];
  if (digits !== undefined && Number(digits) < 100) return Number(digits) / 100;
  throw new RangeError(
    `must be in percent, below 100%, such as 5% or goodput=3%,responseOkP99Ms=10%: current value is "${text}"`,
  );
}

/** What the tolerances say of a comparison. */
export interface Judgement {
  readonly regressions: readonly Regression[];
  /** Metrics with a tolerance whose effect is not known. */
  readonly unjudged: readonly { readonly arm: string; readonly baseline: string; readonly metric: string }[];
}

/**
 * A metric regressed when it is worse than its tolerance with confidence: its interval lies wholly on the worse side of "no
 * difference", and its estimate beyond the tolerance. Where there is no interval, as below five pairs, every pair must lie
 * beyond it.
 */
export function judge({ contrasts }: Comparison, allowances: readonly Allowance[]): Judgement {
  const regressions: Regression[] = [];
  const unjudged: Judgement["unjudged"][number][] = [];
  for (const contrast of contrasts) {
    for (const { metric: key, tolerance, isNamed } of allowances) {
      const facts = contrast.metrics.find(({ metric }) => metric === key);
      const { arm, baseline } = contrast;
      if (facts === undefined || facts.estimate === null) {
        if (facts !== undefined || isNamed) unjudged.push({ arm, baseline, metric: key });
      } else if (isWorse(facts, facts.estimate, tolerance)) {
        regressions.push(regression(contrast, facts, facts.estimate, tolerance));
      }
    }
  }
  return { regressions, unjudged };
}

function isWorse(facts: MetricComparison, estimate: number, tolerance: number): boolean {
  const { interval } = facts;
  if (interval === undefined)
    return facts.effects.every((effect) => effect !== null && isBeyond(facts, effect, tolerance));
  const neutral = facts.effect === "ratio" ? 1 : 0;
  const isOnTheWorseSide =
    facts.better === "higher"
      ? interval.high !== null && interval.high < neutral
      : interval.low !== null && interval.low > neutral;
  return isOnTheWorseSide && isBeyond(facts, estimate, tolerance);
}

function isBeyond({ effect, better }: MetricComparison, value: number, tolerance: number): boolean {
  const neutral = effect === "ratio" ? 1 : 0;
  return better === "higher" ? value < neutral - tolerance : value > neutral + tolerance;
}

function regression(contrast: Contrast, facts: MetricComparison, estimate: number, tolerance: number): Regression {
  const { arm, baseline, pairs } = contrast;
  const metric = metricOf(facts.metric);
  const known = facts.effects.filter((effect) => effect !== null);
  const { low, high } = facts.interval ?? { low: Math.min(...known), high: Math.max(...known) };
  const range = `${facts.interval === undefined ? "all pairs" : "95 % interval"} ${formatEffectRange(metric, low, high)}`;
  const allowed = `${chosen(tolerance)} ${metric.effect === "ratio" ? "%" : "pp"}`;
  const effect = `${formatEffect(metric, estimate)} (${range}, ${pairsText(pairs.length)})`;
  return {
    arm,
    baseline,
    metric: metric.key,
    tolerance,
    estimate,
    low,
    high,
    pairs: pairs.length,
    message: `${metric.name} of ${arm} against ${baseline}: ${effect}, worse than the ${allowed} that it may be`,
  };
}
