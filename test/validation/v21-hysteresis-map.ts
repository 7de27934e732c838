/** V21: the thresholds that `recovery --map` finds: from which load on a storm outlives its trigger, and what is served without one. */

import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { mapHysteresis } from "../../src/experiment/hysteresis-map.ts";
import { MAP_HORIZON_SECONDS, mapSpecs, mapTrial } from "../../src/experiment/hysteresis-trials.ts";
import { formatTrigger, type Trigger } from "../../src/experiment/recovery-trigger.ts";
import type { ArmMap } from "../../src/result/recovery-schema.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { budgetThreshold, retriesThreshold, spontaneousLoad } from "./closed-forms-metastable.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { type RecoveryLoad, recoveryBase } from "./recovery-load.ts";
import { SideBySide } from "./side-by-side.ts";
import { capacityOf, FOUR_WORKERS } from "./storm-load.ts";
import { policy, within } from "./virtual-load.ts";

const CAPACITY = capacityOf(FOUR_WORKERS);
/** A service of half a second against a time-out of 200 ms. */
const TRIGGER: Trigger = { kind: "slowdown", factor: 0.05, seconds: 3 };
const SETTLE_SECONDS = 10;
const WINDOW = 10;
const WARMUP_SECONDS = 2 * WINDOW;
const TOLERANCE = 0.03;
/** Of each load: so near the threshold that chance decides, the next load is 3 % away. */
const SEEDS = 5;
/** The claim: lambda x attempts = capacity. */
const BAND = 0.05;
const RATIO = 0.25;

interface Mapped {
  readonly name: string;
  readonly load: Pick<RecoveryLoad, "policy" | "users">;
  /** Where it looks, in shares of what theory says that survives. */
  readonly range: readonly [low: number, high: number];
  readonly survives: number;
}

const ATTEMPTS = 4;
const RETRIES = retriesOf(ATTEMPTS);
const SURVIVALS: readonly Mapped[] = [retriesOf(2), retriesOf(3), RETRIES];

function retriesOf(maxAttempts: number): Mapped {
  return {
    name: `${maxAttempts} attempts, lambda N = C`,
    load: { policy: policy("retry", { maxAttempts }), users: 50 },
    range: [0.88, 1.12],
    survives: retriesThreshold(CAPACITY, maxAttempts),
  };
}

const BUDGET: Mapped = {
  name: `4 attempts and a budget of ${RATIO}, lambda / (1 - beta) = C`,
  load: { policy: policy("sre-budget", { maxAttempts: ATTEMPTS, retryRatio: RATIO, window: WINDOW }), users: 1 },
  range: [0.88, 1.12],
  survives: budgetThreshold(CAPACITY, RATIO),
};

export const hysteresisMap: Experiment = {
  id: "V21",
  title: "The map of the hysteresis",
  derivation: "V21",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const thresholds = [...SURVIVALS, BUDGET];
    // Far above what survives, so that the trigger ends that search at once.
    const served: Mapped = { ...RETRIES, range: [0.8 * ATTEMPTS, 0.95 * ATTEMPTS] };
    const seeds = lab.seeds.slice(0, SEEDS).length;
    const searches = new SideBySide((specs: readonly TrialSpec[]) => lab.run(specs));
    const maps = await searches.all([...thresholds, served].map((mapped) => (run) => mapOf(mapped, seeds, run)));
    return [
      ...thresholds.map((mapped, index) => survivalFinding(mapped, maps[index] as ArmMap)),
      servedFinding(maps.at(-1) as ArmMap),
    ];
  },
};

async function mapOf(
  { load, range, survives }: Mapped,
  seeds: number,
  run: (specs: readonly TrialSpec[]) => Promise<readonly TrialResult[]>,
): Promise<ArmMap> {
  const [lowRps, highRps] = [range[0] * survives, range[1] * survives];
  const { workers, serviceSeconds, timeoutSeconds } = FOUR_WORKERS;
  const times = { trigger: TRIGGER, settleSeconds: SETTLE_SECONDS, horizonSeconds: MAP_HORIZON_SECONDS };
  const base = recoveryBase(
    {
      ...load,
      ...times,
      rps: lowRps,
      warmupSeconds: WARMUP_SECONDS,
      timeoutSeconds,
      model: { name: "fifo", workers, serviceSeconds, latencySeconds: 0 },
    },
    1,
  );
  const options = {
    arm: base.arm,
    trigger: formatTrigger(TRIGGER),
    horizonSeconds: MAP_HORIZON_SECONDS,
    seeds,
    lowRps,
    highRps,
    tolerance: TOLERANCE,
  };
  return await mapHysteresis(options, async (loads) => {
    const trials = await run(loads.flatMap((one) => mapSpecs({ base, ...times }, one, seeds)));
    return loads.map((one, index): readonly TrialResult[] =>
      trials.slice(index * seeds, (index + 1) * seeds).map((trial) => mapTrial(trial, times, one)),
    );
  });
}

function survivalFinding({ name, survives }: Mapped, map: ArmMap): Finding {
  return {
    what: `${name}: the highest load that survives`,
    prediction: survives,
    measured: map.survives ?? 0,
    band: within(survives, BAND),
    unit: "/s",
    trials: trialsOf(map, true),
  };
}

function servedFinding(map: ArmMap): Finding {
  const seconds = WARMUP_SECONDS + SETTLE_SECONDS + TRIGGER.seconds + MAP_HORIZON_SECONDS;
  const prediction = spontaneousLoad(FOUR_WORKERS, seconds);
  return {
    what: `4 attempts without a trigger: the highest load that is served for ${seconds} s`,
    prediction,
    measured: map.served ?? 0,
    band: within(prediction, BAND),
    unit: "/s",
    trials: trialsOf(map, false),
  };
}

function trialsOf({ points }: ArmMap, triggered: boolean): number {
  return points.filter((point) => point.triggered === triggered).reduce((sum, { trials }) => sum + trials, 0);
}
