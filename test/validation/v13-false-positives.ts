/** V13: a client that throttles itself against a healthy backend, because it counts calls before they are answered. */

import type { TrialResult } from "../../src/result/schema.ts";
import { coldThrottled, meanOf } from "./closed-forms-metastable.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { runReal } from "./real-load.ts";
import { policy, runEach, type VirtualLoad, within } from "./virtual-load.ts";

const AT_ATTEMPT = 0;
const AT_COMPLETION = 1;
const LESS_IN_FLIGHT = 2;
const DURATION_SECONDS = 180;
/** With ten seeds 500 of them: what one throttles has a standard deviation of once to twice its mean. */
const CLIENTS = 50;
/** For figures that are 0. */
const FEW_CLIENTS = 5;
/** Three standard errors, and what the gamma law leaves out. */
const TOLERANCE = 0.2;

interface Start {
  /** Calls per second of a client. */
  readonly rate: number;
  readonly latencySeconds: number;
}

const STARTS: readonly (Start & { readonly band?: readonly [number, number]; readonly says?: string })[] = [
  { rate: 10, latencySeconds: 0.05, says: "fewer than one", band: [0, 1] },
  { rate: 10, latencySeconds: 0.2, says: "a few", band: [1, 8] },
  { rate: 10, latencySeconds: 1 },
  { rate: 10, latencySeconds: 3 },
];
/** The same in a fifth of the time as 10/s with 1 s. */
const FAST: Start & { readonly durationSeconds: number } = { rate: 50, latencySeconds: 0.2, durationSeconds: 60 };

export const falsePositives: Experiment = {
  id: "V13",
  title: "Throttled by its own calls under way",
  derivation: "V13",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const cold = [
      ...STARTS.map((start) => coldLoad(start, AT_ATTEMPT)),
      coldLoad(FAST, AT_ATTEMPT, FAST.durationSeconds),
    ];
    const others = [AT_COMPLETION, LESS_IN_FLIGHT].flatMap((countAt) =>
      STARTS.map((start) => ({ ...coldLoad(start, countAt), users: FEW_CLIENTS, rps: start.rate * FEW_CLIENTS })),
    );
    const runs = await runEach(lab, [...cold, ...others]);
    const [fast = []] = runs.slice(STARTS.length, cold.length);
    const same = runs[STARTS.findIndex(({ latencySeconds }) => latencySeconds === 1)] ?? [];
    return [
      ...STARTS.map((start, index) => coldFinding(start, runs[index] ?? [], start.says, start.band)),
      coldFinding(FAST, fast),
      {
        what: "calls throttled, 50/s with 0.2 s as a share of those at 10/s with 1 s",
        prediction: 1,
        measured: meanThrottled(fast) / meanThrottled(same),
        band: within(1, 0.1),
        trials: fast.length + same.length,
      },
      noneFinding("at completion", runs.slice(cold.length, cold.length + STARTS.length).flat()),
      noneFinding("at the attempt, less in flight", runs.slice(cold.length + STARTS.length).flat()),
    ];
  },
  real: builtInTarget,
};

/** Nothing is ever rejected. */
function coldLoad({ rate, latencySeconds }: Start, countAt: number, durationSeconds = DURATION_SECONDS): VirtualLoad {
  return {
    policy: policy("sre-throttle", { countAt }),
    users: CLIENTS,
    rps: rate * CLIENTS,
    warmupSeconds: 0,
    durationSeconds,
    timeoutSeconds: 10,
    model: { name: "bernoulli", accept: 1, latencySeconds },
  };
}

function meanThrottled(trials: readonly TrialResult[]): number {
  return meanOf(trials.map(({ calls, users }) => calls.throttled / (users?.count ?? 0)));
}

function coldFinding(
  { rate, latencySeconds }: Start,
  trials: readonly TrialResult[],
  says?: string,
  band?: readonly [number, number],
): Finding {
  const prediction = coldThrottled(rate * latencySeconds);
  return {
    what: `calls that a cold client rejects, mean of ${trials.length * CLIENTS}: ${rate}/s, ${latencySeconds} s, counted at the attempt`,
    prediction: says ?? prediction,
    measured: meanThrottled(trials),
    band: band ?? within(prediction, TOLERANCE),
    trials: trials.length,
  };
}

function noneFinding(when: string, trials: readonly TrialResult[]): Finding {
  return {
    what: `calls rejected, counted ${when}, at all latencies`,
    prediction: 0,
    measured: Math.max(...trials.map(({ calls }) => calls.throttled)),
    band: [0, 0],
    trials: trials.length,
  };
}

const REAL = { users: 40, rate: 10, latencySeconds: 1, durationSeconds: 60 };
/** 40 clients, whose figures have a standard deviation of a little more than their mean. */
const REAL_TOLERANCE = 0.6;

/** A target that answers everything after a second, whatever its load. */
async function builtInTarget(lab: RealLab): Promise<readonly Finding[]> {
  const { users, rate, latencySeconds, durationSeconds } = REAL;
  const cases = [
    { countAt: AT_ATTEMPT, when: "at the attempt", prediction: coldThrottled(rate * latencySeconds) },
    { countAt: AT_COMPLETION, when: "at completion", prediction: 0 },
  ];
  const trials = await runReal(
    lab,
    cases.map(({ countAt }) => ({
      policy: `sre-throttle,countAt=${countAt}`,
      users,
      rps: rate * users,
      warmupSeconds: 0,
      durationSeconds,
      target: `slope:baseMs=${1000 * latencySeconds},slopeMs=0`,
      timeoutSeconds: 5,
    })),
  );
  return cases.map(
    ({ when, prediction }, index): Finding => ({
      what: `calls that a cold client rejects, mean of ${users}: ${rate}/s, ${latencySeconds} s, counted ${when}`,
      prediction,
      measured: meanThrottled(trials.slice(index, index + 1)),
      band: within(prediction, REAL_TOLERANCE),
      trials: 1,
    }),
  );
}
