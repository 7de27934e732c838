/** The capacity and the rejection cost that a sweep's backend showed, for the closed form and for what is simulated with it. */

import { completeTrials } from "../comparison/arms.ts";
import type { TrialResult } from "../result/schema.ts";
import type { Sweep } from "../result/sweep-schema.ts";
import { median } from "../stats/median.ts";
import { findLaw } from "./twin.ts";

type ClosedForm = NonNullable<Sweep["closedForm"]>;

/** As far as it is known: from outside it cannot be seen what a rejection takes. */
export interface BackendLaw {
  /** C, accepted attempts per second. */
  readonly capacity: number;
  /** r, of an accepted attempt's; undefined where it cannot be known. */
  readonly rejectCost: number | undefined;
  /** One sentence. */
  readonly source: string;
}

/**
 * Medians over the real trials in which the backend rejected something, as a cost is measured there only, or over all of them.
 *
 * @returns undefined where no trial tells.
 */
export function lawOfTrials(trials: readonly TrialResult[]): BackendLaw | undefined {
  const whole = completeTrials(trials).filter(({ world, script }) => world === "real" && script === undefined);
  const overloaded = whole.filter(({ attempts }) => attempts.overloaded > 0);
  const laws = (overloaded.length > 0 ? overloaded : whole).flatMap((trial) => {
    const found = findLaw(trial);
    return "law" in found && found.law.model === "worker" ? [found.law] : [];
  });
  if (laws.length === 0) return undefined;
  const counted = laws.filter(({ source }) => source === "counters");
  const taken = counted.length > 0 ? counted : laws;
  const acceptMs = median(taken.map((law) => law.acceptMs));
  const over = taken.length === 1 ? "one trial" : `the median of ${taken.length} trials`;
  if (counted.length === 0) {
    return {
      capacity: 1000 / acceptMs,
      rejectCost: undefined,
      source: `What was accepted in the seconds of overload, ${over}; what a rejection takes is in it.`,
    };
  }
  const rejectMs = median(taken.map((law) => law.rejectMs));
  return {
    capacity: 1000 / acceptMs,
    rejectCost: rejectMs / acceptMs,
    source: `The target's counters: ${acceptMs.toFixed(2)} ms for an accepted call and ${rejectMs.toFixed(2)} ms for a rejected one, ${over}.`,
  };
}

/** The two constants of the closed form; undefined where the cost of a rejection is not known. */
export function closedFormOf(law: BackendLaw | undefined): ClosedForm | undefined {
  if (law?.rejectCost === undefined) return undefined;
  const { capacity, rejectCost, source } = law;
  return { capacity, rejectCost, source };
}
