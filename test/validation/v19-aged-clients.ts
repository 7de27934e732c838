/** V19: when clients notice that their backend refuses: cold ones at once, those with a healthy past a part of a window later. */

import type { AgeSpec } from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { droppedOnsetSeconds, onsetSeconds } from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { onsetOf } from "./onset.ts";
import { type RealLoad, runReal } from "./real-load.ts";
import { around, counted, medianOf, runEach, type VirtualLoad } from "./virtual-load.ts";

/** That of production. */
const WINDOW = 120;
const K = 2;
/** Calls per second and client. */
const RATE = 10;
const USERS = 100;
/** A past that fills the window. */
const AGE: AgeSpec = { seconds: WINDOW, latencySeconds: 0 };
/** That the onset is told by: a tenth of the calls rejected locally; and one nearer to its beginning. */
const ONSET_SHARE = 0.1;
const EARLY_SHARE = 0.02;
/** What is still accepted once the measured window begins; those of the closed form's first check. */
const PARTIAL = [
  { k: 1.5, accepted: 0.2 },
  { k: 2, accepted: 0.2 },
  { k: 2, accepted: 1 / 3 },
  { k: 3, accepted: 0.2 },
];
const LEFT = 0.2;
/** Where a share grows by 1 to 2 % a second, its noise makes it cross a bound a second or two early. */
const TOLERANCE_SECONDS = 3;

/** Clients of 20/s, so that each has 200 calls in its window, at a tenth of what the target can do; their past is three windows long. */
const REAL = { users: 25, rps: 500, warmupSeconds: 0, target: "shed:acceptMs=0.2,rejectMs=0.05,queue=50" };
const REAL_WINDOW = 10;
const REAL_AGE_SECONDS = 3 * REAL_WINDOW;
const REAL_DURATION_SECONDS = 9;
/** Accepts with that probability, so that the capacity of the script is the share left. */
const REAL_PARTIAL_TARGET = "bernoulli:acceptMs=0.2,rejectMs=0.05,acceptShare=1";

export const agedClients: Experiment = {
  id: "V19",
  title: "Cold clients and aged ones",
  derivation: "V19",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const partial = PARTIAL.map(({ k, accepted }) => droppedTo(accepted, k, { age: AGE }));
    const runs = await runEach(lab, [
      droppedTo(0, K, { age: AGE }),
      droppedTo(0, K, { warmupSeconds: WINDOW }),
      droppedTo(0, K, {}),
      droppedTo(LEFT, K, {}),
      ...partial,
    ]);
    const [aged = [], warm = [], cold = [], coldPartial = []] = runs;
    return [
      agedFinding(`an outage, K = ${K}`, onsetSeconds(K, WINDOW, ONSET_SHARE), ONSET_SHARE, aged),
      agedFinding(`an outage, K = ${K}`, onsetSeconds(K, WINDOW, EARLY_SHARE), EARLY_SHARE, aged),
      ...PARTIAL.map(({ k, accepted }, index) =>
        agedFinding(
          `${percent(accepted)} still accepted, K = ${k}`,
          droppedOnsetSeconds(k, WINDOW, ONSET_SHARE, accepted),
          ONSET_SHARE,
          runs[4 + index] ?? [],
        ),
      ),
      coldFinding(`an outage, K = ${K}`, cold),
      coldFinding(`${percent(LEFT)} still accepted, K = ${K}`, coldPartial),
      {
        what: `an outage, K = ${K}: aged ${WINDOW} s, later than after ${WINDOW} s of warm-up by`,
        prediction: 0,
        measured:
          medianOf(aged, (trial) => onsetOf(trial, 0, ONSET_SHARE)) -
          medianOf(warm, (trial) => onsetOf(trial, WINDOW, ONSET_SHARE)),
        band: [-1, 1],
        unit: "s",
        trials: aged.length + warm.length,
      },
    ];
  },
  real: agedAtTarget,
};

/** A backend that takes all, of which from the measured window on the share is left. */
function droppedTo(
  accepted: number,
  k: number,
  { age, warmupSeconds = 0 }: Partial<Pick<VirtualLoad, "age" | "warmupSeconds">>,
): VirtualLoad {
  return {
    policy: counted(k, WINDOW),
    users: USERS,
    rps: USERS * RATE,
    warmupSeconds,
    durationSeconds: WINDOW,
    model: { name: "bernoulli", accept: 1, latencySeconds: 0 },
    script: [{ kind: "capacity", fromSeconds: 0, toSeconds: WINDOW, factor: accepted }],
    ...(age === undefined ? {} : { age }),
  };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function agedFinding(what: string, prediction: number, share: number, trials: readonly TrialResult[]): Finding {
  return {
    what: `${what}: ${percent(share)} rejected locally, aged ${WINDOW} s, after`,
    prediction,
    measured: medianOf(trials, (trial) => onsetOf(trial, 0, share)),
    band: around(prediction, TOLERANCE_SECONDS),
    unit: "s",
    trials: trials.length,
  };
}

function coldFinding(what: string, trials: readonly TrialResult[]): Finding {
  return {
    what: `${what}: ${percent(ONSET_SHARE)} rejected locally, cold, after`,
    prediction: "at once",
    measured: medianOf(trials, (trial) => onsetOf(trial, 0, ONSET_SHARE)),
    band: [0, 1],
    unit: "s",
    trials: trials.length,
  };
}

/** The same on the built-in target, whose script begins with the measured window: without waiting for a window to fill. */
async function agedAtTarget(lab: RealLab): Promise<readonly Finding[]> {
  const load: RealLoad = {
    ...REAL,
    policy: `sre,k=${K},window=${REAL_WINDOW},maxAttempts=1`,
    durationSeconds: REAL_DURATION_SECONDS,
    script: `0s..${REAL_DURATION_SECONDS}s:outage`,
  };
  const partial: RealLoad = {
    ...load,
    target: REAL_PARTIAL_TARGET,
    script: `0s..${REAL_DURATION_SECONDS}s:capacity=${LEFT}`,
  };
  const past = { ageSeconds: REAL_AGE_SECONDS };
  const [cold, aged, coldPartial, agedPartial] = await runReal(lab, [
    load,
    { ...load, ...past },
    partial,
    { ...partial, ...past },
  ]);
  const outage = `an outage, W = ${REAL_WINDOW} s, K = ${K}: 10 % rejected locally`;
  const left = `${percent(LEFT)} still accepted, W = ${REAL_WINDOW} s, K = ${K}: 10 % rejected locally`;
  return [
    realFinding(`${outage}, cold, after`, "at once", cold, [0, 1]),
    realAged(`${outage}, aged ${REAL_AGE_SECONDS} s, after`, onsetSeconds(K, REAL_WINDOW, ONSET_SHARE), aged),
    realFinding(`${left}, cold, after`, "at once", coldPartial, [0, 1]),
    realAged(
      `${left}, aged ${REAL_AGE_SECONDS} s, after`,
      droppedOnsetSeconds(K, REAL_WINDOW, ONSET_SHARE, LEFT),
      agedPartial,
    ),
  ];
}

function realAged(what: string, prediction: number, trial: TrialResult | undefined): Finding {
  return realFinding(what, prediction, trial, around(prediction, 1));
}

function realFinding(
  what: string,
  prediction: Finding["prediction"],
  trial: TrialResult | undefined,
  band: Finding["band"],
): Finding {
  if (trial === undefined) throw new Error("A trial is missing");
  return { what, prediction, measured: onsetOf(trial, 0, ONSET_SHARE), band, unit: "s", trials: 1 };
}
