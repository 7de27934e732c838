/** What a comparison says, in words that can be quoted: no more than the pairs bear out. */

import { formatNumber, formatPercent, formatRate } from "../figures/number-format.ts";
import { policyName } from "../figures/policy-text.ts";
import { verdictCounts } from "../figures/verdicts.ts";
import type { ArmSummary, Contrast } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";

/** Closer to 1 than this, a ratio is called "about the same". */
const SAME_WITHIN = 0.02;
/** Up to here a change reads best in percent, beyond it as a multiple. */
const PERCENT_UP_TO = 1.5;
/** Fewer pairs than this give points, no interval: the extremes of 5 hold the median with 94 % confidence, 1 - 2 / 2^5. */
const PAIRS_FOR_INTERVAL = 5;

type Pairs = readonly { readonly arm: string; readonly pair: number; readonly goodputRatio: number | null }[];
interface Spread {
  readonly median: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** One sentence per arm other than the baseline, then what limits it. */
export function conclude(
  trials: readonly TrialResult[],
  baseline: string,
  arms: readonly ArmSummary[],
  contrasts: readonly Contrast[],
): string {
  const pairs = contrasts.flatMap(({ arm, pairs: indices, metrics }) =>
    indices.map((pair, index) => ({ arm, pair, goodputRatio: metrics[0]?.effects[index] ?? null })),
  );
  const base = arms.find((summary) => summary.arm === baseline);
  const sentences: string[] = [];
  for (const summary of arms) {
    const own = pairs.filter((pair) => pair.arm === summary.arm);
    if (base === undefined || own.length === 0) continue;
    sentences.push(
      compareOne(armLabel(summary, arms), base, summary, own, spread(own.map(({ goodputRatio }) => goodputRatio))),
    );
  }
  if (sentences.length === 0) return "No pair of trials was completed, so there is nothing to compare.";
  return [...distrust(trials), ...sentences, ...caveats(trials, pairs)].join(" ");
}

function compareOne(label: string, base: ArmSummary, arm: ArmSummary, pairs: Pairs, ratio: Spread): string {
  const count = pairs.length === 1 ? "1 pair" : `${pairs.length} pairs`;
  const { median: middle, min, max } = ratio;
  if (middle === null || min === null || max === null) {
    if (base.goodput === 0 && arm.goodput === 0)
      return `Neither ${base.arm} nor ${label} got anything served (${count}).`;
    const from = base.goodput === 0 ? "nothing" : formatRate(base.goodput);
    const zeros = pairs.filter((pair) => pair.goodputRatio === null).length;
    const basis = pairs.length === 1 ? count : `medians of ${count}`;
    const some = base.goodput === 0 ? basis : `${basis}, nothing at all with ${base.arm} in ${zeros} of them`;
    return `Goodput went from ${from} with ${base.arm} to ${formatRate(arm.goodput)} with ${label} (${some}).`;
  }
  const range = `${formatNumber(min)} to ${formatNumber(max)}`;
  const basis = pairs.length === 1 ? "1 pair" : `median of ${count}, ${range}`;
  const rates = `${formatRate(arm.goodput)} against ${formatRate(base.goodput)}`;
  if (max === 0)
    return `Worse: with ${label} nothing was served, against ${formatRate(base.goodput)} with ${base.arm} (${count}).`;
  if (Math.abs(middle - 1) < SAME_WITHIN) {
    return `Goodput with ${label} was about the same as that of ${base.arm}: ${rates} (ratio ${formatNumber(middle)}, ${basis}).`;
  }
  if (min < 1 && max > 1) {
    return `No clear difference: goodput with ${label} was ${formatNumber(middle)} times that of ${base.arm}, but the pairs disagree (${basis}).`;
  }
  const how = howMuch(middle, base.arm);
  return `${middle < 1 ? "Worse: goodput" : "Goodput"} with ${label} was ${how}: ${rates} (${basis}).`;
}

/** A null among the ratios leaves no order between them: then nothing is said about their middle. */
function spread(ratios: readonly (number | null)[]): Spread {
  const known = ratios.filter((value) => value !== null);
  if (known.length === 0 || known.length < ratios.length) return { median: null, min: null, max: null };
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

function howMuch(ratio: number, base: string): string {
  if (ratio > PERCENT_UP_TO || ratio < 0.1) return `${formatNumber(ratio)} times that of ${base}`;
  return ratio > 1
    ? `${formatPercent(ratio - 1)} higher than that of ${base}`
    : `${formatPercent(1 - ratio)} lower than that of ${base}`;
}

/** What must be read before the numbers. */
function distrust(trials: readonly TrialResult[]): string[] {
  const { invalid } = verdictCounts(trials);
  if (invalid === 0) return [];
  return [
    `Do not trust this comparison: ${invalid} of ${trials.length} trials ${invalid === 1 ? "is" : "are"} invalid.`,
  ];
}

function caveats(trials: readonly TrialResult[], pairs: Pairs): string[] {
  const sentences: string[] = [];
  const perArm = Math.min(
    ...[...new Set(pairs.map((pair) => pair.arm))].map((arm) => pairs.filter((pair) => pair.arm === arm).length),
  );
  if (perArm === 1) sentences.push("One pair is a single observation: repeat it before relying on it.");
  else if (perArm < PAIRS_FOR_INTERVAL) {
    sentences.push(`With fewer than ${PAIRS_FOR_INTERVAL} pairs these are points, not a confidence interval.`);
  }
  if (!sameArrivals(trials))
    sentences.push("The arms of a pair did not get the same arrivals, so a difference may be theirs.");
  const { suspect } = verdictCounts(trials);
  if (suspect > 0)
    sentences.push(`${suspect} of ${trials.length} trials ${suspect === 1 ? "is" : "are"} suspect: read with care.`);
  return sentences;
}

function sameArrivals(trials: readonly TrialResult[]): boolean {
  const hashes = new Map<number, string>();
  for (const { pair, plan } of trials) {
    if ((hashes.get(pair) ?? plan.hash) !== plan.hash) return false;
    hashes.set(pair, plan.hash);
  }
  return true;
}

/** The policy's name where that tells the arms apart, else with the arm's own. */
function armLabel(summary: ArmSummary, arms: readonly ArmSummary[]): string {
  const name = policyName(summary.policy);
  const unique = arms.filter((other) => policyName(other.policy) === name).length === 1;
  return unique ? name : summary.arm;
}
