/** V3: goodput over offered load where a rejection costs work: none at C / r without throttle, flat with one. */

import type { TrialResult } from "../../src/result/schema.ts";
import { goodputThrottled, goodputUnthrottled } from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { runReal } from "./real-load.ts";
import { around, counted, medianOf, policy, runEach, shed, type VirtualLoad, within } from "./virtual-load.ts";

const CAPACITY = 100;
const USERS = 10;
const WINDOW = 10;
const REJECT_COSTS = [0, 0.1, 0.3, 0.5];
const KS = [1.5, 2, 3];
/** Offered / C of throttled clients. */
const THROTTLED_LOAD = 10;
/** Over which their goodput is to be flat: from above K / (1 - r + K r) on. */
const FLAT = { k: 2, rejectCost: 0.3, loads: [2.5, 5, 20] };
/** Of what would be 0, or of a difference. */
const TOLERANCE = 0.05;

/** r = 0.3. What a request costs beside its work, a few percent of it, is in none of the predictions. */
const REAL = { users: 10, warmupSeconds: 10, durationSeconds: 10, target: "shed:acceptMs=5,rejectMs=1.5,queue=10" };
const REAL_CAPACITY = 200;
const REAL_COST = 0.3;
const REAL_WINDOW = 5;
/** Twice C / r. */
const REAL_RPS = 1333;
const REAL_TOLERANCE = 0.15;
/** A storm of rejections still lets a job through now and then. */
const REAL_COLLAPSE = 0.25;

interface Condition {
  readonly what: string;
  /** Goodput / C. */
  readonly prediction: number;
  readonly band: readonly [number, number];
  readonly load: VirtualLoad;
}

export const rejectCost: Experiment = {
  id: "V3",
  title: "Goodput where rejections cost work",
  derivation: "V3",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const conditions = [...REJECT_COSTS.flatMap(unthrottled), ...REJECT_COSTS.flatMap(throttled), ...flat()];
    const runs = await runEach(
      lab,
      conditions.map(({ load }) => load),
    );
    return conditions.map(({ what, prediction, band }, index) => {
      const trials = runs[index] ?? [];
      return {
        what: `goodput / C, ${what}`,
        prediction,
        measured: medianOf(trials, goodput),
        band,
        trials: trials.length,
      };
    });
  },
  real: costOnTarget,
};

function goodput({ rates }: TrialResult): number {
  return rates.goodput / CAPACITY;
}

/** Below the capacity, half down, at the end, and beyond it. */
function unthrottled(cost: number): readonly Condition[] {
  const end = 1 / cost;
  const loads = cost === 0 ? [0.8, 5] : [0.8, (1 + end) / 2, end, 1.5 * end];
  return loads.map((load) => {
    const prediction = goodputUnthrottled(load, cost);
    const what = `no throttle, r = ${cost}, offered ${Number(load.toFixed(2))} C`;
    return { what, prediction, band: around(prediction, TOLERANCE), load: loadOf(policy("none"), load, cost) };
  });
}

function throttled(cost: number): readonly Condition[] {
  return KS.map((k) => throttledAt(k, cost, THROTTLED_LOAD));
}

function flat(): readonly Condition[] {
  return FLAT.loads.map((load) => throttledAt(FLAT.k, FLAT.rejectCost, load));
}

function throttledAt(k: number, cost: number, load: number): Condition {
  const prediction = goodputThrottled(k, cost);
  return {
    what: `K = ${k}, r = ${cost}, offered ${load} C`,
    prediction,
    band: within(prediction, TOLERANCE),
    load: loadOf(counted(k, WINDOW), load, cost),
  };
}

function loadOf(spec: VirtualLoad["policy"], load: number, cost: number): VirtualLoad {
  return {
    policy: spec,
    users: USERS,
    rps: load * CAPACITY,
    model: shed(CAPACITY, cost),
    warmupSeconds: 4 * WINDOW,
    durationSeconds: 4 * WINDOW,
  };
}

async function costOnTarget(lab: RealLab): Promise<readonly Finding[]> {
  const loads = ["none", ...KS.map((k) => `sre,k=${k},window=${REAL_WINDOW},maxAttempts=1`)].map((spec) => ({
    ...REAL,
    policy: spec,
    rps: REAL_RPS,
  }));
  const [collapsed, ...held] = await runReal(lab, loads);
  const measured = (trial: TrialResult | undefined): number => (trial?.rates.goodput ?? Number.NaN) / REAL_CAPACITY;
  return [
    {
      what: `goodput / nominal C, no throttle, r = ${REAL_COST}, offered ${REAL_RPS}/s`,
      prediction: 0,
      measured: measured(collapsed),
      band: [0, REAL_COLLAPSE],
      trials: 1,
    },
    ...KS.map((k, index) => {
      const prediction = goodputThrottled(k, REAL_COST);
      return {
        what: `goodput / nominal C, K = ${k}, r = ${REAL_COST}, offered ${REAL_RPS}/s`,
        prediction,
        measured: measured(held[index]),
        band: within(prediction, REAL_TOLERANCE),
        trials: 1,
      };
    }),
  ];
}
