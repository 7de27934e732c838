/** V7: from which load on a retry storm keeps itself alive. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { recoverySeconds } from "../../src/stats/recovery-time.ts";
import {
  type Backlog,
  bankedRetries,
  budgetedLoad,
  depositLoad,
  drainSeconds,
  excessBacklog,
  medianDrainSeconds,
  stormLoadOf,
  stuckProbability,
} from "./closed-forms-metastable.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { fluidDepositBudget, fluidSreBudget } from "./fluid-policies.ts";
import type { FluidPolicy } from "./fluid-storm.ts";
import { runReal } from "./real-load.ts";
import {
  capacityOf,
  FOUR_WORKERS,
  fluidStormSeconds,
  type Storm,
  stormLoad,
  stormRecoverySeconds,
  stuckShare,
} from "./storm-load.ts";
import { around, medianOf, policy, runEach, within } from "./virtual-load.ts";

const CAPACITY = capacityOf(FOUR_WORKERS);
const ATTEMPTS = 4;
/** A service of 250 ms against a time-out of 200: from its beginning on everything times out. */
const TRIGGER = { factor: 0.1, slowSeconds: 3 };
/** In mean drains. By 4 of them the last of twenty trials has drained too, whose times vary as those of a random walk do. */
const DRAINS = 4;
/** The times of budgets vary less, as their bursts leave the queue short now and then. */
const BUDGET_DRAINS = 2;
const RETRY = policy("retry", { maxAttempts: ATTEMPTS });
const RATIO = 0.25;
const WINDOW = 10;
/** Twice: what a policy remembers is full. */
const WARMUP_SECONDS = 2 * WINDOW;
/** Of the median of twenty times whose standard deviation is about half their mean. */
const MEDIAN_TOLERANCE = 0.3;

export const metastableThreshold: Experiment = {
  id: "V7",
  title: "From where on a retry storm keeps itself alive",
  derivation: "V7",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    return [...(await fixedRetries(lab)), ...(await budgets(lab))];
  },
  real: builtInTarget,
};

function backlog(offered: number): Backlog {
  return { ...FOUR_WORKERS, ...TRIGGER, offered, attempts: ATTEMPTS };
}

function storm(spec: PolicySpec, users: number, offered: number, horizonSeconds: number): Storm {
  return { ...FOUR_WORKERS, ...TRIGGER, policy: spec, users, offered, warmupSeconds: WARMUP_SECONDS, horizonSeconds };
}

async function fixedRetries(lab: VirtualLab): Promise<readonly Finding[]> {
  const at = (share: number): number => (share * CAPACITY) / ATTEMPTS;
  const near = at(0.95);
  const horizonSeconds = DRAINS * drainSeconds(excessBacklog(backlog(near)), CAPACITY, stormLoadOf(backlog(near)));
  const storms = [0.9, 0.95, 1, 1.1].map((share) => storm(RETRY, 50, at(share), horizonSeconds));
  const untouched: Storm = { ...storm(RETRY, 50, at(1.1), horizonSeconds), factor: 1 };
  const runs = await runEach(lab, [...storms, untouched].map(stormLoad), lab.manySeeds);
  const [low, below, critical, above] = storms as [Storm, Storm, Storm, Storm];
  const [lowTrials = [], belowTrials = [], criticalTrials = [], aboveTrials = [], untouchedTrials = []] = runs;
  return [
    stuckFinding("lambda N = 0.90 C", low, lowTrials, 0),
    stuckFinding("lambda N = 0.95 C", below, belowTrials, 0),
    stuckFinding("lambda N = C", critical, criticalTrials),
    stuckFinding("lambda N = 1.10 C", above, aboveTrials, 1),
    drainFinding("lambda N = 0.90 C", low, lowTrials),
    drainFinding("lambda N = 0.95 C", below, belowTrials),
    {
      what: "lambda N = 1.10 C without a trigger: calls ok",
      prediction: 1,
      measured: medianOf(untouchedTrials, ({ calls }) => calls.ok / calls.planned),
      band: [0.999, 1],
      trials: untouchedTrials.length,
    },
  ];
}

/** @param sure on which side of the threshold it is; by default on none, and chance decides as the diffusion says. */
function stuckFinding(what: string, at: Storm, trials: readonly TrialResult[], sure?: 0 | 1): Finding {
  const form = backlog(at.offered);
  const probability = stuckProbability(at.horizonSeconds, excessBacklog(form), form, CAPACITY);
  return {
    what: `${what}: stuck ${horizonText(at)}`,
    prediction: probability,
    measured: stuckShare(at, trials),
    band:
      sure === undefined
        ? around(probability, 3 * Math.sqrt((probability * (1 - probability)) / trials.length))
        : sideBand(sure),
    trials: trials.length,
  };
}

function sideBand(side: 0 | 1): readonly [number, number] {
  return side === 0 ? [0, 0] : [0.9, 1];
}

function drainFinding(what: string, at: Storm, trials: readonly TrialResult[]): Finding {
  const form = backlog(at.offered);
  const prediction = medianDrainSeconds(excessBacklog(form), form, CAPACITY);
  return {
    what: `${what}: 95 % ok after`,
    prediction,
    measured: medianOf(trials, (trial) => stormRecoverySeconds(at, trial)),
    band: within(prediction, MEDIAN_TOLERANCE),
    unit: "s",
    trials: trials.length,
  };
}

/** Their bursts come every W: between two of them the queue may be short for a moment, which ends the storm. */
async function budgets(lab: VirtualLab): Promise<readonly Finding[]> {
  const budget = policy("sre-budget", { maxAttempts: ATTEMPTS, retryRatio: RATIO, window: WINDOW });
  const client = policy("sre", { maxAttempts: ATTEMPTS, retryRatio: RATIO, window: WINDOW });
  const offeredAt = (share: number): number => share * CAPACITY * (1 - RATIO);
  const below = offeredAt(0.95);
  const excess = excessBacklog(backlog(below), bankedRetries(below, RATIO, WINDOW));
  const horizonSeconds = BUDGET_DRAINS * drainSeconds(excess, CAPACITY, budgetedLoad(below, RATIO));
  const deposits = policy("finagle-budget", { maxAttempts: ATTEMPTS });
  const depositing = (clients: number): Case => ({
    what: depositText(clients),
    at: storm(deposits, clients, DEPOSITING, horizonSeconds),
    side: depositLoadOf(clients) > CAPACITY ? 1 : 0,
  });
  const budgeted: Case = { what: budgetText(below), at: storm(budget, 1, below, horizonSeconds), side: 0 };
  const deposited = depositing(9);
  const cases: readonly Case[] = [
    budgeted,
    { what: budgetText(offeredAt(1.1)), at: storm(budget, 1, offeredAt(1.1), horizonSeconds), side: 1 },
    { what: "the same with the throttle, K = 2", at: storm(client, 1, offeredAt(1.1), horizonSeconds), side: 0 },
    deposited,
    depositing(12),
  ];
  const loads = cases.map(({ at }) => stormLoad(at));
  const runs = await runEach(lab, loads, lab.manySeeds);
  const shares = cases.map(({ what, at, side }, index): Finding => {
    const trials = runs[index] ?? [];
    return {
      what: `${what}: stuck ${horizonText(at)}`,
      prediction: side,
      measured: stuckShare(at, trials),
      band: sideBand(side),
      trials: trials.length,
    };
  });
  const trialsOf = (one: Case): readonly TrialResult[] => runs[cases.indexOf(one)] ?? [];
  return [
    ...shares,
    troughFinding(budgeted, fluidSreBudget(RATIO, WINDOW - 0.5), trialsOf(budgeted)),
    troughFinding(deposited, fluidDeposits(deposited.at.users), trialsOf(deposited)),
  ];
}

interface Case {
  readonly what: string;
  readonly at: Storm;
  /** Below the threshold, 0, or above it. */
  readonly side: 0 | 1;
}

/** Calls per second on the deposit budget, of all clients together. */
const DEPOSITING = 50;
const DEPOSIT = { share: 0.2, minPerSecond: 10, ttlSeconds: 10 };

function depositLoadOf(clients: number): number {
  return depositLoad(DEPOSITING, ATTEMPTS, DEPOSIT.share, clients, DEPOSIT.minPerSecond);
}

function fluidDeposits(clients: number): FluidPolicy {
  const perSecond = DEPOSIT.share * DEPOSITING + clients * DEPOSIT.minPerSecond;
  return fluidDepositBudget(perSecond * DEPOSIT.ttlSeconds, DEPOSIT.ttlSeconds);
}

function budgetText(offered: number): string {
  return `budget of ${RATIO}, lambda / (1 - beta) = ${shareText(budgetedLoad(offered, RATIO))} C`;
}

function depositText(clients: number): string {
  return `budget of ${DEPOSIT.share} and ${DEPOSIT.minPerSecond}/s a client, ${clients} clients: ${shareText(depositLoadOf(clients))} C`;
}

function shareText(load: number): string {
  return (load / CAPACITY).toFixed(2);
}

/** The queue is shortest once in each window, before retries are granted anew; which of these times it is, is chance. */
function troughFinding({ what, at }: Case, fluid: FluidPolicy, trials: readonly TrialResult[]): Finding {
  const prediction = fluidStormSeconds(at, ATTEMPTS, fluid);
  return {
    what: `${what}: 95 % ok after`,
    prediction,
    measured: medianOf(trials, (trial) => stormRecoverySeconds(at, trial)),
    band: around(prediction, WINDOW),
    unit: "s",
    trials: trials.length,
  };
}

function horizonText({ horizonSeconds }: Storm): string {
  return `after ${Math.ceil(horizonSeconds)} s`;
}

/** A target of 200 calls/s, twenty times slower for 3 s. */
const REAL = { acceptMs: 5, attempts: 4, timeoutSeconds: 0.2, factor: 0.05, slowSeconds: 3 };
const REAL_WARMUP_SECONDS = 5;
/** From the end of the trigger; at half the threshold a storm drains in 2 s. */
const REAL_HORIZON_SECONDS = 30;

async function builtInTarget(lab: RealLab): Promise<readonly Finding[]> {
  const { acceptMs, attempts, timeoutSeconds, factor, slowSeconds } = REAL;
  const shares = [0.5, 1.5];
  const trials = await runReal(
    lab,
    shares.map((share) => ({
      policy: `retry,maxAttempts=${attempts}`,
      users: 50,
      rps: (share * 1000) / acceptMs / attempts,
      warmupSeconds: REAL_WARMUP_SECONDS,
      durationSeconds: slowSeconds + REAL_HORIZON_SECONDS,
      target: `fifo:acceptMs=${acceptMs}`,
      script: `0s..${slowSeconds}s:capacity=${factor}`,
      timeoutSeconds,
    })),
  );
  return shares.map((share, index): Finding => {
    const series = trials[index]?.series ?? [];
    return {
      what: `lambda N = ${share.toFixed(2)} C: 95 % ok after, within ${REAL_HORIZON_SECONDS} s`,
      prediction: share < 1 ? "some seconds" : "never",
      measured: recoverySeconds(series, REAL_WARMUP_SECONDS + slowSeconds) ?? Number.POSITIVE_INFINITY,
      band: share < 1 ? [0, REAL_HORIZON_SECONDS / 2] : [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      unit: "s",
      trials: 1,
    };
  });
}
