import type { Reason, TrialResult } from "../result/schema.ts";

/** A reason for a verdict, and the trials that have it. */
export interface SharedReason {
  /** With the figures of the first of them. */
  readonly reason: Reason;
  readonly where: readonly TrialResult[];
}

const WORST_FIRST = ["invalid", "suspect", "note"] as const;

/** The reasons of all trials, each told once, worst first. */
export function sortedReasons(trials: readonly TrialResult[]): SharedReason[] {
  const groups = new Map<string, { reason: Reason; where: TrialResult[] }>();
  for (const trial of trials) {
    for (const reason of trial.validity.reasons) {
      const key = `${reason.severity} ${reason.code}`;
      const group = groups.get(key) ?? { reason, where: [] };
      group.where.push(trial);
      groups.set(key, group);
    }
  }
  return WORST_FIRST.flatMap((severity) => [...groups.values()].filter(({ reason }) => reason.severity === severity));
}
