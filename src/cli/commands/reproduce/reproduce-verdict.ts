/** Whether an experiment that was run again came out as it did before. */

import { completeTrials } from "../../../comparison/arms.ts";
import { compareArms } from "../../../comparison/compare-arms.ts";
import { ALPHA, SMALLEST_EFFECT } from "../../../comparison/defaults.ts";
import { goodputLevel } from "../../../comparison/multiplicity.ts";
import { metricOf } from "../../../figures/metrics.ts";
import { formatRate } from "../../../figures/number-format.ts";
import type { Contrast } from "../../../result/comparison-schema.ts";
import type { Capacity } from "../../../result/governor-schema.ts";
import type { Result, TrialResult } from "../../../result/schema.ts";
import { pairsForSigns } from "../../../stats/power.ts";
import { withCapacity } from "../../session/capacity-conclusion.ts";
import type { Difference } from "../../session/field-differences.ts";
import { resultDifferences } from "./reproduce-differences.ts";

export type ReproductionVerdict =
  /** The same to the bit. */
  | "identical"
  /** What differs is within what chance makes of it. */
  | "reproduced"
  /** Chance alone does not make such differences. */
  | "different"
  /** Too little was measured for either. */
  | "undecided";

export interface Reproduction {
  readonly verdict: ReproductionVerdict;
  /** What follows, one sentence. */
  readonly sentence: string;
  /** Of a simulation: the fields that differ. */
  readonly differences: readonly Difference[];
  /** Of real load: each arm now against the same arm then, pair by pair. */
  readonly contrasts: readonly Contrast[];
}

const UNTRUSTED =
  "Undecided: not every arm has complete, valid trials of the same arrivals then and now; figures of invalid ones are shown, and prove nothing.";

/** @param before the recorded result, which may be partial. */
export function judgeReproduction(before: Result, after: Result): Reproduction {
  const isVirtual = after.trials.every(({ world }) => world === "virtual");
  return isVirtual ? ofSimulation(before, after) : ofRealLoad(before, after);
}

function ofSimulation(before: Result, after: Result): Reproduction {
  const differences = resultDifferences(before, after);
  const compared = completeTrials(before.trials).length;
  if (compared === 0) return { ...said("undecided", "The record has no complete trial to compare with."), differences };
  const all =
    compared === after.trials.length
      ? countOf(compared, "trial")
      : `${compared} of ${countOf(after.trials.length, "trial")}`;
  if (differences.length === 0) return { ...said("identical", `Identical: ${all}, the same to the bit.`), differences };
  return {
    ...said(
      "different",
      `Not reproduced: ${countOf(differences.length, "field")} of ${all} differ, and a simulation leaves nothing to chance.`,
    ),
    differences,
  };
}

function said(verdict: ReproductionVerdict, sentence: string): Reproduction {
  return { verdict, sentence, differences: [], contrasts: [] };
}

function ofRealLoad(before: Result, after: Result): Reproduction {
  const arms = after.design.arms.filter((arm) => before.trials.some((trial) => trial.arm === arm));
  const [first] = arms;
  if (first === undefined) return said("undecided", "The record has no trial to compare with.");
  if (before.plan.hash !== after.plan.hash) {
    return said("different", "Not the same experiment: its plan is another one, so that other calls were sent.");
  }
  if (after.command === "capacity") return said(...capacityVerdict(withCapacity(before), withCapacity(after)));
  const trials = [
    ...completeTrials(before.trials).map((trial) => named(trial, thenName(trial.arm))),
    ...completeTrials(after.trials),
  ];
  const compare = (invalid: boolean): readonly Contrast[] =>
    compareArms(trials, thenName(first), {
      opponents: arms.map((arm) => ({ arm, baseline: thenName(arm) })),
      alpha: ALPHA,
      smallestEffect: after.design.smallestEffect ?? SMALLEST_EFFECT,
      forced: { invalid },
    }).contrasts;
  const contrasts = compare(false);
  if (contrasts.length === arms.length) return { ...said(...realVerdict(arms, contrasts)), contrasts };
  return { ...said("undecided", UNTRUSTED), contrasts: compare(true) };
}

/** A search is judged by what it found, and not by what came back while it climbed. */
function capacityVerdict(
  { capacity: then }: Result,
  { capacity: now }: Result,
): readonly [ReproductionVerdict, string] {
  if (then === undefined || now === undefined) return ["undecided", "Undecided: one of the searches found no figure."];
  const figures = `${formatRate(now.goodput)} now (${rangeOf(now)}), ${formatRate(then.goodput)} then (${rangeOf(then)})`;
  const vain = [then, now].find(({ held, saturated }) => !held || saturated);
  if (vain !== undefined) {
    const why = vain.saturated ? "more failed than was bearable" : "the load did not come to rest";
    return ["undecided", `Undecided: in a search ${why}, so that there is no capacity to compare: ${figures}.`];
  }
  if (then.interval === null || now.interval === null) {
    return ["undecided", `Undecided: without an interval nothing tells a difference from chance: ${figures}.`];
  }
  if (isOutside(now.goodput, then.interval) && isOutside(then.goodput, now.interval)) {
    return ["different", `Not reproduced: the capacity is ${figures}, each outside the interval of the other.`];
  }
  return ["reproduced", `Reproduced: the capacity is ${figures}, which chance can make.`];
}

function rangeOf({ interval }: Capacity): string {
  return interval === null ? "no interval" : `${formatRate(interval.low)} to ${formatRate(interval.high)}`;
}

function isOutside(goodput: number, { low, high }: NonNullable<Capacity["interval"]>): boolean {
  return goodput < low || goodput > high;
}

function realVerdict(arms: readonly string[], contrasts: readonly Contrast[]): readonly [ReproductionVerdict, string] {
  const different = contrasts.flatMap(({ arm, metrics }) =>
    metrics
      .filter(({ verdict }) => verdict === "better" || verdict === "worse")
      .map(({ metric }) => `${metricOf(metric).name} of ${arm}`),
  );
  if (different.length > 0) {
    return ["different", `Not reproduced: beyond what chance makes, these differ: ${different.join(", ")}.`];
  }
  const pairs = Math.min(...contrasts.map((contrast) => contrast.pairs.length));
  const needed = pairsForSigns(goodputLevel(ALPHA, arms.length));
  if (pairs < needed) {
    const why = `${countOf(pairs, "trial")} of an arm cannot tell a difference from chance (from ${needed} on they can)`;
    return ["undecided", `Undecided: ${why}; the figures stand side by side.`];
  }
  return ["reproduced", "Reproduced: nothing differs beyond what chance makes."];
}

function named(trial: TrialResult, arm: string): TrialResult {
  return { ...trial, arm };
}

/** What an arm of the record is called beside its repetition, which keeps its name. */
function thenName(arm: string): string {
  return `${arm} (recorded)`;
}

function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
