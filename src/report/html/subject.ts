/** One result of a page, and what all its sections need of it. */

import { armNames, trialsOf } from "../../comparison/arms.ts";
import { compareArms } from "../../comparison/compare-arms.ts";
import { policyName } from "../../figures/policy-text.ts";
import type { Comparison } from "../../result/comparison-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import type { DecodeLatencies } from "../export/export-input.ts";
import { createIds, type Ids } from "./ids.ts";

/** An arm that has trials. */
export interface ArmView {
  /** Its place among the arms, and so its look. */
  readonly index: number;
  readonly name: string;
  /** In short: `sre (K=2)`. */
  readonly policy: string;
  /** Those that count: cut short are only those of an arm that has no others. */
  readonly trials: readonly TrialResult[];
  readonly first: TrialResult;
}

export interface Subject {
  readonly name: string;
  readonly result: Result;
  /** The baseline first. */
  readonly arms: readonly ArmView[];
  /** Where there are arms to compare. Those of `recovery` are not: what goodput over a storm comes to says how long it was looked at. */
  readonly comparison: Comparison | undefined;
  readonly ids: Ids;
  readonly decode: DecodeLatencies | undefined;
  /** The sections so far, for the table of contents. */
  readonly sections: { readonly id: string; readonly title: string }[];
}

export function createSubject(name: string, result: Result, ids: Ids = createIds(), decode?: DecodeLatencies): Subject {
  const baseline = result.comparison?.baseline ?? result.design.arms[0] ?? result.trials[0]?.arm ?? "";
  const arms = armsOf(result, baseline);
  const isCompared = arms.length > 1 && result.sweep === undefined && result.command !== "recovery";
  const comparison =
    result.comparison ?? (isCompared ? compareArms(result.trials, baseline, { design: result.design }) : undefined);
  return { name, result, arms, comparison, ids, decode, sections: [] };
}

function armsOf({ trials, design }: Result, baseline: string): ArmView[] {
  return armNames(trials, baseline, design.arms).flatMap((name, index) => {
    const complete = trialsOf(trials, name);
    const own = complete.length > 0 ? complete : trials.filter((trial) => trial.arm === name);
    const first = own[0];
    return first === undefined ? [] : [{ index, name, policy: policyName(first.policy), trials: own, first }];
  });
}
