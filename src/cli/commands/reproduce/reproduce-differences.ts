/** Where two results of one simulated experiment differ: to the bit they should not, but for what says when and where it ran. */

import { completeTrials } from "../../../comparison/arms.ts";
import type { Result, TrialResult } from "../../../result/schema.ts";
import { type Difference, fields } from "../../session/field-differences.ts";

/** Of a trial what says when, on what machine and how it was saved. */
const OF_THE_RUN: ReadonlySet<string> = new Set(["startedAt", "generator", "recovered"]);

/**
 * @param before may be partial: then only the trials that it has in full are looked at.
 * @returns the differing fields, in the order of the document; empty when the results are identical.
 */
export function resultDifferences(before: Result, after: Result): readonly Difference[] {
  return [
    ...fields("plan", before.plan, after.plan),
    ...completeTrials(before.trials).flatMap((trial) => trialDifferences(trial, after)),
    ...(before.partial ? [] : conclusionDifferences(before, after)),
  ];
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
