/** Where two results of one simulated experiment differ: to the bit they should not, but for what says when and where it ran. */

import type { Result, TrialResult } from "../../../result/schema.ts";

/** A field, and what was recorded of it, and what is there now; undefined where there was none. */
export interface Difference {
  /** As in `trials[on, pair 2].calls.ok`. */
  readonly field: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Of a trial what says when, on what machine and how it was saved. */
const OF_THE_RUN: ReadonlySet<string> = new Set(["startedAt", "generator", "recovered"]);

/**
 * @param before may be partial: then only the trials that it has in full are looked at.
 * @returns the differing fields, in the order of the document; empty when the results are identical.
 */
export function resultDifferences(before: Result, after: Result): readonly Difference[] {
  return [
    ...fields("plan", before.plan, after.plan),
    ...completeTrials(before).flatMap((trial) => trialDifferences(trial, after)),
    ...(before.partial ? [] : conclusionDifferences(before, after)),
  ];
}

/** Those that ran to their end. */
export function completeTrials({ trials }: Result): readonly TrialResult[] {
  return trials.filter((trial) => !trial.interrupted);
}

function trialDifferences(then: TrialResult, { trials }: Result): readonly Difference[] {
  const now = trials.find(({ arm, pair }) => arm === then.arm && pair === then.pair);
  const name = `trials[${then.arm}, pair ${then.pair + 1}]`;
  if (now === undefined) return [{ field: name, recorded: "measured", now: undefined }];
  return fields(name, then, now, OF_THE_RUN);
}

function conclusionDifferences(before: Result, after: Result): readonly Difference[] {
  const missing = after.trials.length - before.trials.length;
  const more =
    missing > 0 ? [{ field: "trials.length", recorded: before.trials.length, now: after.trials.length }] : [];
  const of = ({ design, comparison, sweep, assertions }: Result): object => ({
    // How often it was resumed is no part of what came out.
    design: { ...design, resumed: undefined },
    comparison,
    sweep,
    assertions,
  });
  return [...more, ...fields("", of(before), of(after))];
}

/** Fields that differ, to the leaves. @param skipped names of fields of the outermost objects that may differ. */
export function fields(
  path: string,
  then: unknown,
  now: unknown,
  skipped: ReadonlySet<string> = new Set(),
): readonly Difference[] {
  if (Object.is(then, now)) return [];
  if (!isObject(then) || !isObject(now) || Array.isArray(then) !== Array.isArray(now)) {
    return [{ field: path, recorded: then, now }];
  }
  const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...keys]
    .filter((key) => !skipped.has(key))
    .flatMap((key) => fields(joined(path, key, Array.isArray(then)), then[key], now[key]));
}

function joined(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
