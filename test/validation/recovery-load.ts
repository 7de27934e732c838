/** Recovery experiments in virtual time, by the pieces of the program itself: what `recovery --sim` plans, reads and concludes. */

import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { armRecovery } from "../../src/experiment/recovery-conclusion.ts";
import { recoverySpecs, triggerSpan } from "../../src/experiment/recovery-specs.ts";
import { formatTrigger, type Trigger } from "../../src/experiment/recovery-trigger.ts";
import { withRecovery } from "../../src/experiment/trial-recovery.ts";
import type { ArmRecovery } from "../../src/result/recovery-schema.ts";
import type { VirtualLab } from "./experiment.ts";
import { type VirtualLoad, virtualTrial } from "./virtual-load.ts";

export interface RecoveryLoad extends Omit<VirtualLoad, "durationSeconds" | "script"> {
  readonly trigger: Trigger;
  /** Base load before the trigger and after the warm-up. */
  readonly settleSeconds: number;
  readonly horizonSeconds: number;
  /** Later than this is not stable. Default {@link WITHIN_SECONDS}. */
  readonly withinSeconds?: number;
  /** Clients with so much of a healthy past, whose answers took so long. Default none: cold but for the warm-up. */
  readonly age?: TrialSpec["age"];
}

/** Later than this is not stable: the default of `--within`. */
export const WITHIN_SECONDS = 10;

/** A trial without its trigger, whose measured window is to be planned yet. */
export function recoveryBase(load: RecoveryLoad, seed: number): TrialSpec {
  const base = virtualTrial({ ...load, durationSeconds: load.settleSeconds }, seed);
  return load.age === undefined ? base : { ...base, age: load.age };
}

/** Runs every load with every seed. @returns what the program concludes of each load. */
export async function recoveries(
  lab: VirtualLab,
  loads: readonly RecoveryLoad[],
  seeds: readonly number[] = lab.seeds,
): Promise<readonly ArmRecovery[]> {
  const trials = await lab.run(
    loads.flatMap((load) => seeds.map((seed) => recoverySpecs({ ...load, base: recoveryBase(load, seed) }))),
  );
  return loads.map((load, index) => {
    const { trigger, horizonSeconds, withinSeconds = WITHIN_SECONDS } = load;
    const told = { kind: trigger.kind, text: formatTrigger(trigger), ...triggerSpan(load) };
    const own = trials
      .slice(index * seeds.length, (index + 1) * seeds.length)
      .map((trial) => withRecovery(trial, told));
    return armRecovery(own[0]?.arm ?? "", own, { withinSeconds, horizonSeconds });
  });
}

/** T_rec in the median; infinity: at least half are stuck. */
export function recoveredSeconds({ seconds }: ArmRecovery): number {
  return seconds.median ?? Number.POSITIVE_INFINITY;
}
