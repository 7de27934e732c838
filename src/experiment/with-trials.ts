import type { Comparison } from "../result/comparison-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";

/** Compares the arms of an experiment with its baseline. */
export type Compare = (trials: readonly TrialResult[], baseline: string) => Comparison;

/**
 * The result with these trials in it.
 *
 * @param arms all arms of the experiment, the baseline first; they are compared once each has a trial.
 */
export function withTrials(
  result: Result,
  trials: readonly TrialResult[],
  partial: boolean,
  arms: readonly string[],
  compare: Compare,
): Result {
  const [baseline = ""] = arms;
  const compared = arms.length > 1 && arms.every((arm) => trials.some((trial) => trial.arm === arm));
  return {
    ...result,
    partial,
    plan: { ...result.plan, arrivals: trials[0]?.plan.arrivals ?? 0 },
    trials: [...trials],
    ...(compared ? { comparison: compare(trials, baseline) } : {}),
  };
}
