/** Runs trials that depend on nothing but their specifications, several at a time. */

import type { TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";
import { executeTrial } from "./execute-trial.ts";

/** @returns the trials in the order of the specifications, the same for any number of workers. */
export async function runTrials(specs: readonly TrialSpec[]): Promise<TrialResult[]> {
  const trials: TrialResult[] = [];
  for (const spec of specs) trials.push(await executeTrial(spec, { stopRequested: () => false, progress() {} }));
  return trials;
}
