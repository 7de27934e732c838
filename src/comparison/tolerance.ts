/** Which metrics got worse by more than they may. */

import { formatEffect, formatEffectRange, formatMeasured, METRICS, type Metric, metricOf } from "../figures/metrics.ts";
import type { ComparisonDocument, Regression, Tolerance, Undecidable } from "../result/comparison-document.ts";
import type { Comparison, Contrast, MetricComparison } from "../result/comparison-schema.ts";
import type { Design } from "../result/design-schema.ts";
import { pairsForSigns } from "../stats/power.ts";
import type { Opponents } from "./arms.ts";
import { shareOfAlpha, weightsOf } from "./multiplicity.ts";
import { chosen, pairsText } from "./wording.ts";

/** A tolerance, and whether its metric was named: then it fails where it cannot be judged. */
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
  /** Metrics with a tolerance that could not be compared: those that were named, and those without known figures. */
  readonly unjudged: ComparisonDocument["unjudged"];
  /** Metrics with a tolerance whose pairs are too few for a verdict. */
  readonly undecidable: readonly Undecidable[];
}

/**
 * A metric regressed when its verdict is "worse", for which all metrics, contrasts and looks are paid, and its estimate lies beyond
 * the tolerance. With so few pairs that no verdict could be reached, however clear they are, every pair must lie beyond it; that
 * such a regression cannot be told from noise is to be said.
 *
 * @param design of an experiment that could stop early.
 */
export function judge(comparison: Comparison, allowances: readonly Allowance[], design?: Design): Judgement {
  const regressions: Regression[] = [];
  const unjudged: ComparisonDocument["unjudged"][number][] = [];
  const undecidable: Undecidable[] = [];
  const miss = ({ arm, baseline }: Opponents, { metric, isNamed }: Allowance): void => {
    unjudged.push({ arm, baseline, metric, ...(isNamed ? { named: true as const } : {}) });
  };
  for (const contrast of comparison.contrasts) {
    const few: { metric: string; needed: number }[] = [];
    for (const allowance of allowances) {
      const facts = contrast.metrics.find(({ metric }) => metric === allowance.metric);
      if (facts === undefined || facts.verdict === "incomparable") {
        if (facts !== undefined || allowance.isNamed) miss(contrast, allowance);
        continue;
      }
      const needed = pairsForSigns(levelOf(comparison, contrast, facts.metric, design));
      const isFew = contrast.pairs.length < needed;
      if (isFew) few.push({ metric: facts.metric, needed });
      if (isFew ? isBeyondInAll(facts, allowance.tolerance) : isWorse(facts, allowance.tolerance)) {
        regressions.push(regression(contrast, facts, allowance.tolerance));
      }
    }
    if (few.length > 0) undecidable.push(fewOf(contrast, few));
  }
  for (const opponents of withoutContrast(comparison)) {
    for (const allowance of allowances.filter(({ isNamed }) => isNamed)) miss(opponents, allowance);
  }
  return { regressions, unjudged, undecidable };
}

/** Whether a metric that was asked for by its name is missing: what is not known is not to pass. */
export function failsClosed({ unjudged }: Pick<Judgement, "unjudged">): boolean {
  return unjudged.some(({ named }) => named === true);
}

function fewOf({ arm, baseline, pairs }: Contrast, few: readonly { metric: string; needed: number }[]): Undecidable {
  return {
    arm,
    baseline,
    metrics: few.map(({ metric }) => metric),
    pairs: pairs.length,
    needed: Math.max(...few.map(({ needed }) => needed)),
  };
}

/** Arms that should have been compared, of which no pair is left. */
function withoutContrast({ baseline, arms, contrasts }: Comparison): Opponents[] {
  const compared = new Set([baseline, ...contrasts.flatMap((contrast) => [contrast.arm, contrast.baseline])]);
  const missing = arms.filter(({ arm }) => !compared.has(arm)).map(({ arm }) => ({ arm, baseline }));
  return contrasts.length === 0 && missing.length === 0 ? [{ arm: baseline, baseline }] : missing;
}

/** What the p-value of a metric must come to before it is corrected. */
function levelOf(
  { alpha, contrasts }: Comparison,
  { metrics, looks, pairs }: Contrast,
  metric: string,
  design: Design | undefined,
): number {
  const look = metric === "goodput" ? looks?.at(-1) : undefined;
  if (look !== undefined) return look.level;
  const weights = weightsOf(metrics.map((facts) => metricOf(facts.metric)));
  const share = design === undefined ? 1 : shareOfAlpha(design, design.stopped?.pairs ?? pairs.length, alpha);
  const goodput = metrics.find((facts) => facts.metric === "goodput");
  const isGoodputDecided = goodput?.verdict === "better" || goodput?.verdict === "worse";
  const weight = metric === "goodput" ? weights.lead : isGoodputDecided ? 1 : weights.others;
  return (weight * share * alpha) / contrasts.length;
}

function isWorse(facts: MetricComparison, tolerance: number): boolean {
  if (facts.verdict !== "worse") return false;
  const { estimate, balance } = facts;
  if (balance === undefined) return estimate !== null && isBeyond(facts, estimate, tolerance);
  return isBeyond(facts, balance >= 1 ? Number.POSITIVE_INFINITY : (1 + balance) / (1 - balance), tolerance);
}

function isBeyondInAll(facts: MetricComparison, tolerance: number): boolean {
  return facts.effects.every((effect) => effect !== null && isBeyond(facts, effect, tolerance));
}

function isBeyond({ effect, better }: MetricComparison, value: number, tolerance: number): boolean {
  const neutral = effect === "ratio" ? 1 : 0;
  return better === "higher" ? value < neutral - tolerance : value > neutral + tolerance;
}

function regression(contrast: Contrast, facts: MetricComparison, tolerance: number): Regression {
  const { arm, baseline, pairs } = contrast;
  const metric = metricOf(facts.metric);
  const { estimate } = facts;
  const known = facts.effects.filter((effect) => effect !== null);
  const points = known.length === 0 ? { low: null, high: null } : { low: Math.min(...known), high: Math.max(...known) };
  const { low, high } = facts.interval ?? points;
  const allowed = `${chosen(tolerance)} ${metric.effect === "ratio" ? "%" : "pp"}`;
  return {
    arm,
    baseline,
    metric: metric.key,
    tolerance,
    estimate,
    low,
    high,
    pairs: pairs.length,
    message: `${metric.name} of ${arm} against ${baseline}: ${sizeText(facts, metric, pairs.length, { low, high })}, worse than the ${allowed} that it may be`,
  };
}

function sizeText(
  facts: MetricComparison,
  metric: Metric,
  pairs: number,
  { low, high }: Pick<Regression, "low" | "high">,
): string {
  if (facts.estimate === null) {
    const figures = `${formatMeasured(metric, facts.arm)} against ${formatMeasured(metric, facts.baseline)}`;
    return `${figures} (medians of ${pairsText(pairs)}, 0 in some)`;
  }
  const range = `${facts.interval === undefined ? "all pairs" : "95 % interval"} ${formatEffectRange(metric, low, high)}`;
  return `${formatEffect(metric, facts.estimate)} (${range}, ${pairsText(pairs)})`;
}
