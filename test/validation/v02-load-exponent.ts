/** V2: how what is sent grows with what is offered: not at all where local rejects are counted, as a square root where not. */

import type { TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { bucketedWindow, sentCounted, sentUncounted } from "./closed-forms.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { around, counted, medianOf, runEach, shed, uncounted, type VirtualLoad, within } from "./virtual-load.ts";

const CAPACITY = 100;
const WINDOW = 10;
const K = 2;
/** Offered / C. */
const LOADS = [2.5, 5, 10, 20];
/** Few, as each adds a probe per window to what is sent. */
const USERS = 10;

export const loadExponent: Experiment = {
  id: "V2",
  title: "What is sent over what is offered, local rejects counted or not",
  derivation: "V2",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const policies = [counted(K, WINDOW), uncounted(K, WINDOW)];
    const loads = policies.flatMap((spec) => LOADS.map((load) => loadOf(spec, load)));
    const runs = await runEach(lab, loads);
    const [on, off] = [runs.slice(0, LOADS.length), runs.slice(LOADS.length)];
    return [
      slopeFinding("not counted", 0.5, off),
      slopeFinding("counted", 0, on),
      ...LOADS.map((load, index) => sentFinding("not counted", load, off[index] ?? [])),
      ...LOADS.map((load, index) => sentFinding("counted", load, on[index] ?? [])),
    ];
  },
};

function loadOf(policy: VirtualLoad["policy"], load: number): VirtualLoad {
  return {
    policy,
    users: USERS,
    rps: load * CAPACITY,
    model: shed(CAPACITY),
    warmupSeconds: 6 * WINDOW,
    durationSeconds: 6 * WINDOW,
  };
}

/** Of the line through all points in logarithms, of each seed. */
function slopeFinding(what: string, prediction: number, runs: readonly (readonly TrialResult[])[]): Finding {
  const seeds = runs[0] ?? [];
  const sent = (trials: readonly TrialResult[], seed: number): number => trials[seed]?.rates.sent ?? Number.NaN;
  const slopes = seeds.map((_, seed) => logSlope(runs.map((trials) => sent(trials, seed))));
  return {
    what: `slope of log sent over log offered, 2.5 C to 20 C, local rejects ${what}`,
    prediction,
    measured: median(slopes),
    band: around(prediction, 0.03),
    trials: seeds.length * runs.length,
  };
}

/** Least squares, of the logarithm of `sent` over that of {@link LOADS}. */
function logSlope(sent: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [xs, ys] = [LOADS.map(Math.log), sent.map(Math.log)];
  const [x0, y0] = [mean(xs), mean(ys)];
  const covariance = mean(xs.map((x, index) => (x - x0) * ((ys[index] as number) - y0)));
  return covariance / mean(xs.map((x) => (x - x0) ** 2));
}

function sentFinding(what: string, load: number, trials: readonly TrialResult[]): Finding {
  const isCounted = what === "counted";
  const client = { offered: (load * CAPACITY) / USERS, accepted: CAPACITY / USERS, k: K };
  const sent = isCounted
    ? sentCounted({ ...client, window: bucketedWindow(WINDOW) })
    : sentUncounted({ ...client, window: WINDOW });
  return {
    what: `sent / C, local rejects ${what}, offered ${load} C`,
    prediction: (USERS * sent) / CAPACITY,
    measured: medianOf(trials, ({ rates }) => rates.sent / CAPACITY),
    band: within((USERS * sent) / CAPACITY, 0.03),
    trials: trials.length,
  };
}
