/** V6: equal clients that count local rejects drift apart in a lasting overload; those that count only what they send do not. */

import type { TrialResult } from "../../src/result/schema.ts";
import { jainCounted, jainUncounted } from "./closed-forms.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { counted, medianOf, runEach, shed, uncounted, type VirtualLoad } from "./virtual-load.ts";

const WINDOW = 10;
const K = 2;
/** What a client is accepted per second in a fair world: 100 in a window. */
const ACCEPTED = 10;
const RHO = 5;
const CLIENT = { offered: RHO * ACCEPTED, accepted: ACCEPTED, k: K, window: WINDOW };
/** For the law of the drift, whose variance is to be measured. */
const MANY_USERS = 60;
const USERS = 16;
const LONG = 60;
const LAW_TOLERANCE = 0.25;

interface Overload {
  /** How long it lasts, in windows. */
  readonly windows: number;
  /** Whether all was well for a window before it. */
  readonly warm: boolean;
  readonly users: number;
}

const LAW: readonly Overload[] = [2, 3, 5].map((windows) => ({ windows, warm: true, users: MANY_USERS }));
const AT_10: Overload = { windows: 10, warm: true, users: USERS };
const WARM: Overload = { windows: LONG, warm: true, users: USERS };
const COLD: Overload = { windows: LONG, warm: false, users: USERS };

export const fairness: Experiment = {
  id: "V6",
  title: "Fairness between equal clients in a lasting overload",
  derivation: "V6",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const on = [...LAW, AT_10, WARM, COLD].map((overload) => loadOf(counted(K, WINDOW), overload));
    const off = [WARM, COLD].map((overload) => loadOf(uncounted(K, WINDOW), overload));
    const runs = await runEach(lab, [...on, ...off]);
    const [at10 = [], warm = [], cold = [], warmOff = [], coldOff = []] = runs.slice(LAW.length);
    const jainAt10 = medianOf(at10, jainOf);
    return [
      ...LAW.map((overload, index) => lawFinding(overload, runs[index] ?? [])),
      fallFinding(WARM, jainAt10, warm),
      fallFinding(COLD, jainAt10, cold),
      steadyFinding(WARM, warmOff),
      steadyFinding(COLD, coldOff),
    ];
  },
};

/** The last window of the overload is measured, so the trial's ok calls are the accepts in its clients' windows at the end. */
function loadOf(policy: VirtualLoad["policy"], { windows, warm, users }: Overload): VirtualLoad {
  const capacity = 2 * RHO * ACCEPTED * users;
  const before = (windows - 1) * WINDOW;
  const fromSeconds = -before;
  return {
    policy,
    users,
    rps: RHO * ACCEPTED * users,
    model: shed(warm ? capacity : ACCEPTED * users),
    warmupSeconds: before + (warm ? WINDOW : 0),
    durationSeconds: WINDOW,
    script: warm ? [{ kind: "capacity", fromSeconds, factor: (ACCEPTED * users) / capacity }] : [],
  };
}

function jainOf({ users }: TrialResult): number {
  return users?.jain ?? Number.NaN;
}

function lawFinding({ windows, users }: Overload, trials: readonly TrialResult[]): Finding {
  const prediction = 1 / jainCounted(windows * WINDOW, RHO, CLIENT) - 1;
  return {
    what: `1 / J - 1 of ${users} clients, counted, warm, after ${windows} W`,
    prediction,
    measured: 1 / medianOf(trials, jainOf) - 1,
    band: [prediction * (1 - LAW_TOLERANCE), prediction * (1 + LAW_TOLERANCE)],
    trials: trials.length,
  };
}

function fallFinding({ windows, warm }: Overload, before: number, trials: readonly TrialResult[]): Finding {
  return {
    what: `Jain's index, counted, ${warm ? "warm" : "cold"}, after ${windows} W`,
    prediction: "below that of a warm start after 10 W",
    measured: medianOf(trials, jainOf),
    band: [0, before],
    trials: trials.length,
  };
}

function steadyFinding({ windows, warm }: Overload, trials: readonly TrialResult[]): Finding {
  return {
    what: `Jain's index, not counted, ${warm ? "warm" : "cold"}, after ${windows} W`,
    prediction: jainUncounted(CLIENT),
    measured: medianOf(trials, jainOf),
    band: [1 / (1 + 4 / (ACCEPTED * WINDOW)), 1],
    trials: trials.length,
  };
}
