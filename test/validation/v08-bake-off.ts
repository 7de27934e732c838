/** V8: which policies get a backend out of a retry storm, and how soon. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import type { ArmRecovery } from "../../src/result/recovery-schema.ts";
import { bucketedWindow } from "./closed-forms.ts";
import { breakerRecoverySeconds } from "./closed-forms-metastable.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { fluidBucket, fluidDepositBudget, fluidRetry, fluidSreBudget, fluidThrottle } from "./fluid-policies.ts";
import type { FluidPolicy } from "./fluid-storm.ts";
import { type RecoveryLoad, recoveredSeconds, recoveries, WITHIN_SECONDS } from "./recovery-load.ts";
import { FOUR_WORKERS, fluidStormSeconds, type Storm, stormLoad } from "./storm-load.ts";
import { policy } from "./virtual-load.ts";

const NEVER = Number.POSITIVE_INFINITY;
const OFFERED = 50;
const ATTEMPTS = 4;
const TRIGGER = { factor: 0.25, slowSeconds: 3 };
const MANY = 50;
/** All policies but those with a window of two minutes, which are warmed up for two of them. */
const WARMUP_SECONDS = 20;
const HORIZON_SECONDS = 240;
const SETTLE_SECONDS = 10;

interface Contender {
  readonly name: string;
  readonly policy: PolicySpec;
  readonly clients: number;
  /** Default {@link WARMUP_SECONDS}. */
  readonly warmupSeconds?: number;
  /** T_rec by theory. */
  readonly predicted: (storm: Storm) => number;
  /** True where theory is a lower bound: clients of few calls in a window throttle by counts that chance makes unequal. */
  readonly isBound?: boolean;
}

function fluid(make: () => FluidPolicy, attempts = ATTEMPTS): Contender["predicted"] {
  return (storm) => fluidStormSeconds(storm, attempts, make());
}

function retrying(name: string, options: PolicySpec["options"] = {}): PolicySpec {
  return policy(name, { maxAttempts: ATTEMPTS, ...options });
}

function breaker(clients: number): Contender {
  const failures = 5;
  const timeout = 5;
  return {
    name: "breaker, 5 in a row, 5 s",
    policy: retrying("breaker-consecutive", { failures, timeout }),
    clients,
    predicted: () =>
      Math.ceil(
        breakerRecoverySeconds(
          { ...FOUR_WORKERS, ...TRIGGER, offered: OFFERED, attempts: ATTEMPTS },
          clients,
          failures,
          timeout,
        ),
      ),
  };
}

function finagle(name: string, clients: number, minRetriesPerSec = 10): Contender {
  const ttl = 10;
  const retries = ttl * (0.2 * OFFERED + clients * minRetriesPerSec);
  return {
    name,
    policy: retrying("finagle-budget", { minRetriesPerSec }),
    clients,
    predicted: fluid(() => fluidDepositBudget(retries, ttl)),
  };
}

/** 500 tokens for each client; nothing is given back while all fails. */
function aws(timeoutRetryCost: number, clients: number): Contender {
  return {
    name: `AWS quota, ${timeoutRetryCost} a time-out`,
    policy: retrying("aws-standard", { timeoutRetryCost }),
    clients,
    predicted: fluid(() => fluidBucket((clients * 500) / timeoutRetryCost, 1)),
  };
}

/** Four retries of each client pass from full tokens. */
function grpc(clients: number): Contender {
  return {
    name: "gRPC throttling",
    policy: retrying("grpc-retry-throttling"),
    clients,
    predicted: fluid(() => fluidBucket(4 * clients)),
  };
}

function sreBudget(window: number, clients: number): Contender {
  return {
    name: `budget of a tenth, W = ${window}`,
    policy: retrying("sre-budget", { window }),
    clients,
    warmupSeconds: Math.max(WARMUP_SECONDS, 2 * window),
    predicted: fluid(() => fluidSreBudget(0.1, bucketedWindow(window))),
  };
}

function sre(window: number, clients = 1): Contender {
  return {
    name: `throttle and budget, W = ${window}`,
    policy: retrying("sre", { window }),
    clients,
    warmupSeconds: Math.max(WARMUP_SECONDS, 2 * window),
    predicted: fluid(() => fluidThrottle(2, bucketedWindow(window), fluidSreBudget(0.1, bucketedWindow(window)))),
  };
}

function throttle(window: number, clients = 1, warmupSeconds = 2 * window): Contender {
  return {
    name: `throttle alone, W = ${window}${warmupSeconds < window ? `, ${warmupSeconds} s old` : ""}`,
    policy: retrying("sre-throttle", { window }),
    clients,
    warmupSeconds,
    predicted: fluid(() => fluidThrottle(2, bucketedWindow(window))),
  };
}

const CONTENDERS: readonly Contender[] = [
  { name: "no retries", policy: policy("none"), clients: 1, predicted: fluid(() => fluidRetry(), 1) },
  { name: "4 attempts", policy: retrying("retry"), clients: 1, predicted: fluid(() => fluidRetry()) },
  {
    name: "4 attempts, full jitter",
    policy: retrying("backoff-full"),
    clients: 1,
    predicted: fluid(() => fluidRetry(0.1)),
  },
  sreBudget(10, 1),
  sreBudget(10, MANY),
  sreBudget(120, 1),
  sreBudget(120, MANY),
  sre(10),
  { ...sre(10, MANY), isBound: true },
  sre(120),
  sre(120, MANY),
  throttle(10),
  { ...throttle(10, MANY), isBound: true },
  throttle(120, 1, WARMUP_SECONDS),
  throttle(120),
  { ...throttle(120, MANY), isBound: true },
  grpc(1),
  grpc(MANY),
  aws(10, 1),
  aws(10, MANY),
  aws(5, MANY),
  finagle("Finagle, 0.2 and 10/s", 1),
  finagle("Finagle, 0.2 and 10/s", MANY),
  finagle("Finagle, 0.2 alone", 1, 0),
  finagle("Finagle, 0.2 alone", MANY, 0),
  breaker(1),
  breaker(MANY),
];

export const bakeOff: Experiment = {
  id: "V8",
  title: "Policies in a retry storm",
  derivation: "V8",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const found = await recoveries(lab, CONTENDERS.map(loadOf));
    const judged = CONTENDERS.map((contender, index): Judged => {
      const seconds = contender.predicted(stormOf(contender));
      return { contender, seconds, recovery: found[index] as ArmRecovery };
    });
    const times = judged.map(timeFinding);
    return [...times, ...judged.filter(isFloor).map(floorFinding), verdictFinding(judged), orderFinding(times)];
  },
};

/** What theory says of a contender, and what the program concludes of it. */
interface Judged {
  readonly contender: Contender;
  readonly seconds: number;
  readonly recovery: ArmRecovery;
}

function stormOf({ policy: spec, clients, warmupSeconds = WARMUP_SECONDS }: Contender): Storm {
  return {
    ...FOUR_WORKERS,
    ...TRIGGER,
    policy: spec,
    users: clients,
    offered: OFFERED,
    warmupSeconds,
    horizonSeconds: HORIZON_SECONDS,
  };
}

/** The last seconds of the warm-up are those that are looked at before the trigger. */
function loadOf(contender: Contender): RecoveryLoad {
  const { factor, slowSeconds } = TRIGGER;
  const { warmupSeconds = WARMUP_SECONDS } = contender;
  const { script: _trigger, ...load } = stormLoad(stormOf(contender));
  return {
    ...load,
    warmupSeconds: warmupSeconds - SETTLE_SECONDS,
    settleSeconds: SETTLE_SECONDS,
    trigger: { kind: "slowdown", factor, seconds: slowSeconds },
    horizonSeconds: HORIZON_SECONDS,
  };
}

function timeFinding({ contender: { name, clients, isBound = false }, seconds, recovery }: Judged): Finding {
  const told = isBound ? `later than ${seconds} s` : seconds;
  return {
    what: `${name}, ${clients === 1 ? "1 client" : `${clients} clients`}: 95 % ok after, within ${HORIZON_SECONDS} s`,
    prediction: seconds === NEVER ? "never" : told,
    measured: recoveredSeconds(recovery),
    band: isBound ? [seconds, HORIZON_SECONDS] : timeBand(seconds),
    unit: "s",
    trials: recovery.trials,
  };
}

/** Whole seconds; the fluid has no chance, and counts of a client no fractions. */
function timeBand(prediction: number): readonly [number, number] {
  if (prediction === NEVER) return [NEVER, NEVER];
  const tolerance = Math.max(1, 0.1 * prediction);
  return [Math.max(0, prediction - tolerance), prediction + tolerance];
}

function isFloor({ contender: { name } }: Judged): boolean {
  return name.startsWith("Finagle, 0.2 and");
}

function floorFinding({ contender: { clients }, recovery: { stuck, trials } }: Judged): Finding {
  return {
    what: `Finagle's floor of 10/s a client, ${clients === 1 ? "shared by all calls" : `for each of ${clients} clients`}: stuck`,
    prediction: clients === 1 ? 0 : 1,
    measured: stuck.share,
    band: clients === 1 ? [0, 0] : [0.9, 1],
    trials,
  };
}

/** The word that the program has for each; where theory has a lower bound alone, none follows from that. */
function verdictFinding(judged: readonly Judged[]): Finding {
  const told = judged.filter(({ contender }) => contender.isBound !== true);
  const words = ["stable", "vulnerable", "metastable"].map(
    (word) => `${told.filter(({ seconds }) => wordOf(seconds) === word).length} ${word}`,
  );
  return {
    what: `verdicts of the program that are not theirs by theory, of ${words.join(", ")}`,
    prediction: 0,
    measured: told.filter(({ seconds, recovery }) => recovery.verdict !== wordOf(seconds)).length,
    band: [0, 0],
    trials: told.reduce((sum, { recovery }) => sum + recovery.trials, 0),
  };
}

function wordOf(seconds: number): ArmRecovery["verdict"] {
  if (seconds === NEVER) return "metastable";
  return seconds > WITHIN_SECONDS ? "vulnerable" : "stable";
}

/** Pairs of policies that theory puts 3 s or more apart; a lower bound, no number, is in none. */
function orderFinding(times: readonly Finding[]): Finding {
  const predicted = times.map(({ prediction }) => (prediction === "never" ? NEVER : Number(prediction)));
  let wrong = 0;
  let pairs = 0;
  for (const [i, one] of times.entries()) {
    for (const [j, other] of times.entries()) {
      if (!((predicted[j] as number) - (predicted[i] as number) >= 3)) continue;
      pairs += 1;
      if (one.measured >= other.measured) wrong += 1;
    }
  }
  return {
    what: `pairs of these policies in the wrong order, of ${pairs} that theory puts 3 s or more apart`,
    prediction: 0,
    measured: wrong,
    band: [0, 0],
    trials: times.reduce((sum, { trials }) => sum + trials, 0),
  };
}
