/** V1: what a throttle that counts local rejects sends is K times what is accepted, whatever it is offered. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { bucketedWindow, sentCounted, sharpGoodput, wasteOf } from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { runReal } from "./real-load.ts";
import { around, counted, medianOf, policy, runEach, shed, type VirtualLoad, within } from "./virtual-load.ts";

const CAPACITY = 100;
const USERS = 50;
const OFFERED = 10 * CAPACITY;
const WINDOW = 10;
const BURST = 10;
const KS = [1.25, 1.5, 2, 3];
/** What is sent is hardly more than C, so that at times there is nothing to do. */
const LOW_K = 1.1;
/** Some clients come to send all that they are offered, so that their shares cannot grow any more. */
const HIGH_K = 4;

export const kSweep: Experiment = {
  id: "V1",
  title: "K sets how much is sent",
  derivation: "V1",
  virtual: sweepModel,
  real: sweepTarget,
};

/**
 * The capacity of a real target is not known but from what it accepts, so sent / accepted stands for sent / C. Its own time, in which
 * an attempt is a request and not yet an accept, takes some percent off.
 */
const REAL = { users: 10, rps: 800, window: 5, warmupSeconds: 20, durationSeconds: 10, ks: [1.25, 1.5, 2, 3] };
const REAL_TARGET = "shed:acceptMs=10,rejectMs=0.5,queue=10";

function load(policySpec: PolicySpec): VirtualLoad {
  return {
    policy: policySpec,
    users: USERS,
    rps: OFFERED,
    model: shed(CAPACITY),
    warmupSeconds: 6 * WINDOW,
    durationSeconds: 10 * WINDOW,
  };
}

async function sweepModel(lab: VirtualLab): Promise<readonly Finding[]> {
  const ks = [...KS, HIGH_K, LOW_K].map((k) => load(counted(k, WINDOW)));
  const runs = await runEach(lab, [...ks, load(policy("sre", { k: 2, window: WINDOW }))]);
  const [high = [], low = [], retrying = []] = runs.slice(KS.length);
  return [
    ...KS.flatMap((k, index) => sweepFindings(k, runs[index] ?? [])),
    sentFinding(`K = ${HIGH_K}`, HIGH_K, high),
    sentFinding("K = 2, three attempts, budget of a tenth", 2, retrying),
    lowFinding(low),
  ];
}

function sweepFindings(k: number, trials: readonly TrialResult[]): readonly Finding[] {
  const accepted = medianOf(trials, ({ rates }) => rates.accepted) / CAPACITY;
  const sent = finiteSent(k, accepted);
  const waste = wasteOf(sent, accepted);
  return [
    sentFinding(`K = ${k}`, k, trials),
    {
      what: `sent / C, K = ${k}, by the form for a finite window`,
      prediction: sent,
      measured: medianOf(trials, sentRatio),
      band: within(sent, 0.015),
      trials: trials.length,
    },
    {
      what: `waste, K = ${k}, by the same`,
      prediction: waste,
      measured: medianOf(trials, (trial) => trial.waste),
      band: around(waste, 0.02),
      trials: trials.length,
    },
  ];
}

function sentFinding(what: string, k: number, trials: readonly TrialResult[]): Finding {
  return {
    what: `sent / C, ${what}`,
    prediction: k,
    measured: medianOf(trials, sentRatio),
    band: within(k, 0.05),
    trials: trials.length,
  };
}

function lowFinding(trials: readonly TrialResult[]): Finding {
  const goodput = sharpGoodput(LOW_K, USERS / WINDOW / CAPACITY, BURST);
  return {
    what: `goodput / C, K = ${LOW_K}`,
    prediction: goodput,
    measured: medianOf(trials, ({ rates }) => rates.accepted / CAPACITY),
    band: around(goodput, 0.01),
    trials: trials.length,
  };
}

function sentRatio({ rates }: TrialResult): number {
  return rates.sent / CAPACITY;
}

/** In units of the capacity. */
function finiteSent(k: number, accepted: number): number {
  const share = (accepted * CAPACITY) / USERS;
  const client = { offered: OFFERED / USERS, accepted: share, k, window: bucketedWindow(WINDOW) };
  return (USERS * sentCounted(client)) / CAPACITY;
}

async function sweepTarget(lab: RealLab): Promise<readonly Finding[]> {
  const { ks, window, ...load } = REAL;
  const loads = ks.map((k) => ({ ...load, target: REAL_TARGET, policy: `sre,k=${k},window=${window},maxAttempts=1` }));
  const trials = await runReal(lab, loads);
  return trials.map((trial, index) => {
    const k = ks[index] as number;
    const { accepted, sent } = trial.rates;
    const client = {
      offered: load.rps / load.users,
      accepted: accepted / load.users,
      k,
      window: bucketedWindow(window),
    };
    const prediction = sentCounted(client) / client.accepted;
    return {
      what: `sent / accepted, K = ${k}`,
      prediction,
      measured: sent / accepted,
      band: within(prediction, 0.1),
      trials: 1,
    };
  });
}
