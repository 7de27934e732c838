/** Figures of a trial that several reports show. Each is undefined where the trial cannot say. */

import type { TrialResult } from "../result/schema.ts";

/** The ends of a call, in the order in which reports list them. */
export const OUTCOMES = [
  "ok",
  "throttled",
  "budget",
  "failed",
  "broken",
  "limited",
  "deadline",
  "dropped",
  "unfinished",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** An outcome in words. */
export const OUTCOME_TEXT: Readonly<Record<Outcome, string>> = {
  ok: "ok",
  throttled: "throttled",
  budget: "out of retry budget",
  failed: "failed",
  broken: "breaker open",
  limited: "limiter full",
  deadline: "past deadline",
  dropped: "dropped by this generator",
  unfinished: "unfinished",
};

/** Share of the planned calls that ended so; undefined where none was planned. */
export function outcomeShare(trial: TrialResult, outcome: Outcome): number | undefined {
  return trial.calls.planned === 0 ? undefined : trial.calls[outcome] / trial.calls.planned;
}

/** Share of the target's CPU time for requests that went into rejections. */
export function cpuRejectRatio(trial: TrialResult): number | undefined {
  if (trial.target === undefined) return undefined;
  const busySeconds = trial.target.cpuAcceptSeconds + trial.target.cpuRejectSeconds;
  return busySeconds === 0 ? undefined : trial.target.cpuRejectSeconds / busySeconds;
}

/** Jain's index; undefined where no call was ok, so that there was nothing to share. */
export function fairness(trial: TrialResult): number | undefined {
  return trial.calls.ok === 0 ? undefined : trial.users?.jain;
}

/** CPU time of the target per second of the trial: 1 is one core, all the time. */
export function targetBusyRatio(trial: TrialResult): number | undefined {
  if (trial.target === undefined || trial.target.wallSeconds === 0) return undefined;
  return trial.target.cpuTotalSeconds / trial.target.wallSeconds;
}
