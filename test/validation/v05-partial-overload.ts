/** V5: an overload that is not total, and ends: how long warm clients take to come back. */

import type { TrialResult } from "../../src/result/schema.ts";
import { recoverySeconds } from "../../src/stats/recovery-time.ts";
import { partialRecoverySeconds } from "./closed-forms.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { counted, medianOf, runEach, shed, uncounted, type VirtualLoad, within } from "./virtual-load.ts";

const WINDOW = 120;
/** What a client is accepted per second during the overload: 120 in a window. */
const ACCEPTED = 1;
const USERS = 20;
const OVERLOAD_SECONDS = 2 * WINDOW;
const HORIZON_SECONDS = 2 * WINDOW;
const CONDITIONS = [
  { rho: 3, k: 2 },
  { rho: 5, k: 2 },
  { rho: 10, k: 2 },
  { rho: 5, k: 3 },
];

export const partialOverload: Experiment = {
  id: "V5",
  title: "An overload that ends",
  derivation: "V5",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const runs = await runEach(lab, [
      ...CONDITIONS.map(({ rho, k }) => overloadOf(counted(k, WINDOW), rho)),
      overloadOf(uncounted(2, WINDOW), 5),
    ]);
    return [
      ...CONDITIONS.map(({ rho, k }, index) => countedFinding(rho, k, runs[index] ?? [])),
      uncountedFinding(runs.at(-1) ?? []),
    ];
  },
};

/** A backend with room to spare, then with a capacity of offered / rho, then again as it was. */
function overloadOf(policy: VirtualLoad["policy"], rho: number): VirtualLoad {
  const offered = rho * ACCEPTED * USERS;
  const capacity = 2 * offered;
  const factor = (ACCEPTED * USERS) / capacity;
  return {
    policy,
    users: USERS,
    rps: offered,
    model: shed(capacity),
    warmupSeconds: WINDOW,
    durationSeconds: OVERLOAD_SECONDS + HORIZON_SECONDS,
    script: [{ kind: "capacity", fromSeconds: 0, toSeconds: OVERLOAD_SECONDS, factor }],
  };
}

function recoveryOf({ series }: TrialResult): number {
  return recoverySeconds(series, WINDOW + OVERLOAD_SECONDS) ?? Number.POSITIVE_INFINITY;
}

function countedFinding(rho: number, k: number, trials: readonly TrialResult[]): Finding {
  const prediction = partialRecoverySeconds(rho, k, WINDOW);
  return {
    what: `95 % ok after ${rho} times the capacity for 2 W, K = ${k}, counted, after`,
    prediction,
    measured: medianOf(trials, recoveryOf),
    band: within(prediction, 0.25),
    unit: "s",
    trials: trials.length,
  };
}

/** No closed form: much sooner than counted. */
function uncountedFinding(trials: readonly TrialResult[]): Finding {
  const counted5 = partialRecoverySeconds(5, 2, WINDOW);
  return {
    what: "the same after 5 times the capacity, K = 2, not counted",
    prediction: "at most half as long",
    measured: medianOf(trials, recoveryOf),
    band: [0, counted5 / 2],
    unit: "s",
    trials: trials.length,
  };
}
