/** V4: a total outage: when clients notice, how they probe, and how long they take to come back. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import type { SeriesRow, TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { recoverySeconds } from "../../src/stats/recovery-time.ts";
import {
  bucketedWindow,
  onsetSeconds,
  populationRecoverySeconds,
  probesCounted,
  probesUncounted,
  uncountedRecoverySeconds,
} from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { onsetOf } from "./onset.ts";
import { runReal } from "./real-load.ts";
import { around, counted, medianOf, runEach, shed, uncounted, type VirtualLoad, within } from "./virtual-load.ts";

const WINDOW = 10;
const K = 2;
/** Calls per second and client. */
const RATE = 10;
const WARMUP_SECONDS = 2 * WINDOW;
const ONSET_KS = [1.5, 2, 3];
/** That the onset is told by: a tenth of the calls rejected locally. */
const ONSET_SHARE = 0.1;
const LONG_SECONDS = 10 * WINDOW;
const PROBED_USERS = 200;
const SHORT_SECONDS = 2 * WINDOW;
const RECOVERING_USERS = 50;
const HORIZON_SECONDS = 12 * WINDOW;
const TIMES_SLOWER = 5;
/** A pool of five seconds that is half recovered on average is so in its middle. */
const POOL_MIDDLE_SECONDS = 2.5;

/** An outage of 2 W at a tenth of what the target can do. */
const REAL = { users: 100, rps: 500, warmupSeconds: 10, target: "shed:acceptMs=0.2,rejectMs=0.05,queue=50" };
const REAL_WINDOW = 5;
const REAL_OUTAGE_SECONDS = 2 * REAL_WINDOW;
const REAL_HORIZON_SECONDS = 50;
const REAL_TIMES_SLOWER = 3;

export const outage: Experiment = {
  id: "V4",
  title: "A total outage",
  derivation: "V4",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const onsets = ONSET_KS.map((k) => outageOf(counted(k, WINDOW), PROBED_USERS, SHORT_SECONDS, 0));
    const probes = [counted(K, WINDOW), uncounted(K, WINDOW)].map((spec) =>
      outageOf(spec, PROBED_USERS, LONG_SECONDS, 0),
    );
    const recoveries = [counted(K, WINDOW), uncounted(K, WINDOW)].map((spec) =>
      outageOf(spec, RECOVERING_USERS, SHORT_SECONDS, HORIZON_SECONDS),
    );
    const runs = await runEach(lab, [...onsets, ...probes, ...recoveries]);
    const [probesOn = [], probesOff = [], recoveryOn = [], recoveryOff = []] = runs.slice(ONSET_KS.length);
    return [
      ...ONSET_KS.map((k, index) => onsetFinding(k, runs[index] ?? [])),
      probesFinding("counted", probesCounted(RATE, bucketedWindow(WINDOW)), probesOn),
      probesFinding("not counted", probesUncounted(RATE, WINDOW), probesOff),
      ...recoveryFindings(recoveryOn, recoveryOff),
    ];
  },
  real: outageOfTarget,
};

/** The outage begins with the measured window. */
function outageOf(spec: PolicySpec, users: number, toSeconds: number, horizonSeconds: number): VirtualLoad {
  return {
    policy: spec,
    users,
    rps: users * RATE,
    model: shed(2 * users * RATE),
    warmupSeconds: WARMUP_SECONDS,
    durationSeconds: toSeconds + horizonSeconds,
    script: [{ kind: "capacity", fromSeconds: 0, toSeconds, factor: 0 }],
  };
}

function onsetFinding(k: number, trials: readonly TrialResult[]): Finding {
  const prediction = onsetSeconds(k, WINDOW, ONSET_SHARE);
  return {
    what: `10 % rejected locally, K = ${k}, after`,
    prediction,
    measured: medianOf(trials, (trial) => onsetOf(trial, WARMUP_SECONDS, ONSET_SHARE)),
    band: around(prediction, 1),
    unit: "s",
    trials: trials.length,
  };
}

function meanSent(rows: readonly SeriesRow[]): number {
  return rows.reduce((sum, { sent }) => sum + sent, 0) / rows.length;
}

/** Over the last window of a long outage. */
function probesFinding(what: string, perClient: number, trials: readonly TrialResult[]): Finding {
  const prediction = PROBED_USERS * perClient;
  return {
    what: `probes of ${PROBED_USERS} clients late in an outage of 10 W, local rejects ${what}`,
    prediction,
    measured: medianOf(trials, ({ series }) => meanSent(series.filter(({ offered }) => offered > 0).slice(-WINDOW))),
    band: within(prediction, 0.1),
    unit: "/s",
    trials: trials.length,
  };
}

function recoveryFindings(on: readonly TrialResult[], off: readonly TrialResult[]): readonly Finding[] {
  const half = populationRecoverySeconds(0.5, RATE, K, bucketedWindow(WINDOW)) - POOL_MIDDLE_SECONDS;
  const most = populationRecoverySeconds(0.95, RATE, K, bucketedWindow(WINDOW)) - POOL_MIDDLE_SECONDS;
  const uncounted95 = uncountedRecoverySeconds(RATE, K, WINDOW);
  const measured = medianOf(on, (trial) => recoveryOf(trial, 0.95));
  const times = on.map((trial, index) => recoveryOf(trial, 0.95) / Math.max(1, recoveryOf(off[index] ?? trial, 0.95)));
  return [
    {
      what: "half of the calls ok after an outage of 2 W, counted, after",
      prediction: half,
      measured: medianOf(on, (trial) => recoveryOf(trial, 0.5)),
      band: within(half, 0.2),
      unit: "s",
      trials: on.length,
    },
    {
      what: "95 % of the calls ok, counted, after",
      prediction: most,
      measured,
      band: within(most, 0.2),
      unit: "s",
      trials: on.length,
    },
    {
      what: "95 % of the calls ok, not counted, after",
      prediction: uncounted95,
      measured: medianOf(off, (trial) => recoveryOf(trial, 0.95)),
      band: around(uncounted95, 2),
      unit: "s",
      trials: off.length,
    },
    {
      what: "95 % ok: times slower counted than not counted",
      prediction: `at least ${TIMES_SLOWER}`,
      measured: median(times),
      band: [TIMES_SLOWER, Number.POSITIVE_INFINITY],
      trials: on.length + off.length,
    },
  ];
}

function recoveryOf({ series }: TrialResult, share: number): number {
  return recoverySeconds(series, WARMUP_SECONDS + SHORT_SECONDS, share) ?? Number.POSITIVE_INFINITY;
}

async function outageOfTarget(lab: RealLab): Promise<readonly Finding[]> {
  const load = {
    ...REAL,
    durationSeconds: REAL_OUTAGE_SECONDS + REAL_HORIZON_SECONDS,
    script: `0s..${REAL_OUTAGE_SECONDS}s:outage`,
  };
  const [on, off] = await runReal(lab, [
    { ...load, policy: `sre,k=${K},window=${REAL_WINDOW},maxAttempts=1` },
    { ...load, policy: `sre-sent-only,k=${K},window=${REAL_WINDOW}` },
  ]);
  if (on === undefined || off === undefined) throw new Error("A trial is missing");
  const { users, rps, warmupSeconds } = REAL;
  const endSeconds = warmupSeconds + REAL_OUTAGE_SECONDS;
  const recovery = ({ series }: TrialResult): number => recoverySeconds(series, endSeconds) ?? Number.POSITIVE_INFINITY;
  const window = bucketedWindow(REAL_WINDOW);
  const probes = users * probesCounted(rps / users, window);
  const onset = onsetSeconds(K, REAL_WINDOW, ONSET_SHARE);
  const recovered = populationRecoverySeconds(0.95, rps / users, K, window) - POOL_MIDDLE_SECONDS;
  const one = { trials: 1 };
  return [
    {
      what: `10 % rejected locally, K = ${K}, W = ${REAL_WINDOW} s, after`,
      prediction: onset,
      measured: onsetOf(on, warmupSeconds, ONSET_SHARE),
      band: around(onset, 1),
      unit: "s",
      ...one,
    },
    {
      what: `probes of ${users} clients in the second window of the outage, counted`,
      prediction: probes,
      measured: meanSent(on.series.slice(endSeconds - REAL_WINDOW + 1, endSeconds)),
      band: within(probes, 0.3),
      unit: "/s",
      ...one,
    },
    {
      what: "95 % of the calls ok, counted, after",
      prediction: recovered,
      measured: recovery(on),
      band: within(recovered, 0.35),
      unit: "s",
      ...one,
    },
    {
      what: "95 % ok: times slower counted than not counted",
      prediction: `at least ${REAL_TIMES_SLOWER}`,
      measured: recovery(on) / Math.max(1, recovery(off)),
      band: [REAL_TIMES_SLOWER, Number.POSITIVE_INFINITY],
      trials: 2,
    },
  ];
}
