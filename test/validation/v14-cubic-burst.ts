/** V14: a client whose rate follows CUBIC cuts it with every throttled answer, so that one burst of them leaves nothing of it. */

import type { VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { stream } from "../../src/plan/streams.ts";
import { ComposedPolicy } from "../../src/policy/composed-policy.ts";
import { CubicPacer, cubicPacerOptions } from "../../src/policy/limiter/cubic-pacer.ts";
import type { Pacer } from "../../src/policy/parts.ts";
import type { AttemptVerdict, PolicyCall } from "../../src/policy/policy.ts";
import { median } from "../../src/stats/median.ts";
import type { Experiment, Finding } from "./experiment.ts";
import { within } from "./virtual-load.ts";
import { runLoop } from "./virtual-loop.ts";

const BETA = cubicPacerOptions.beta.default;
const STEEPNESS = cubicPacerOptions.scaleConstant.default;
const LEAST_RATE = cubicPacerOptions.minRate.default;

/** Throttled answers of one round trip. */
const BURST = 20;
const RATES = [50, 100, 200];
const RATE = 100;
const BURST_SECONDS = 20;
const DURATION_SECONDS = 29;

export const cubicBurst: Experiment = {
  id: "V14",
  title: "A burst of 429s and CUBIC",
  derivation: "V14",
  async virtual({ seeds }) {
    const bursts = RATES.map((rate) => seeds.map((seed) => notices(rate, BURST, seed)));
    const singles = seeds.map((seed) => notices(RATE, 1, seed));
    const cuts = RATES.map((rate, index) => cutFinding(rate, bursts[index] ?? []));
    return [...cuts, ...memoryFindings(singles, bursts[RATES.indexOf(RATE)] ?? [])];
  },
};

type Run = readonly Notice[];

/** What the pacer was told and what it made of it. */
interface Notice {
  readonly atSeconds: number;
  readonly throttled: boolean;
  /** Calls per second, after it. */
  readonly fillRate: number;
}

/** The rate of `aws-adaptive`, overheard. */
class OverheardPacer implements Pacer {
  readonly notices: Notice[] = [];
  readonly #pacer: CubicPacer;

  constructor(startSeconds: number) {
    this.#pacer = new CubicPacer(startSeconds);
  }

  acquire(nowSeconds: number): number {
    return this.#pacer.acquire(nowSeconds);
  }

  settle(call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void {
    this.#pacer.settle(call, verdict, nowSeconds);
    const { fillRate } = this.#pacer;
    this.notices.push({ atSeconds: nowSeconds, throttled: verdict === "overloaded", fillRate });
  }
}

/**
 * Evenly spaced calls of one client at a backend that takes them all, but for the time in which `burst` of them arrive, which
 * is one round trip. The runs differ by how these lie to the pacer's half seconds.
 */
function notices(rate: number, burst: number, seed: number): Run {
  const roundTripSeconds = BURST / rate;
  // Half a gap off, so that no arrival lies on an edge.
  const fromSeconds = BURST_SECONDS + (seed + 0.5) / rate;
  const world: VirtualWorldSpec = {
    kind: "virtual",
    model: { name: "shed", capacity: 1e6, burst: 1e6, rejectCost: 0, latencySeconds: roundTripSeconds },
    script: [{ kind: "capacity", fromSeconds, toSeconds: fromSeconds + burst / rate, factor: 0 }],
  };
  const plan: PlanSpec = {
    seed,
    arrival: { law: "constant", rate: { kind: "constant", rps: rate } },
    warmupSeconds: 0,
    durationSeconds: DURATION_SECONDS,
    users: 1,
  };
  let pacer: OverheardPacer | undefined;
  runLoop({
    world,
    seed,
    durationSeconds: DURATION_SECONDS,
    build: () => ({
      arrivals: createPlan(plan).arrivals(0, 1),
      policies(_user, clock) {
        pacer = new OverheardPacer(clock.now());
        return new ComposedPolicy(clock, stream(seed, "jitter"), { pacer, maxAttempts: 1 });
      },
    }),
  });
  return pacer?.notices ?? [];
}

function cutFinding(rate: number, runs: readonly Run[]): Finding {
  const prediction = Math.ceil(Math.log(LEAST_RATE / rate) / Math.log(BETA));
  const cuts = runs.map((run) => {
    const index = run.filter(({ throttled }) => throttled).findIndex(({ fillRate }) => fillRate <= LEAST_RATE);
    return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
  });
  return {
    what: `throttled answers, of ${BURST} in one round trip, after which ${rate}/s are ${LEAST_RATE}/s`,
    prediction,
    measured: median(cuts),
    band: [prediction, prediction],
    trials: runs.length,
  };
}

/** After one throttled answer the old rate is remembered, and slowed down for; after the burst it is passed at full speed. */
function memoryFindings(singles: readonly Run[], bursts: readonly Run[]): readonly Finding[] {
  const fromPlateau = RATE;
  const fromNothing = LEAST_RATE;
  return [
    regainFinding("one throttled answer", fromPlateau, singles),
    regainFinding(`a burst of ${BURST}`, fromNothing, bursts),
    riseFinding("one throttled answer", fromPlateau, singles),
    riseFinding(`a burst of ${BURST}`, fromNothing, bursts),
  ];
}

/** @param rateBefore the rate that the last throttled answer found, wMax. */
function regainFinding(what: string, rateBefore: number, runs: readonly Run[]): Finding {
  const prediction = regainSeconds(rateBefore);
  return {
    what: `time after ${what} until the rate is ${RATE}/s again`,
    prediction,
    measured: median(runs.map((run) => secondsUntil(afterThrottled(run)))),
    band: within(prediction, 0.05),
    unit: "s",
    trials: runs.length,
  };
}

/** Over the half second around that moment, per second. */
function riseFinding(what: string, rateBefore: number, runs: readonly Run[]): Finding {
  const momentSeconds = regainSeconds(rateBefore);
  const prediction = 3 * STEEPNESS * (momentSeconds - plateauSeconds(rateBefore)) ** 2;
  const rises = runs.map((run) => {
    const after = afterThrottled(run);
    return (rateAt(after, momentSeconds + 0.25) - rateAt(after, momentSeconds - 0.25)) / 0.5;
  });
  return {
    what: `rise of the rate then, after ${what}`,
    prediction,
    measured: median(rises),
    band: [prediction * 0.9 - 0.5, prediction * 1.1 + 0.5],
    unit: "/s per s",
    trials: runs.length,
  };
}

/** k: seconds from the last throttled answer to the plateau. */
function plateauSeconds(rateBefore: number): number {
  return Math.cbrt((rateBefore * (1 - BETA)) / STEEPNESS);
}

/** Seconds from the last throttled answer until steepness x (t - k)^3 + rateBefore is the rate of old. */
function regainSeconds(rateBefore: number): number {
  return plateauSeconds(rateBefore) + Math.cbrt((RATE - rateBefore) / STEEPNESS);
}

/** What came after the last throttled answer, with times from then. */
function afterThrottled(run: Run): Run {
  const last = run.findLastIndex(({ throttled }) => throttled);
  const fromSeconds = run[last]?.atSeconds ?? 0;
  return run.slice(last + 1).map((notice) => ({ ...notice, atSeconds: notice.atSeconds - fromSeconds }));
}

function secondsUntil(after: Run): number {
  return after.find(({ fillRate }) => fillRate >= RATE)?.atSeconds ?? Number.POSITIVE_INFINITY;
}

function rateAt(after: Run, seconds: number): number {
  return after.findLast(({ atSeconds }) => atSeconds <= seconds)?.fillRate ?? Number.NaN;
}
