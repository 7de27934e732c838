/** V3: goodput over offered load where a rejection costs work: none at C / r without throttle, flat with one. */

import type { TrialResult } from "../../src/result/schema.ts";
import { bucketedWindow, goodputThrottled, goodputUnthrottled, sentCounted } from "./closed-forms.ts";
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

/**
 * C and r of the real target are what its own accounts say: a request costs something beside its work, and a processor that is
 * shared costs all of them more. What is left to test is that s = K A.
 */
const REAL = { users: 10, warmupSeconds: 10, durationSeconds: 10, target: "shed:acceptMs=5,rejectMs=1.5,queue=10" };
const REAL_WINDOW = 5;
/** Twice C / r, had the target nothing to do but its work. */
const REAL_RPS = 1333;
const REAL_TOLERANCE = 0.15;
const SET_POINT_TOLERANCE = 0.1;
/** C, had it nothing to do but its work. */
const NOMINAL_CAPACITY = 200;
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
  const policies = ["none", ...KS.map((k) => `sre,k=${k},window=${REAL_WINDOW},maxAttempts=1`)];
  const loads = policies.map((spec) => ({ ...REAL, policy: spec, rps: REAL_RPS }));
  const [collapsed, ...held] = await runReal(lab, loads);
  return [
    {
      what: `goodput / nominal C, no throttle, offered ${REAL_RPS}/s`,
      prediction: 0,
      measured: (collapsed?.rates.goodput ?? Number.NaN) / NOMINAL_CAPACITY,
      band: [0, REAL_COLLAPSE],
      trials: 1,
    },
    ...held.flatMap((trial, index) => heldFindings(KS[index] as number, trial)),
  ];
}

function heldFindings(k: number, trial: TrialResult): readonly Finding[] {
  return [setPointFinding(k, trial), plateauFinding(k, trial)];
}

/** What the plateau rests on. */
function setPointFinding(k: number, { rates }: TrialResult): Finding {
  const { users } = REAL;
  const client = {
    offered: REAL_RPS / users,
    accepted: rates.accepted / users,
    k,
    window: bucketedWindow(REAL_WINDOW),
  };
  const prediction = sentCounted(client) / client.accepted;
  return {
    what: `sent / accepted, K = ${k}, offered ${REAL_RPS}/s`,
    prediction,
    measured: rates.sent / rates.accepted,
    band: within(prediction, SET_POINT_TOLERANCE),
    trials: 1,
  };
}

function plateauFinding(k: number, trial: TrialResult): Finding {
  const { capacity, rejectCost: cost } = accountsOf(trial);
  const prediction = goodputThrottled(k, cost);
  return {
    what: `goodput / C, K = ${k}, with C = ${capacity.toFixed(0)}/s, r = ${cost.toFixed(2)}, offered ${REAL_RPS}/s`,
    prediction,
    measured: trial.rates.goodput / capacity,
    band: within(prediction, REAL_TOLERANCE),
    trials: 1,
  };
}

/** What the target says that it spent, its time beside the work shared out evenly over all requests. */
function accountsOf({ target }: TrialResult): { readonly capacity: number; readonly rejectCost: number } {
  if (target === undefined) throw new Error("The target has told nothing");
  const { accepted, rejected, cpuAcceptSeconds, cpuRejectSeconds, wallSeconds } = target;
  const { busySeconds = wallSeconds } = target;
  const beside = (busySeconds - cpuAcceptSeconds - cpuRejectSeconds) / (accepted + rejected);
  const acceptSeconds = cpuAcceptSeconds / accepted + beside;
  const rejectSeconds = cpuRejectSeconds / rejected + beside;
  return { capacity: busySeconds / wallSeconds / acceptSeconds, rejectCost: rejectSeconds / acceptSeconds };
}
