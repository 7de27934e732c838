/** V12: limiters that go by time take a fast rejection for a fast backend; against a queue it is those that go by loss that are blind. */

import type {
  BernoulliModelSpec,
  FifoModelSpec,
  ModelSpec,
  TrialSpec,
  VirtualWorldSpec,
} from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import type { Experiment, Finding, VirtualLab } from "./experiment.ts";
import { aimdLimit, limitedRate, vegasLimit } from "./limiter-forms.ts";
import { around, medianOf, policy, virtualTrial, within } from "./virtual-load.ts";

/** The presets' own bounds. */
const AIMD_LEAST = 20;
const AIMD_MOST = 200;
const GRADIENT2_MOST = 200;

const CAPACITY = 400;
const LATENCY_SECONDS = 0.1;
/** Calls under way at which the backend is just busy: C x L. */
const FULL = CAPACITY * LATENCY_SECONDS;
const OFFERED = 10 * CAPACITY;
/** Share by which round trips differ from their mean. */
const JITTER = 0.1;

const QUEUE: FifoModelSpec = { name: "fifo", workers: 4, serviceSeconds: 0.04, latencySeconds: 0.05 };
const QUEUE_CAPACITY = QUEUE.workers / 0.04;
const NO_LOAD_SECONDS = 0.04 + 0.05;

const LIMITERS = ["aimd", "vegas", "gradient2"] as const;
type Limiter = (typeof LIMITERS)[number];

export const fastRejects: Experiment = {
  id: "V12",
  title: "What limiters take a fast rejection for",
  derivation: "V12",
  async virtual(lab) {
    return [...(await outageFindings(lab)), ...(await overloadFindings(lab)), ...(await queueFindings(lab))];
  },
};

interface Scene {
  readonly limiter: Limiter;
  readonly world: Omit<VirtualWorldSpec, "kind">;
  readonly rps: number;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  readonly timeoutSeconds?: number;
}

/** One client makes all calls: a limit is of what one client has under way. */
async function runScenes(lab: VirtualLab, scenes: readonly Scene[]): Promise<readonly (readonly TrialResult[])[]> {
  const { seeds } = lab;
  const trials = await lab.run(scenes.flatMap((scene) => seeds.map((seed) => sceneTrial(scene, seed))));
  return scenes.map((_, index) => trials.slice(index * seeds.length, (index + 1) * seeds.length));
}

function sceneTrial({ limiter, world, ...load }: Scene, seed: number): TrialSpec {
  const trial = virtualTrial(
    { timeoutSeconds: 10, ...load, users: 1, policy: policy(limiter), model: world.model },
    seed,
  );
  return { ...trial, drainSeconds: 20, world: { kind: "virtual", ...world } };
}

/** Everything is rejected, after L. */
async function outageFindings(lab: VirtualLab): Promise<readonly Finding[]> {
  const model: BernoulliModelSpec = { name: "bernoulli", accept: 0, latencySeconds: LATENCY_SECONDS };
  const runs = await runScenes(
    lab,
    LIMITERS.map((limiter) => busy(limiter, model)),
  );
  const limits = { aimd: AIMD_LEAST, vegas: 1, gradient2: GRADIENT2_MOST };
  return LIMITERS.map((limiter, index) => {
    const prediction = limitedRate(limits[limiter], OFFERED, LATENCY_SECONDS);
    const trials = runs[index] ?? [];
    return {
      what: `sent where everything is rejected at once, ${limiter}: a limit of ${limits[limiter]}`,
      prediction,
      measured: medianOf(trials, ({ rates }) => rates.sent),
      band: within(prediction, 0.02),
      unit: "/s",
      trials: trials.length,
    };
  });
}

function busy(limiter: Limiter, model: ModelSpec, jitter = 0): Scene {
  const network = {
    law: "uniform",
    fromSeconds: LATENCY_SECONDS * (1 - jitter),
    toSeconds: LATENCY_SECONDS * (1 + jitter),
  } as const;
  const world = jitter === 0 ? { model } : { model, network };
  return { limiter, world, rps: OFFERED, warmupSeconds: 5, durationSeconds: 10 };
}

/** Ten times the capacity; rejections and accepts take the same time. */
async function overloadFindings(lab: VirtualLab): Promise<readonly Finding[]> {
  const scenes = [
    ...LIMITERS.map((limiter) => busy(limiter, shed(FULL, LATENCY_SECONDS))),
    busy("vegas", shed(FULL, 0), JITTER),
    busy("aimd", shed(FULL / 4, LATENCY_SECONDS)),
  ];
  const runs = await runScenes(lab, scenes);
  const [aimd = [], vegas = [], gradient2 = [], jittered = [], bursty = []] = runs;
  const least = limitedRate(AIMD_LEAST, OFFERED, LATENCY_SECONDS) / CAPACITY;
  return [
    sentFinding("aimd", aimdLimit(FULL, 0.9), aimd, 0.05),
    sentFinding("vegas", vegasLimit(FULL, 0), vegas, 0.05),
    sentFinding("gradient2, its greatest limit", GRADIENT2_MOST, gradient2, 0.02),
    sentFinding("vegas, round trips that vary by a tenth", vegasLimit(FULL, JITTER), jittered, 0.05),
    {
      what: "sent / C, aimd, room for a quarter of what a round trip brings",
      prediction: `${least.toFixed(2)}, its least limit, to 1`,
      measured: medianOf(bursty, sentRatio),
      band: [least * 0.98, 1],
      trials: bursty.length,
    },
  ];
}

function shed(burst: number, latencySeconds: number): ModelSpec {
  return { name: "shed", capacity: CAPACITY, burst, rejectCost: 0, latencySeconds };
}

function sentFinding(what: string, limit: number, trials: readonly TrialResult[], share: number): Finding {
  const prediction = limitedRate(limit, OFFERED, LATENCY_SECONDS) / CAPACITY;
  return {
    what: `sent / C at ten times the capacity, ${what}`,
    prediction,
    measured: medianOf(trials, sentRatio),
    band: within(prediction, share),
    trials: trials.length,
  };
}

function sentRatio({ rates }: TrialResult): number {
  return rates.sent / CAPACITY;
}

/** A queue without bound at twice its capacity: patient clients, then clients that wait for a second. */
async function queueFindings(lab: VirtualLab): Promise<readonly Finding[]> {
  const scene = (limiter: Limiter, timeoutSeconds: number): Scene => ({
    limiter,
    world: { model: QUEUE },
    rps: 2 * QUEUE_CAPACITY,
    warmupSeconds: 20,
    durationSeconds: 60,
    timeoutSeconds,
  });
  const runs = await runScenes(lab, [
    ...LIMITERS.map((limiter) => scene(limiter, 10)),
    ...LIMITERS.map((limiter) => scene(limiter, 1)),
  ]);
  const [aimd = [], vegas = [], gradient2 = [], ...impatient] = runs;
  const most = AIMD_MOST / QUEUE_CAPACITY;
  const [least, greatest] = [3, 6].map((queued) => NO_LOAD_SECONDS + queued / QUEUE_CAPACITY) as [number, number];
  return [
    responseFinding("aimd", most, within(most, 0.03), aimd),
    responseFinding("vegas", `${least.toFixed(2)} to ${greatest.toFixed(2)}`, [least, greatest], vegas),
    responseFinding("gradient2", "between the two", [greatest, most / 2], gradient2),
    ...LIMITERS.map((limiter, index) => impatientFinding(limiter, impatient[index] ?? [])),
  ];
}

function responseFinding(
  limiter: Limiter,
  prediction: number | string,
  band: Finding["band"],
  trials: readonly TrialResult[],
): Finding {
  return {
    what: `median response time in front of a queue, ${limiter}`,
    prediction,
    measured: medianOf(trials, ({ latency }) => (latency.response.ok?.p50Ms ?? Number.NaN) / 1000),
    band,
    unit: "s",
    trials: trials.length,
  };
}

function impatientFinding(limiter: Limiter, trials: readonly TrialResult[]): Finding {
  const blind = limiter === "aimd";
  return {
    what: `goodput / C in front of a queue, time-out 1 s, ${limiter}`,
    prediction: blind ? "well below 1" : "near 1",
    measured: medianOf(trials, ({ rates }) => rates.goodput / QUEUE_CAPACITY),
    band: blind ? [0, 0.75] : around(1, 0.1),
    trials: trials.length,
  };
}
