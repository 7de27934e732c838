/**
 * V9: what retry policies make of a backend that fails each attempt with the same probability (Brooker, "Fixing retries with token
 * buckets and circuit breakers", 2022), and of an outage when the same load comes from ever more clients.
 */

import type { TrialResult } from "../../src/result/schema.ts";
import {
  freeRetries,
  freeRetriesOfGrpc,
  outageRetries,
  retriesOfFinagleReserve,
  retriesOfFinagleShare,
  retriesOfGrpc,
  retriesOfQuota,
  retriesOfShare,
  retriesPerSuccess,
} from "./closed-forms.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { around, policy, runEach, type VirtualLoad } from "./virtual-load.ts";

const FAILURES = [0.1, 0.3, 0.5, 0.9, 1];
const TOLERANCE = 0.01;
/** Calls per second and client. */
const RATE = 10;
/** In each seed's trial; as nothing couples clients here, ten seeds are 100 clients. */
const USERS = 10;
/** After which the quota of the AWS SDKs, 500 tokens, is spent wherever it is going to be. */
const WARMUP_SECONDS = 300;
const MEASURED_SECONDS = 200;

interface Contender {
  readonly what: string;
  readonly policy: VirtualLoad["policy"];
  /** Retries per call. */
  retries(failure: number): number;
}

const FOUR = { maxAttempts: 4 };

const CONTENDERS: readonly Contender[] = [
  { what: "no retries", policy: policy("none"), retries: () => 0 },
  { what: "three retries", policy: policy("retry", FOUR), retries: (f) => freeRetries(f, 4) },
  {
    what: "a tenth of a token per call",
    policy: policy("brooker-token-bucket", { depositPerCall: 0.1, depositPerSuccess: 0 }),
    retries: (f) => Math.min(freeRetries(f, 4), 0.1),
  },
  {
    what: "a tenth of a token per success",
    policy: policy("brooker-token-bucket"),
    retries: (f) => Math.min(freeRetries(f, 4), retriesPerSuccess(f, 0.1)),
  },
  { what: "breaker of retries at 10 %", policy: policy("breaker-retries-only"), retries: () => 0 },
  { what: "gRPC, 10 tokens", policy: policy("grpc-retry-throttling"), retries: (f) => retriesOfGrpc(f, 4) },
  {
    what: "AWS SDKs, cost 5",
    policy: policy("aws-standard"),
    retries: (f) => Math.min(freeRetries(f, 3), retriesOfQuota(f, 5)),
  },
  {
    what: "AWS SDKs, cost 14",
    policy: policy("aws-standard", { retryCost: 14, timeoutRetryCost: 14 }),
    retries: (f) => Math.min(freeRetries(f, 3), retriesOfQuota(f, 14)),
  },
  {
    what: "Finagle, a fifth",
    policy: policy("finagle-budget", { ...FOUR, minRetriesPerSec: 0 }),
    retries: (f) => Math.min(freeRetries(f, 4), retriesOfFinagleShare(f, 0.2, RATE)),
  },
  {
    what: "Finagle, a fifth and 10/s",
    policy: policy("finagle-budget", FOUR),
    retries: (f) => Math.min(freeRetries(f, 4), retriesOfFinagleReserve(0.2, 10, RATE)),
  },
  {
    what: "SRE budget of a tenth",
    policy: policy("sre-budget"),
    retries: (f) => Math.min(freeRetries(f, 3), retriesOfShare(0.1)),
  },
];

/** It ends where the threshold is what fails: how long it counts decides. */
const UNDECIDED = { what: "breaker of retries at 10 %", failure: 0.1 };

const CROWDS = [10, 100, 1000];
const CROWD_RATE = 100;
const CROWD_SECONDS = 60;

interface FreeRetries extends Omit<Contender, "retries"> {
  readonly attemptsMax: number;
  /** What a new client may retry in an outage, by the calls it has made and makes per second. */
  allowed(calls: number, callsPerSecond: number): number;
}

const FREE: readonly FreeRetries[] = [
  {
    what: "a token per success, 5 at first",
    policy: policy("brooker-token-bucket"),
    attemptsMax: 4,
    allowed: () => 4,
  },
  {
    what: "gRPC, 10 tokens",
    policy: policy("grpc-retry-throttling"),
    attemptsMax: 4,
    allowed: (_, rate) => freeRetriesOfGrpc(rate),
  },
  { what: "AWS SDKs, 500 tokens", policy: policy("aws-standard"), attemptsMax: 3, allowed: () => 100 },
  {
    what: "SRE budget of a tenth",
    policy: policy("sre-budget"),
    attemptsMax: 3,
    // A retry passes while there are fewer than a tenth of the requests, themselves included.
    allowed: (calls) => Math.ceil(calls / 9),
  },
];

/** Failures that retries would mend, and with which the breaker lets them pass once it has seen enough calls. */
const MENDABLE = 0.05;

export const fixedFailure: Experiment = {
  id: "V9",
  title: "Retry budgets at a fixed failure rate, and among many clients",
  derivation: "V9",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    return [...(await sweep(lab)), ...(await crowds(lab))];
  },
};

async function sweep(lab: VirtualLab): Promise<readonly Finding[]> {
  const cells = CONTENDERS.flatMap((contender) => FAILURES.map((failure) => ({ contender, failure })));
  const runs = await runEach(
    lab,
    cells.map(({ contender, failure }) => ({
      ...failing(contender.policy, failure),
      users: USERS,
      rps: USERS * RATE,
      warmupSeconds: WARMUP_SECONDS,
      durationSeconds: MEASURED_SECONDS,
    })),
  );
  const loads = cells.flatMap(({ contender: { what, retries }, failure }, index) => {
    if (what === UNDECIDED.what && failure === UNDECIDED.failure) return [];
    return [loadFinding(`${what}, f = ${failure}`, 1 + retries(failure), runs[index] ?? [])];
  });
  return [...loads, successFinding(cells.map(({ failure }, index) => ({ failure, trials: runs[index] ?? [] })))];
}

async function crowds(lab: VirtualLab): Promise<readonly Finding[]> {
  const cells = FREE.flatMap((free) => CROWDS.map((users) => ({ free, users })));
  const breaker = policy("breaker-retries-only");
  const loads = [
    ...cells.map(({ free, users }) => crowd(free.policy, 1, users)),
    ...CROWDS.map((users) => crowd(breaker, MENDABLE, users)),
  ];
  const runs = await runEach(lab, loads);
  const outages = cells.map(({ free: { what, attemptsMax, allowed }, users }, index) => {
    const rate = CROWD_RATE / users;
    const retries = outageRetries(rate * CROWD_SECONDS, attemptsMax, (calls) => allowed(calls, rate));
    return loadFinding(`an outage's first minute, ${users} clients, ${what}`, 1 + retries, runs[index] ?? []);
  });
  const [few = [], , many = []] = runs.slice(cells.length);
  return [
    ...outages,
    loadFinding(
      `breaker of retries at 10 %, f = ${MENDABLE}, 10 clients, first minute`,
      1 + freeRetries(MENDABLE, 4),
      few,
    ),
    // With some six calls each, one failure is more than a tenth: the first retry is denied, and so are all others.
    loadFinding(`breaker of retries at 10 %, f = ${MENDABLE}, 1000 clients, first minute`, 1, many),
  ];
}

function failing(spec: VirtualLoad["policy"], failure: number): Pick<VirtualLoad, "policy" | "model"> {
  return { policy: spec, model: { name: "bernoulli", accept: 1 - failure, latencySeconds: 0 } };
}

function crowd(spec: VirtualLoad["policy"], failure: number, users: number): VirtualLoad {
  return { ...failing(spec, failure), users, rps: CROWD_RATE, warmupSeconds: 0, durationSeconds: CROWD_SECONDS };
}

function loadFinding(what: string, prediction: number, trials: readonly TrialResult[]): Finding {
  return {
    what: `attempts per call, ${what}`,
    prediction,
    measured: mean(trials, ({ amplification }) => amplification),
    band: around(prediction, TOLERANCE),
    trials: trials.length,
  };
}

/** What is accepted is what comes back ok. */
function successFinding(
  cells: readonly { readonly failure: number; readonly trials: readonly TrialResult[] }[],
): Finding {
  const differences = cells.map(({ failure, trials }) => {
    const ok = mean(trials, ({ calls }) => calls.ok / calls.planned);
    return Math.abs(ok - (1 - failure) * mean(trials, ({ amplification }) => amplification));
  });
  return {
    what: "calls ok less (1 - f) x attempts per call: the largest difference in all of these",
    prediction: 0,
    measured: Math.max(...differences),
    band: [0, TOLERANCE],
    trials: cells.reduce((sum, { trials }) => sum + trials.length, 0),
  };
}

/** Seeds are parts of one crowd here, so their mean is what all of them did. */
function mean(trials: readonly TrialResult[], figure: (trial: TrialResult) => number): number {
  return trials.reduce((sum, trial) => sum + figure(trial), 0) / trials.length;
}
