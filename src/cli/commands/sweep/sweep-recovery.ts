/** Simulates, after the trials of a sweep, how long each arm takes to come back when a disturbance ends. */

import type { ModelSpec, TrialSpec, VirtualWorldSpec } from "../../../engine/trial-spec.ts";
import { planRecovery, type RecoveryArm } from "../../../experiment/recovery-after.ts";
import { type BackendLaw, lawOfTrials } from "../../../experiment/sweep-law.ts";
import { traitsOf } from "../../../policy/lint/lint.ts";
import type { Result, TrialResult } from "../../../result/schema.ts";
import { CliError } from "../../cli-error.ts";
import { EXIT } from "../../exit-codes.ts";
import type { PlannedArm } from "../../flags/arm-policy.ts";
import type { FinishContext } from "../../session/load-command.ts";
import type { SimulationContext } from "../../session/simulation.ts";

/** The capacity and the rejection cost of a model; undefined where it has none. */
export function lawOfModel({ model, backends, script }: VirtualWorldSpec, text: string): BackendLaw | undefined {
  const count = backends?.count ?? 1;
  const law = lawOf(model);
  if (law === undefined || script !== undefined) return undefined;
  return { capacity: count * law.capacity, rejectCost: law.rejectCost, source: `The model: ${text}.` };
}

function lawOf(model: ModelSpec): Omit<BackendLaw, "source"> | undefined {
  switch (model.name) {
    case "shed":
      return { capacity: model.capacity, rejectCost: model.rejectCost };
    case "worker":
      return { capacity: 1 / model.acceptSeconds, rejectCost: model.rejectSeconds / model.acceptSeconds };
    case "fifo":
    case "slope":
    case "bernoulli":
      return undefined;
    default:
      return model satisfies never;
  }
}

/**
 * The result with what was simulated. Nothing that goes wrong with it costs the trials, which are saved before; when it is
 * stopped, there is none.
 */
export async function withRecovery(
  result: Result,
  arms: readonly PlannedArm[],
  modelled: BackendLaw | undefined,
  context: FinishContext,
): Promise<Result> {
  const { sweep } = result;
  if (sweep === undefined || result.partial || context.stopRequested()) return result;
  const law = modelled ?? lawOfTrials(result.trials);
  if (law === undefined) {
    context.progress.note("The recovery is not simulated: the trials do not tell the backend's capacity");
    return result;
  }
  await context.saveSoFar({ ...result, partial: true });
  // Those on a plateau first, should there be more than are simulated.
  const plateau = new Set(sweep.recommendations.flatMap((one) => one.plateau));
  const ordered = [...arms].sort((a, b) => Number(plateau.has(b.name)) - Number(plateau.has(a.name)));
  const plan = planRecovery(
    ordered.map(
      ({ name, resolved }): RecoveryArm => ({
        spec: context.specOf(name),
        windowSeconds: traitsOf(resolved).window?.seconds,
      }),
    ),
    law,
  );
  try {
    const trials = await simulate(plan.specs, context);
    if (context.stopRequested()) return result;
    const recovery = plan.conclude(trials);
    return { ...result, sweep: { ...sweep, recovery, recoveryScenario: plan.scenario } };
  } catch (error) {
    // A policy of the user's own may fail here that did not in the trials.
    if (!(error instanceof CliError) || error.exitCode !== EXIT.failed) throw error;
    context.progress.note(`The recovery was not simulated: ${error.message}`);
    return result;
  }
}

async function simulate(
  specs: readonly TrialSpec[],
  context: FinishContext,
): Promise<readonly (TrialResult | undefined)[]> {
  const trials: (TrialResult | undefined)[] = specs.map(() => undefined);
  const surroundings: SimulationContext = {
    workers: context.workers,
    label: "recovery",
    stopRequested: () => context.stopRequested(),
    judged: (_spec, trial) => trial,
    explained: (spec, error) => context.explained(spec, error),
  };
  const hooks = {
    started() {},
    async ended(index: number, trial: TrialResult) {
      trials[index] = trial;
    },
  };
  await context.simulation.run(specs, hooks, surroundings);
  return trials;
}
