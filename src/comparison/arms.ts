/** Which trials of a result are compared with which. */

import type { TrialResult } from "../result/schema.ts";

/** A complete pair: both trials walked the same arrivals. */
export interface Pair {
  readonly pair: number;
  readonly base: TrialResult;
  readonly other: TrialResult;
}

/** Arms by first appearance, the baseline first. */
export function armNames(trials: readonly TrialResult[], baseline: string): string[] {
  const names = new Set(trials.map((trial) => trial.arm));
  return [...(names.delete(baseline) ? [baseline] : []), ...names];
}

/** The trials of an arm that count: those that were not cut short. */
export function trialsOf(trials: readonly TrialResult[], arm: string): TrialResult[] {
  return trials.filter((trial) => trial.arm === arm && !trial.interrupted);
}

/** The complete pairs of an arm and the baseline, in order. */
export function pairsOf(trials: readonly TrialResult[], baseline: string, arm: string): Pair[] {
  const bases = new Map(trialsOf(trials, baseline).map((trial) => [trial.pair, trial]));
  return trialsOf(trials, arm)
    .flatMap((other) => {
      const base = bases.get(other.pair);
      return base === undefined ? [] : [{ pair: other.pair, base, other }];
    })
    .sort((a, b) => a.pair - b.pair);
}

/** Never divides by zero: null there. */
export function ratio(value: number, base: number): number | null {
  return base === 0 ? null : value / base;
}
