/** The fall of a FIFO server into a retry storm, as a simulation and as a fluid. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { recoverySeconds } from "../../src/stats/recovery-time.ts";
import { type FluidPolicy, fluidRecoverySeconds } from "./fluid-storm.ts";
import type { VirtualLoad } from "./virtual-load.ts";

/** A server of so many workers of a constant service time, and clients that give up after a time. */
export interface StormServer {
  readonly workers: number;
  readonly serviceSeconds: number;
  readonly timeoutSeconds: number;
}

/** Work takes 1 / factor of its time for so long. A factor of 1 is no trigger. */
export interface StormTrigger {
  readonly factor: number;
  readonly slowSeconds: number;
}

export interface Storm extends StormServer, StormTrigger {
  readonly policy: PolicySpec;
  readonly users: number;
  /** Of all users together, per second. */
  readonly offered: number;
  readonly warmupSeconds: number;
  /** From the end of the trigger. */
  readonly horizonSeconds: number;
}

/** A server of 160 calls/s. */
export const FOUR_WORKERS: StormServer = { workers: 4, serviceSeconds: 0.025, timeoutSeconds: 0.2 };

export function capacityOf({ workers, serviceSeconds }: StormServer): number {
  return workers / serviceSeconds;
}

/** The trigger comes with the measured window. */
export function stormLoad(storm: Storm): VirtualLoad {
  const { policy, users, offered, warmupSeconds, workers, serviceSeconds, timeoutSeconds } = storm;
  const { factor, slowSeconds, horizonSeconds } = storm;
  return {
    policy,
    users,
    rps: offered,
    warmupSeconds,
    durationSeconds: slowSeconds + Math.ceil(horizonSeconds),
    timeoutSeconds,
    model: { name: "fifo", workers, serviceSeconds, latencySeconds: 0 },
    script: [{ kind: "capacity", fromSeconds: 0, toSeconds: slowSeconds, factor }],
  };
}

/** T_rec from the end of the trigger; infinity: not within the horizon. */
export function stormRecoverySeconds(storm: Storm, { series }: TrialResult): number {
  return recoverySeconds(series, storm.warmupSeconds + storm.slowSeconds) ?? Number.POSITIVE_INFINITY;
}

/** The share of trials that did not recover within the horizon. */
export function stuckShare(storm: Storm, trials: readonly TrialResult[]): number {
  return (
    trials.filter((trial) => stormRecoverySeconds(storm, trial) === Number.POSITIVE_INFINITY).length / trials.length
  );
}

/** T_rec of the same storm as a fluid. @param attempts of a call at most. */
export function fluidStormSeconds(storm: Storm, attempts: number, policy: FluidPolicy): number {
  return fluidRecoverySeconds({ ...storm, horizonSeconds: Math.ceil(storm.horizonSeconds), attempts, policy });
}
