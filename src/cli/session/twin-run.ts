/** `--twin`: after a real trial its virtual twin, and what comes of the two. */

import type { TrialSpec } from "../../engine/trial-spec.ts";
import { compareTwin, findLaw, twinSpec } from "../../experiment/twin.ts";
import type { Result, TrialResult, Twin } from "../../result/schema.ts";
import type { Progress } from "../live/progress.ts";
import type { Simulation } from "./simulation.ts";

export interface TwinContext {
  readonly simulation: Simulation;
  readonly progress: Progress;
  stopRequested(): boolean;
  /** What an error is to the user. */
  explained(spec: TrialSpec | undefined, error: unknown): unknown;
  /** Called when the real trial is measured and the twin is about to begin. */
  saveSoFar(result: Result): Promise<void>;
}

/**
 * The result with the twin of its only trial, or with why there is none. Nothing that goes wrong with the twin costs the real
 * trial, which is saved before; when the twin is stopped, the result is a partial one.
 *
 * @param spec of the real trial.
 */
export async function withTwin(result: Result, spec: TrialSpec, context: TwinContext): Promise<Result> {
  const [real] = result.trials;
  if (real === undefined) return result;
  const stopped: Result = {
    ...result,
    partial: true,
    twin: { made: false, reason: "The run was stopped before it was done" },
  };
  if (result.partial || context.stopRequested()) return stopped;
  await context.saveSoFar({ ...result, partial: true });
  const twin = await twinOf(real, spec, context);
  return twin === undefined ? stopped : { ...result, twin };
}

async function twinOf(real: TrialResult, spec: TrialSpec, context: TwinContext): Promise<Twin | undefined> {
  try {
    const found = findLaw(real);
    if ("reason" in found) return { made: false, reason: found.reason };
    const virtual = await simulated(twinSpec(spec, real, found.law), context);
    if (virtual === undefined || context.stopRequested()) return undefined;
    return compareTwin(real, found.law, virtual);
  } catch (error) {
    const { message } = error as Error;
    context.progress.note(`There is no twin: ${message}`);
    return { made: false, reason: message };
  }
}

/** @returns undefined when it was stopped before it began. */
async function simulated(spec: TrialSpec, context: TwinContext): Promise<TrialResult | undefined> {
  let virtual: TrialResult | undefined;
  const hooks = {
    started() {},
    async ended(_index: number, trial: TrialResult) {
      virtual = trial;
    },
  };
  await context.simulation.run([spec], hooks, {
    workers: 1,
    label: "twin",
    stopRequested: () => context.stopRequested(),
    judged: (_spec, trial) => trial,
    explained: (failed, error) => context.explained(failed, error),
  });
  return virtual;
}
