/** What a comparison says as a whole: what must be read first, a sentence per contrast, and what limits them. */

import { formatCount } from "../figures/number-format.ts";
import { verdictCounts } from "../figures/verdicts.ts";
import type { Comparison } from "../result/comparison-schema.ts";
import type { Design } from "../result/design-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { pairsForSigns } from "../stats/power.ts";
import { INTERVAL_VALUES_MIN } from "../stats/studentised-bootstrap.ts";
import { completePairs, type Forced, type Opponents, opponentsOf, type Pair, walkedTheSame } from "./arms.ts";
import { chosenPercent } from "./wording.ts";

type Facts = Omit<Comparison, "conclusion">;

export interface ConclusionOptions {
  readonly forced?: Forced;
  readonly design?: Design;
  /** Who is compared with whom; default: as {@link opponentsOf} has it. */
  readonly opponents?: readonly Opponents[];
  /** What the p-value of the first metric must come to for a verdict. */
  readonly level: number;
}

/** What must be read before the numbers, the sentences of the contrasts, what limits them. */
export function conclude(
  trials: readonly TrialResult[],
  comparison: Facts,
  { forced = {}, design, opponents = opponentsOf(trials, namesIn(comparison)), level }: ConclusionOptions,
): string {
  const complete = opponents.flatMap((one) => completePairs(trials, one));
  const sentences = comparison.contrasts.map(({ sentence }) => sentence);
  return [
    ...distrust(trials, comparison, forced),
    ...(sentences.length === 0 ? [nothingToCompare(trials, comparison, complete)] : sentences),
    ...(sentences.length === 0
      ? []
      : limits(trials, comparison, complete, { forced, level, ...(design === undefined ? {} : { design }) })),
  ].join(" ");
}

function limits(
  trials: readonly TrialResult[],
  comparison: Facts,
  complete: readonly Pair[],
  { forced = {}, design, level }: ConclusionOptions,
): string[] {
  return [
    ...fewPairs(comparison, level),
    ...otherArrivals(complete, forced),
    ...stopping(comparison, design),
    ...suspicion(trials),
  ];
}

function distrust(
  trials: readonly TrialResult[],
  { contrasts }: Facts,
  { invalid: areTaken = false }: Forced,
): string[] {
  const { invalid } = verdictCounts(trials);
  if (invalid === 0) return [];
  const are = invalid === 1 ? "is" : "are";
  const taken = areTaken
    ? "they take part as you insisted"
    : contrasts.length === 0
      ? undefined
      : "pairs with one take no part";
  const rest = taken === undefined ? "" : `; ${taken}`;
  return [
    `Do not trust this comparison: ${formatCount(invalid)} of ${formatCount(trials.length)} trials ${are} invalid${rest}.`,
  ];
}

function namesIn({ baseline, arms }: Facts): string[] {
  return [baseline, ...arms.map(({ arm }) => arm).filter((arm) => arm !== baseline)];
}

/** @param own the complete pairs of arms that would be compared. */
function nothingToCompare(trials: readonly TrialResult[], comparison: Facts, own: readonly Pair[]): string {
  const [baseline = "", ...others] = namesIn(comparison);
  const complete = [...own, ...others.flatMap((arm) => completePairs(trials, { arm, baseline }))];
  if (complete.length === 0) return "No pair of trials was completed, so there is nothing to compare.";
  if (!complete.some(walkedTheSame)) {
    return "The arms of a pair did not get the same arrivals, so they are not compared: a difference may be that of the arrivals.";
  }
  return "No pair is left in which both trials can be trusted, so nothing follows.";
}

function fewPairs({ contrasts }: Facts, level: number): string[] {
  const fewest = Math.min(...contrasts.map(({ pairs }) => pairs.length));
  if (fewest >= INTERVAL_VALUES_MIN) return [];
  const decides = `it takes at least ${pairsForSigns(level)} pairs to decide`;
  if (fewest === 1) return [`One pair is a single observation: ${decides}.`];
  return [`With fewer than ${INTERVAL_VALUES_MIN} pairs these are points, not a confidence interval; ${decides}.`];
}

function otherArrivals(complete: readonly Pair[], forced: Forced): string[] {
  const left = complete.filter((pair) => !walkedTheSame(pair)).length;
  if (left === 0) return [];
  if (forced.otherArrivals === true) {
    return ["The arms of a pair did not get the same arrivals, so a difference may be theirs."];
  }
  return left === 1
    ? ["In one pair the arms did not get the same arrivals: it takes no part."]
    : [`In ${formatCount(left)} pairs the arms did not get the same arrivals: they take no part.`];
}

/** What an experiment that could stop early says of its error rate and its intervals. */
function stopping({ contrasts }: Facts, design: Design | undefined): string[] {
  if (design?.stopping.rule !== "sequential") return [];
  const looks = Math.max(0, ...contrasts.map((contrast) => contrast.looks?.length ?? 0));
  const { stopped, stopping: rule } = design;
  if (stopped !== undefined) {
    const biased = "Of an early stop the effect tends to look somewhat larger, and its interval narrower, than it is.";
    return [stopped.text, `That was look ${looks}.`, ...(stopped.because === "decided" ? [biased] : [])];
  }
  if (looks === 0) return [];
  const often = looks === 1 ? "once" : `${looks} times`;
  return [
    `It was asked ${often} whether to go on; over all metrics, arms and looks the chance of any false verdict is at most ${chosenPercent(rule.alpha)}.`,
  ];
}

function suspicion(trials: readonly TrialResult[]): string[] {
  const { suspect } = verdictCounts(trials);
  if (suspect === 0) return [];
  return [
    `${formatCount(suspect)} of ${formatCount(trials.length)} trials ${suspect === 1 ? "is" : "are"} suspect: read with care.`,
  ];
}
