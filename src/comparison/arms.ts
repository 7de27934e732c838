/** Which trials of a result are compared with which. */

import type { TrialResult } from "../result/schema.ts";

/** A complete pair of trials that are compared. */
export interface Pair {
  readonly pair: number;
  readonly base: TrialResult;
  readonly other: TrialResult;
}

/** Who is compared with whom. */
export interface Opponents {
  readonly arm: string;
  readonly baseline: string;
}

/** What a pair may lack and be compared all the same, because somebody insists. */
export interface Forced {
  /** Take pairs with an invalid trial. */
  readonly invalid?: boolean;
  /** Take pairs whose trials walked different arrivals. */
  readonly otherArrivals?: boolean;
}

/** Arms by first appearance, the baseline first. @param order names that come before all others, as the design has them. */
export function armNames(trials: readonly TrialResult[], baseline: string, order: readonly string[] = []): string[] {
  const seen = new Set(trials.map((trial) => trial.arm));
  const names = new Set([...order.filter((arm) => seen.has(arm)), ...seen]);
  return [...(names.delete(baseline) ? [baseline] : []), ...names];
}

/** The trials that count: those that were not cut short. */
export function completeTrials(trials: readonly TrialResult[]): TrialResult[] {
  return trials.filter(({ interrupted }) => !interrupted);
}

/** Those of an arm. */
export function trialsOf(trials: readonly TrialResult[], arm: string): TrialResult[] {
  return completeTrials(trials).filter((trial) => trial.arm === arm);
}

/** The complete pairs of an arm and the baseline, in order, whether they can be trusted or not. */
export function completePairs(trials: readonly TrialResult[], { arm, baseline }: Opponents): Pair[] {
  const bases = new Map(trialsOf(trials, baseline).map((trial) => [trial.pair, trial]));
  return trialsOf(trials, arm)
    .flatMap((other) => {
      const base = bases.get(other.pair);
      return base === undefined ? [] : [{ pair: other.pair, base, other }];
    })
    .sort((a, b) => a.pair - b.pair);
}

/** Of the complete pairs those that take part in a comparison: both trials are trusted and walked the same arrivals. */
export function pairsOf(
  trials: readonly TrialResult[],
  opponents: Opponents,
  { invalid = false, otherArrivals = false }: Forced = {},
): Pair[] {
  return completePairs(trials, opponents).filter(
    (pair) => (invalid || isTrusted(pair)) && (otherArrivals || walkedTheSame(pair)),
  );
}

export function isTrusted({ base, other }: Pair): boolean {
  return base.validity.verdict !== "invalid" && other.validity.verdict !== "invalid";
}

export function walkedTheSame({ base, other }: Pair): boolean {
  return base.plan.hash === other.plan.hash;
}

/**
 * Each arm and whom it is compared with: the baseline, or where that had another load (the cells of a sweep), the first arm
 * that had the same. An arm that is alone with its load is compared with nobody.
 *
 * @param names all arms, the baseline first.
 */
export function opponentsOf(trials: readonly TrialResult[], names: readonly string[]): Opponents[] {
  const byArm = new Map(names.map((name) => [name, trials.filter((trial) => trial.arm === name)]));
  const own = (name: string): readonly TrialResult[] => byArm.get(name) ?? [];
  return names.slice(1).flatMap((arm) => {
    const baseline = names.find((name) => name === arm || hadSameLoad(own(name), own(arm)));
    return baseline === undefined || baseline === arm ? [] : [{ arm, baseline }];
  });
}

/** By their arrivals where there is a pair of them, else by what was asked for. */
function hadSameLoad(some: readonly TrialResult[], others: readonly TrialResult[]): boolean {
  const hashes = new Map(some.map((trial) => [trial.pair, trial.plan.hash]));
  const common = others.filter((trial) => hashes.has(trial.pair));
  if (common.length > 0) return common.some((trial) => hashes.get(trial.pair) === trial.plan.hash);
  return some.some((one) =>
    others.some((other) => one.plan.rate === other.plan.rate && one.plan.users === other.plan.users),
  );
}
