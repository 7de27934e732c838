/** How one trial took its trigger, from its series alone. */

import { withReason } from "../engine/validity.ts";
import type { TrialRecovery } from "../result/recovery-schema.ts";
import type { Reason, SeriesRow, TrialResult } from "../result/schema.ts";
import { BACK_SHARE, POOLED_SECONDS, recoverySeconds } from "../stats/recovery-time.ts";

/** A policy has reacted when it refuses more than this share of the calls of a second. */
const REACTED_SHARE = 0.1;

type TrialFacts = Pick<TrialResult, "series" | "warmup" | "durationSeconds">;

/** The trial with what follows from its trigger; as it is, where it was cut short. */
export function withRecovery(trial: TrialResult, trigger: TrialRecovery["trigger"]): TrialResult {
  if (trial.interrupted || trial.aborted !== undefined) return trial;
  const recovery = trialRecovery(trial, trigger);
  const { validity } = trial;
  return { ...trial, recovery, validity: isDisturbed(recovery) ? validity : withReason(validity, noEffect(recovery)) };
}

/** Whether there was anything to recover from. */
function isDisturbed({ depth }: TrialRecovery): boolean {
  return depth > 1 - BACK_SHARE;
}

/** A hook may have missed its target, which nothing else tells. */
function noEffect({ trigger, depth }: TrialRecovery): Reason {
  return {
    code: "trigger-without-effect",
    severity: trigger.kind === "hook" || trigger.hook !== undefined ? "suspect" : "note",
    message: `The trigger ${trigger.text} disturbed nothing: ${Math.round(1000 * (1 - depth)) / 10} % of the calls of its worst five seconds came back ok`,
    figure: depth,
    limit: 1 - BACK_SHARE,
    hint: "See that it reaches the target, or make it stronger: this shows nothing about recovery",
  };
}

/**
 * All figures are of whole seconds of the trial: one in which the trigger began or ended is one of the trigger's.
 *
 * @param trigger as it was, in seconds of the measured window.
 */
export function trialRecovery(trial: TrialFacts, trigger: TrialRecovery["trigger"]): TrialRecovery {
  const { series, durationSeconds } = trial;
  const warmupSeconds = trial.warmup?.seconds ?? 0;
  const from = warmupSeconds + trigger.fromSeconds;
  const to = warmupSeconds + trigger.toSeconds;
  const offering = series.slice(0, series.findLastIndex(({ offered }) => offered > 0) + 1);
  const before = offering.slice(warmupSeconds, Math.floor(from));
  const during = offering.slice(Math.floor(from), Math.ceil(to));
  const after = offering.slice(Math.ceil(to));
  const back = recoverySeconds(series, to);
  return {
    trigger,
    okBefore: shareOk(before),
    reactSeconds: reactSeconds(offering, from),
    seconds: back === undefined ? null : back === 0 ? 0 : back + Math.ceil(to) - to,
    stuck: back === undefined ? 1 : 0,
    horizonSeconds: Math.max(0, durationSeconds - trigger.toSeconds),
    depth: 1 - lowestShare([...during, ...after]),
    amplificationDuring: amplification(during),
    amplificationAfter: amplification(after),
    sentDuring: sentPerSecond(series, trigger.kind === "outage" ? (from + to) / 2 : from, to),
  };
}

function reactSeconds(rows: readonly SeriesRow[], from: number): number | null {
  const first = Math.floor(from);
  const found = rows.findIndex((row, second) => second >= first && refused(row) > REACTED_SHARE * row.offered);
  return found === -1 ? null : Math.max(0, found - from);
}

/** Calls that the policy refused, or refused to send again. */
function refused({ throttled, budget, broken, limited, deadline }: SeriesRow): number {
  return throttled + budget + broken + limited + deadline;
}

/** 1 where nothing was offered: nothing was lost. */
function shareOk(rows: readonly SeriesRow[]): number {
  const offered = sum(rows, "offered");
  return offered === 0 ? 1 : sum(rows, "ok") / offered;
}

/** Of all pools, or of one shorter pool where there are fewer seconds. */
function lowestShare(rows: readonly SeriesRow[]): number {
  const pools = Math.max(1, rows.length - POOLED_SECONDS + 1);
  const shares = Array.from({ length: pools }, (_, start) => shareOk(rows.slice(start, start + POOLED_SECONDS)));
  return Math.min(...shares);
}

function amplification(rows: readonly SeriesRow[]): number {
  const offered = sum(rows, "offered");
  return offered === 0 ? 0 : sum(rows, "sent") / offered;
}

/** What the backend saw, over the whole seconds between; where there is none, over those that it touches. */
function sentPerSecond(rows: readonly SeriesRow[], from: number, to: number): number {
  const whole = Math.floor(to) > Math.ceil(from);
  const [first, end] = whole ? [Math.ceil(from), Math.floor(to)] : [Math.floor(from), Math.ceil(to)];
  return end <= first ? 0 : sum(rows.slice(first, end), "sentInSecond") / (end - first);
}

function sum(rows: readonly SeriesRow[], column: "offered" | "ok" | "sent" | "sentInSecond"): number {
  return rows.reduce((total, row) => total + row[column], 0);
}
