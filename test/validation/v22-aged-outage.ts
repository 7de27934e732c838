/** V22: an outage longer than the window, with clients of a healthy past: who is back when. */

import { parseResult } from "../../src/result/read-result.ts";
import type { ArmRecovery } from "../../src/result/recovery-schema.ts";
import {
  bucketedWindow,
  onsetSeconds,
  populationRecoverySeconds,
  uncountedOutageSeconds,
  uncountedRecoverySeconds,
} from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { whyInvalid } from "./real-load.ts";
import { type RecoveryLoad, recoveredSeconds, recoveries } from "./recovery-load.ts";
import { around, counted, shed, uncounted, within } from "./virtual-load.ts";

const K = 2;
/** That of production. */
const WINDOW = 120;
/** Calls per second and client. */
const RATE = 10;
const USERS = 20;
const SETTLE_SECONDS = 10;
const HORIZON_SECONDS = 9 * WINDOW;
/** A tenth of the calls rejected locally: what the program takes for a reaction. */
const ONSET_SHARE = 0.1;
/** A pool of five seconds that reaches a share on average does so in its middle. */
const POOL_MIDDLE_SECONDS = 2.5;
const TIMES_SLOWER = 20;

/** Clients of W = 10 s at a tenth of what the target can do. */
const REAL = { window: 10, users: 50, rps: 500, settleSeconds: 5, horizonSeconds: 75 };
const REAL_TARGET = "shed:acceptMs=0.2,rejectMs=0.05,queue=50";
const REAL_TIMES_SLOWER = 4;

export const agedOutage: Experiment = {
  id: "V22",
  title: "An outage of two windows",
  derivation: "V22",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const load: Omit<RecoveryLoad, "policy" | "horizonSeconds"> = {
      users: USERS,
      rps: USERS * RATE,
      model: shed(2 * USERS * RATE),
      warmupSeconds: 0,
      settleSeconds: SETTLE_SECONDS,
      age: { seconds: WINDOW, latencySeconds: 0 },
      trigger: { kind: "outage", seconds: 2 * WINDOW },
    };
    const [on, off] = await recoveries(lab, [
      { ...load, policy: counted(K, WINDOW), horizonSeconds: HORIZON_SECONDS },
      { ...load, policy: uncounted(K, WINDOW), horizonSeconds: WINDOW },
    ]);
    if (on === undefined || off === undefined) throw new Error("An arm is missing");
    const onset = onsetSeconds(K, WINDOW, ONSET_SHARE);
    const back = populationRecoverySeconds(0.95, RATE, K, bucketedWindow(WINDOW)) - POOL_MIDDLE_SECONDS;
    const [least, most] = uncountedSeconds(RATE, WINDOW);
    return [
      onsetFinding(`W = ${WINDOW} s, counted, aged ${WINDOW} s`, onset, on, 3),
      onsetFinding(`W = ${WINDOW} s, not counted, aged ${WINDOW} s`, onset, off, 3),
      backFinding(`W = ${WINDOW} s, counted`, back, on, within(back, 0.25)),
      backFinding(`W = ${WINDOW} s, not counted`, rangeText(least, most), off, [Math.floor(least), Math.ceil(most)]),
      slowerFinding(on, off, TIMES_SLOWER),
    ];
  },
  real: outageOfTarget,
};

function onsetFinding(
  what: string,
  prediction: number,
  { reactSeconds, trials }: ArmRecovery,
  tolerance: number,
): Finding {
  return {
    what: `${what}: a tenth of the calls refused after`,
    prediction,
    measured: reactSeconds.median ?? Number.POSITIVE_INFINITY,
    band: around(prediction, tolerance),
    unit: "s",
    trials,
  };
}

/** The mean client, not counted, after just two windows, when its counts are lowest, and after many. */
function uncountedSeconds(offered: number, window: number): readonly [number, number] {
  const ends = [
    uncountedOutageSeconds(0.95, offered, K, window, 2 * window),
    uncountedRecoverySeconds(offered, K, window),
  ] as const;
  return [Math.min(...ends), Math.max(...ends)];
}

function rangeText(least: number, most: number): string {
  return `${least.toFixed(1)} to ${most.toFixed(1)} s`;
}

function backFinding(what: string, prediction: number | string, arm: ArmRecovery, band: Finding["band"]): Finding {
  return {
    what: `${what}: 95 % of the calls ok after an outage of 2 W, after`,
    prediction,
    measured: recoveredSeconds(arm),
    band,
    unit: "s",
    trials: arm.trials,
  };
}

function slowerFinding(on: ArmRecovery, off: ArmRecovery, least: number): Finding {
  return {
    what: "95 % ok: times slower counted than not counted",
    prediction: `at least ${least}`,
    measured: recoveredSeconds(on) / Math.max(1, recoveredSeconds(off)),
    band: [least, Number.POSITIVE_INFINITY],
    trials: on.trials + off.trials,
  };
}

/** By the command, as a user would: clients aged for as long as the default has it. */
async function outageOfTarget(lab: RealLab): Promise<readonly Finding[]> {
  const { window, users, rps, settleSeconds, horizonSeconds } = REAL;
  const document = await lab.command("recovery", [
    ...["--arm", `counted:policy=sre,k=${K},window=${window},maxAttempts=1`],
    ...["--arm", `not-counted:policy=sre-sent-only,k=${K},window=${window}`],
    ...["--trigger", `outage:${2 * window}s`, "--target", REAL_TARGET, "--timeout", "1s"],
    ...["--rps", `${rps}`, "--vus", `${users}`, "--settle", `${settleSeconds}s`, "--horizon", `${horizonSeconds}s`],
    ...["--repeats", "1"],
  ]);
  const { recovery, trials } = parseResult(JSON.stringify(document), "stdout");
  for (const trial of trials) {
    const why = whyInvalid(trial);
    if (why !== undefined) throw new Error(`The trial of ${trial.arm} is invalid: ${why}`);
  }
  const [on, off] = recovery?.arms ?? [];
  if (on === undefined || off === undefined) throw new Error("An arm is missing");
  const onset = onsetSeconds(K, window, ONSET_SHARE);
  const back = populationRecoverySeconds(0.95, rps / users, K, bucketedWindow(window)) - POOL_MIDDLE_SECONDS;
  const [least, most] = uncountedSeconds(rps / users, window);
  return [
    onsetFinding(`W = ${window} s, counted, aged`, onset, on, 1.5),
    backFinding(`W = ${window} s, counted`, back, on, within(back, 0.35)),
    backFinding(`W = ${window} s, not counted`, rangeText(least, most), off, [0, Math.ceil(most) + 2]),
    slowerFinding(on, off, REAL_TIMES_SLOWER),
  ];
}
