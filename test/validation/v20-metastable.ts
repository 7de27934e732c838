/** V20: a metastable failure on the built-in target as it is by default, and the same arrivals with what cures it. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import { formatTrigger, type Trigger } from "../../src/experiment/recovery-trigger.ts";
import { parseResult } from "../../src/result/read-result.ts";
import type { ArmRecovery } from "../../src/result/recovery-schema.ts";
import { bucketedWindow } from "./closed-forms.ts";
import { stormLoadOf } from "./closed-forms-metastable.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { fluidRetry, fluidSreBudget, fluidThrottle } from "./fluid-policies.ts";
import type { FluidPolicy } from "./fluid-storm.ts";
import { whyInvalid } from "./real-load.ts";
import { type RecoveryLoad, recoveredSeconds, recoveries } from "./recovery-load.ts";
import { capacityOf, fluidStormSeconds, type StormServer } from "./storm-load.ts";
import { around, policy } from "./virtual-load.ts";

/** The built-in target of `recovery`, 200 calls/s: one worker, and room for 500 that wait. */
const TARGET: StormServer = { workers: 1, serviceSeconds: 0.005, timeoutSeconds: 0.2 };
const QUEUE_MAX = 500;
const ATTEMPTS = 3;
/** Three attempts of it are 1.2 times the capacity. */
const OFFERED = 80;
/** And of this 0.9 times. */
const CALM = 60;
/** Sixteen calls a second and client: enough of them in a window for its counts to be those of a fluid. */
const USERS = 5;
const TRIGGER: Trigger = { kind: "slowdown", factor: 0.05, seconds: 3 };
const WINDOW = 10;
const SETTLE_SECONDS = 10;
const HORIZON_SECONDS = 60;
/** A throttle whose window is full of the trigger takes about one more to open. */
const WITHIN_SECONDS = 2 * WINDOW;
const BUDGET_RATIO = 0.1;

interface Cure {
  readonly name: string;
  readonly policy: PolicySpec;
  readonly fluid: () => FluidPolicy;
  readonly offered: number;
}

const RETRIES: Cure = {
  name: "plain retries",
  policy: policy("retry", { maxAttempts: ATTEMPTS }),
  fluid: () => fluidRetry(),
  offered: OFFERED,
};

const CURES: readonly Cure[] = [
  RETRIES,
  { ...RETRIES, name: "the same at 60/s", offered: CALM },
  {
    ...RETRIES,
    name: "a budget of a tenth",
    policy: policy("sre-budget", { maxAttempts: ATTEMPTS, window: WINDOW }),
    fluid: () => fluidSreBudget(BUDGET_RATIO, bucketedWindow(WINDOW)),
  },
  {
    ...RETRIES,
    name: "budget and throttle",
    policy: policy("sre", { maxAttempts: ATTEMPTS, window: WINDOW }),
    fluid: () => fluidThrottle(2, bucketedWindow(WINDOW), fluidSreBudget(BUDGET_RATIO, bucketedWindow(WINDOW))),
  },
];

/** On the real target three seeds of 48 s for each arm. */
const REAL = { repeats: 3, horizonSeconds: 30 };

export const metastable: Experiment = {
  id: "V20",
  title: "A metastable failure, and what cures it",
  derivation: "V20",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const found = await recoveries(lab, CURES.map(loadOf));
    const seconds = CURES.map(fluidSeconds);
    return CURES.flatMap((cure, index) => findingsOf(cure, seconds[index] as number, found[index] as ArmRecovery));
  },
  real: builtInTarget,
};

function loadOf({ policy: spec, offered }: Cure): RecoveryLoad {
  const { workers, serviceSeconds, timeoutSeconds } = TARGET;
  return {
    policy: spec,
    users: USERS,
    rps: offered,
    model: { name: "fifo", workers, serviceSeconds, queueMax: QUEUE_MAX, latencySeconds: 0 },
    timeoutSeconds,
    warmupSeconds: 0,
    age: { seconds: 2 * WINDOW, latencySeconds: 0 },
    settleSeconds: SETTLE_SECONDS,
    trigger: TRIGGER,
    horizonSeconds: HORIZON_SECONDS,
    withinSeconds: WITHIN_SECONDS,
  };
}

function fluidSeconds({ policy: spec, fluid, offered }: Cure): number {
  const storm = {
    ...TARGET,
    factor: TRIGGER.kind === "slowdown" ? TRIGGER.factor : 1,
    slowSeconds: TRIGGER.seconds,
    policy: spec,
    users: USERS,
    offered,
    warmupSeconds: 2 * WINDOW + SETTLE_SECONDS,
    horizonSeconds: HORIZON_SECONDS,
  };
  return fluidStormSeconds(storm, ATTEMPTS, fluid());
}

/** The queue of the fluid has no bound; at these loads that of the target hardly reaches its own. */
function findingsOf({ name, offered }: Cure, seconds: number, arm: ArmRecovery): readonly Finding[] {
  const isStuck = seconds === Number.POSITIVE_INFINITY;
  const load = (stormLoadOf({ offered, attempts: ATTEMPTS }) / capacityOf(TARGET)).toFixed(2);
  return [
    {
      what: `${name}${name.includes("retries") || name.includes("60") ? ` (lambda N = ${load} C)` : ""}: stuck after ${HORIZON_SECONDS} s`,
      prediction: isStuck ? 1 : 0,
      measured: arm.stuck.share,
      band: isStuck ? [0.9, 1] : [0, 0],
      trials: arm.trials,
    },
    ...(isStuck
      ? []
      : [
          {
            what: `${name}: 95 % ok after`,
            prediction: seconds,
            measured: recoveredSeconds(arm),
            band: around(seconds, Math.max(1, 0.1 * seconds)),
            unit: "s",
            trials: arm.trials,
          },
        ]),
    verdictFinding(name, arm, isStuck ? "metastable" : seconds > WITHIN_SECONDS ? "vulnerable" : "stable"),
  ];
}

function verdictFinding(name: string, { verdict, trials }: ArmRecovery, word: ArmRecovery["verdict"]): Finding {
  return {
    what: `${name}: the program says ${verdict}`,
    prediction: word,
    measured: verdict === word ? 1 : 0,
    band: [1, 1],
    trials,
  };
}

/** By the command, as a user would. */
async function builtInTarget(lab: RealLab): Promise<readonly Finding[]> {
  const { repeats, horizonSeconds } = REAL;
  const { serviceSeconds, timeoutSeconds } = TARGET;
  const document = await lab.command("recovery", [
    ...["--target", `fifo:acceptMs=${1000 * serviceSeconds},fifoQueue=${QUEUE_MAX}`, "--timeout", `${timeoutSeconds}s`],
    ...["--rps", `${OFFERED}`, "--vus", `${USERS}`, "--trigger", formatTrigger(TRIGGER)],
    ...["--arm", `retries:policy=retry,maxAttempts=${ATTEMPTS}`],
    ...["--arm", `budget:policy=sre-budget,window=${WINDOW},maxAttempts=${ATTEMPTS}`],
    ...["--arm", `throttle:policy=sre,window=${WINDOW},maxAttempts=${ATTEMPTS}`],
    ...["--horizon", `${horizonSeconds}s`, "--repeats", `${repeats}`, "--within", `${WITHIN_SECONDS}s`],
  ]);
  const { recovery, trials } = parseResult(JSON.stringify(document), "stdout");
  const why = trials.map(whyInvalid).find((reason) => reason !== undefined);
  if (why !== undefined) throw new Error(`A trial is invalid: ${why}`);
  const words: readonly ArmRecovery["verdict"][] = ["metastable", "stable", "stable"];
  const arms = recovery?.arms ?? [];
  if (arms.length !== words.length) throw new Error("An arm is missing");
  return arms.flatMap((arm, index): readonly Finding[] => {
    const word = words[index] as ArmRecovery["verdict"];
    return [
      verdictFinding(arm.arm, arm, word),
      {
        what: `${arm.arm}: stuck after ${horizonSeconds} s`,
        prediction: word === "metastable" ? 1 : 0,
        measured: arm.stuck.share,
        band: word === "metastable" ? [0.6, 1] : [0, 0],
        trials: arm.trials,
      },
    ];
  });
}
