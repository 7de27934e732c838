/** Pairs of virtual trials, as `ab --sim --chance own` makes them: the same arrivals, all other chance of each arm's own. */

import { pairsOf } from "../../../src/comparison/arms.ts";
import { goodputEffects } from "../../../src/comparison/goodput-effects.ts";
import type { TrialSpec } from "../../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import type { VirtualLab } from "../experiment.ts";
import { counted, shed, virtualTrial } from "../virtual-load.ts";

export const BASELINE = "off";
export const OTHER = "on";
const ARMS = [BASELINE, OTHER] as const;

/** Short trials of a small service: some 120 calls are served in each, so that goodput differs by some percent from pair to pair. */
const CAPACITY = 40;
const REJECT_COST = 0.3;
const OFFERED = 4 * CAPACITY;
const USERS = 10;
const WINDOW_SECONDS = 2;
const WARMUP_SECONDS = 3;
const DURATION_SECONDS = 4;
/** Trials in memory at a time, whole. */
const BATCH = 1000;

/** K of each arm, the baseline's first. */
export type ArmKs = readonly [number, number];

/**
 * Each pair has a seed of its own.
 *
 * @returns the trials by pair, without their series.
 */
export async function virtualPairs(
  lab: VirtualLab,
  ks: ArmKs,
  pairs: number,
  firstSeed: number,
): Promise<readonly (readonly TrialResult[])[]> {
  const specs = Array.from({ length: pairs }, (_, index) =>
    ks.map((k, arm) => trialOf(k, arm, firstSeed + index)),
  ).flat();
  const trials: TrialResult[] = [];
  for (let from = 0; from < specs.length; from += BATCH) {
    const batch = await lab.run(specs.slice(from, from + BATCH));
    trials.push(...batch.map((trial) => ({ ...trial, series: [] })));
  }
  return Array.from({ length: pairs }, (_, index) => trials.slice(index * ks.length, (index + 1) * ks.length));
}

function trialOf(k: number, arm: number, seed: number): TrialSpec {
  const load = {
    policy: counted(k, WINDOW_SECONDS),
    users: USERS,
    rps: OFFERED,
    warmupSeconds: WARMUP_SECONDS,
    durationSeconds: DURATION_SECONDS,
    model: shed(CAPACITY, REJECT_COST),
  };
  return { ...virtualTrial(load, seed), arm: ARMS[arm] as string, chance: arm };
}

/** The trials of one experiment, its pairs numbered anew. */
export function asExperiment(pairs: readonly (readonly TrialResult[])[]): readonly TrialResult[] {
  return pairs.flatMap((trials, pair) => trials.map((trial) => ({ ...trial, pair })));
}

/** Logarithms of the ratios of goodput, pair by pair. */
export function logRatios(trials: readonly TrialResult[]): readonly number[] {
  return goodputEffects(pairsOf(trials, { arm: OTHER, baseline: BASELINE }), 0.05).values;
}
