/** V10: a trigger that just tips a service over, and three that are a little smaller and do not (OSDI 2022). */

import type { TrialResult } from "../../src/result/schema.ts";
import { tippedProbability } from "./closed-forms-metastable.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { fluidRetry } from "./fluid-policies.ts";
import { capacityOf, fluidStormSeconds, type Storm, type StormServer, stormLoad, stuckShare } from "./storm-load.ts";
import { policy, runEach } from "./virtual-load.ts";

/** A time-out of 3 s and four resends, as published; 1,000 calls/s, so that chance moves a trigger by less than it is varied. */
const SERVER: StormServer = { workers: 100, serviceSeconds: 0.1, timeoutSeconds: 3 };
const ATTEMPTS = 5;
const CAPACITY = capacityOf(SERVER);
/** Between what (b) tips and what (a) and (c) do. */
const OFFERED = 0.36 * CAPACITY;
const USERS = 100;
const WARMUP_SECONDS = 5;
const HORIZON_SECONDS = 25;

interface Condition {
  readonly name: string;
  readonly factor: number;
  readonly slowSeconds: number;
  /** Of {@link OFFERED}. */
  readonly load: number;
}

/** The published quotas are 0.45 and 0.40 of 2 processors. */
const CONDITIONS: readonly Condition[] = [
  { name: "(a) 0.225 C for 10 s", factor: 0.45 / 2, slowSeconds: 10, load: 1 },
  { name: "(b) 0.20 C for 10 s", factor: 0.4 / 2, slowSeconds: 10, load: 1 },
  { name: "(c) 0.20 C for 9 s", factor: 0.4 / 2, slowSeconds: 9, load: 1 },
  { name: "(d) 0.20 C for 10 s, 30 % less load", factor: 0.4 / 2, slowSeconds: 10, load: 0.7 },
];
const TIPPING = 1;

export const tippingPoint: Experiment = {
  id: "V10",
  title: "A trigger that just tips a service over",
  derivation: "V10",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const storms = CONDITIONS.map(stormOf);
    const runs = await runEach(lab, storms.map(stormLoad), lab.manySeeds);
    const findings = CONDITIONS.map(({ name }, index) => {
      return stuckFinding(name, index === TIPPING, storms[index] as Storm, runs[index] ?? []);
    });
    const others = findings.filter((_, index) => index !== TIPPING).map(({ measured }) => measured);
    const tipped = findings[TIPPING]?.measured ?? 0;
    return [
      ...findings,
      {
        what: "stuck share of (b) above the largest of the others",
        prediction: 1,
        measured: tipped - Math.max(...others),
        band: [0.8, 1],
        trials: findings.reduce((sum, { trials }) => sum + trials, 0),
      },
    ];
  },
};

function stormOf({ factor, slowSeconds, load }: Condition): Storm {
  return {
    ...SERVER,
    factor,
    slowSeconds,
    policy: policy("retry", { maxAttempts: ATTEMPTS }),
    users: USERS,
    offered: load * OFFERED,
    warmupSeconds: WARMUP_SECONDS,
    horizonSeconds: HORIZON_SECONDS,
  };
}

function stuckFinding(name: string, tips: boolean, storm: Storm, trials: readonly TrialResult[]): Finding {
  const critical = criticalOffered(storm);
  return {
    what: `${name}, load ${(storm.offered / CAPACITY).toFixed(3)} C against a critical ${(critical / CAPACITY).toFixed(3)} C: stuck after ${HORIZON_SECONDS} s`,
    prediction: tippedProbability(storm.offered, critical, storm.slowSeconds),
    measured: stuckShare(storm, trials),
    band: tips ? [0.8, 1] : [0, 0.1],
    trials: trials.length,
  };
}

/** The least load that this trigger tips over in the fluid, to a thousandth of the capacity. */
function criticalOffered(storm: Storm): number {
  let recovers = 0;
  let tips = CAPACITY;
  while (tips - recovers > CAPACITY / 1000) {
    const offered = (recovers + tips) / 2;
    const seconds = fluidStormSeconds({ ...storm, offered, warmupSeconds: 0 }, ATTEMPTS, fluidRetry());
    if (seconds === Number.POSITIVE_INFINITY) tips = offered;
    else recovers = offered;
  }
  return tips;
}
