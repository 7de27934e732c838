/** A result grows by trials. */

import type { Comparison } from "../result/comparison-schema.ts";
import type { Design } from "../result/design-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { scheduleTrials } from "./schedule.ts";

/** Compares the arms of an experiment with its baseline. */
export type Compare = (
  trials: readonly TrialResult[],
  baseline: string,
  facts: { readonly design: Design; readonly smallestEffect?: number },
) => Comparison;

/**
 * The result with these trials in it, in the order of the experiment: several at a time do not end in it. It is partial unless
 * all trials of the design are there, or all that it took to decide.
 *
 * @param stopped why no more trials are to come although pairs are left; undefined: for no reason.
 * @param compare compares the arms, once each has a trial; undefined: what follows from the trials is left to the reader.
 */
export function withTrials(
  result: Result,
  trials: readonly TrialResult[],
  stopped: Design["stopped"],
  compare?: Compare,
): Result {
  const { arms, pairs, seed } = result.design;
  const places = new Map(scheduleTrials(arms, pairs, seed).map((trial, index) => [placeOf(trial), index]));
  const ordered = trials.toSorted((a, b) => (places.get(placeOf(a)) ?? 0) - (places.get(placeOf(b)) ?? 0));
  const design: Design = { ...result.design, ...(stopped === undefined ? {} : { stopped }) };
  const isWhole = stopped !== undefined || trials.length >= arms.length * pairs;
  const grown = {
    ...result,
    partial: !isWhole || trials.some((trial) => trial.interrupted),
    design,
    plan: { ...result.plan, arrivals: ordered[0]?.plan.arrivals ?? 0 },
    trials: ordered,
  };
  return compare === undefined ? grown : withComparison(grown, compare);
}

/**
 * The result with its arms compared, unless one of them has no trial, or there is but one. Those of a recovery are not: their
 * goodput is that of a storm and of the calm around it, and so says how long it was looked at; whether and when they came back is
 * what tells them apart, and follows from each arm alone.
 */
export function withComparison(result: Result, compare: Compare): Result {
  const { design, trials } = result;
  const { arms, smallestEffect } = design;
  if (result.command === "recovery") return result;
  const [baseline = ""] = arms;
  const measured = new Set(trials.map(({ arm }) => arm));
  if (arms.length < 2 || !arms.every((arm) => measured.has(arm))) return result;
  const facts = { design, ...(smallestEffect === undefined ? {} : { smallestEffect }) };
  return { ...result, comparison: compare(trials, baseline, facts) };
}

/** Tells the trials of an experiment apart. */
export function placeOf({ arm, pair }: { readonly arm: string; readonly pair: number }): string {
  return `${pair} ${arm}`;
}
