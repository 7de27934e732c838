/** The trials behind a map of the hysteresis: one load, with the trigger or without it, several seeds. */

import type { TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";
import { pairSeed } from "./experiment.ts";
import type { LoadToTry } from "./hysteresis-map.ts";
import { type RecoverySpecOptions, recoverySpecs, triggerSpan, untriggeredSpecs } from "./recovery-specs.ts";
import { formatTrigger } from "./recovery-trigger.ts";
import { withRecovery } from "./trial-recovery.ts";

/**
 * In virtual time a storm that drains slowly is not to be taken for one that never ends: near the threshold a horizon is worth
 * something from two drain times on.
 */
export const MAP_HORIZON_SECONDS = 240;

/** A trial for each seed, numbered by its pair. @throws RangeError unless the base load is of a constant rate. */
export function mapSpecs(options: RecoverySpecOptions, load: LoadToTry, seeds: number): readonly TrialSpec[] {
  const { base } = options;
  return Array.from({ length: seeds }, (_, pair) => {
    const plan = { ...base.plan, seed: pairSeed(base.plan.seed, pair), arrival: arrivalAt(base, load.rps) };
    const own: RecoverySpecOptions = { ...options, base: { ...base, pair, plan } };
    return load.triggered ? recoverySpecs(own) : untriggeredSpecs(own);
  });
}

/** The trial as a map reads it: with what became of it after the trigger, if there was one; that of a hook as it was. */
export function mapTrial(
  trial: TrialResult,
  times: Pick<RecoverySpecOptions, "trigger" | "settleSeconds">,
  { triggered }: LoadToTry,
): TrialResult {
  if (!triggered || trial.recovery !== undefined) return trial;
  const { trigger } = times;
  return withRecovery(trial, { kind: trigger.kind, text: formatTrigger(trigger), ...triggerSpan(times) });
}

function arrivalAt({ plan: { arrival } }: TrialSpec, rps: number): TrialSpec["plan"]["arrival"] {
  if (arrival.law === "replay") throw new RangeError("Cannot map a recording: it has no rate that could be varied");
  return { ...arrival, rate: { kind: "constant", rps } };
}
