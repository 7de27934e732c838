/** Trials on server models, by what an experiment varies. */

import type {
  AgeSpec,
  ModelSpec,
  PolicySpec,
  ShedModelSpec,
  TrialSpec,
  VirtualWorldSpec,
} from "../../src/engine/trial-spec.ts";
import type { ScriptChange } from "../../src/plan/script.ts";
import type { PolicyOptions } from "../../src/policy/preset.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { trialSpec } from "../support/trial-spec.ts";
import type { VirtualLab } from "./experiment.ts";

/** Poisson arrivals at a server model, without network. */
export interface VirtualLoad {
  readonly policy: PolicySpec;
  readonly users: number;
  /** Of all users together, per second. */
  readonly rps: number;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  readonly model: ModelSpec;
  /** Times in seconds of the measured window; below 0 in the warm-up. */
  readonly script?: readonly ScriptChange[];
  /** Default 1. */
  readonly timeoutSeconds?: number;
  /** Default none: cold clients. */
  readonly age?: AgeSpec | undefined;
}

export function virtualTrial(load: VirtualLoad, seed: number): TrialSpec {
  const { policy, users, rps, warmupSeconds, durationSeconds, model, script, timeoutSeconds = 1, age } = load;
  const world: VirtualWorldSpec = { kind: "virtual", model, ...(script === undefined ? {} : { script }) };
  return trialSpec({
    policy,
    timeoutSeconds,
    // What waits in a backlog is not to be dropped by the harness.
    maxInFlight: 1_000_000,
    plan: { seed, users, warmupSeconds, durationSeconds, arrival: { law: "poisson", rate: { kind: "constant", rps } } },
    world,
    ...(age === undefined ? {} : { age }),
  });
}

/** A sharp capacity: a burst of 10 without latency, rejections free of charge unless said. */
export function shed(capacity: number, rejectCost = 0): ShedModelSpec {
  return { name: "shed", capacity, burst: 10, rejectCost, latencySeconds: 0 };
}

/** A policy with options. */
export function policy(name: string, options: PolicyOptions = {}): PolicySpec {
  return { name, options };
}

/** Local rejects counted: the client under test itself, without retries. */
export function counted(k: number, window: number): PolicySpec {
  return policy("sre", { k, window, maxAttempts: 1 });
}

/** Local rejects not counted. */
export function uncounted(k: number, window: number): PolicySpec {
  return policy("sre-sent-only", { k, window });
}

/** Runs every load with every seed. @returns the trials of each load, both in order. */
export async function runEach(
  lab: VirtualLab,
  loads: readonly VirtualLoad[],
  seeds: readonly number[] = lab.seeds,
): Promise<readonly (readonly TrialResult[])[]> {
  const trials = await lab.run(loads.flatMap((load) => seeds.map((seed) => virtualTrial(load, seed))));
  return loads.map((_, index) => trials.slice(index * seeds.length, (index + 1) * seeds.length));
}

export function medianOf(trials: readonly TrialResult[], figure: (trial: TrialResult) => number): number {
  return median(trials.map(figure));
}

/** A band of so much to both sides. */
export function around(value: number, tolerance: number): readonly [number, number] {
  return [value - tolerance, value + tolerance];
}

/** A band of a share of the value to both sides. */
export function within(value: number, share: number): readonly [number, number] {
  return [value * (1 - share), value * (1 + share)];
}
