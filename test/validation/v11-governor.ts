/** V11: the governor finds a sharp capacity from below, holds the offer in its dead band, and lets go of it when it grows. */

import type { GovernorSpec, ModelSpec, TrialSpec, VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import type { ScriptChange } from "../../src/plan/script.ts";
import type { Governed, GovernedWindowRow } from "../../src/result/governor-schema.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { startTarget } from "../../src/world/real/target-process.ts";
import { trialSpec } from "../support/trial-spec.ts";
import { sharpness } from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { whyInvalid } from "./real-load.ts";
import { around, policy } from "./virtual-load.ts";

const CAPACITY = 400;
const HIGH = 0.05;
const LOW = 0.01;
const WINDOW_SECONDS = 2;
/** From the least that a sharp capacity takes to the most that theory asks for, C x window / 50. */
const BURSTS = [2, 5, 10, (CAPACITY * WINDOW_SECONDS) / 50];
const BURST = 10;
const WINDOWS = 60;
const HELD_WINDOWS = 10;

const POISSON_WINDOWS = 200;
const POISSON_SETTLED = 150;

/** A target that takes six at a time. */
const SLOTS = 6;
const FIBRES: Partial<GovernorSpec> = {
  control: "concurrency",
  windowSeconds: 0.25,
  high: 0.1,
  low: 0.02,
  floor: 2,
  ceiling: 32,
};
const FIBRE_WINDOWS = 200;
const MOST_CUT = 16;

const HEALED_AFTER_SECONDS = 60;
const HEALING_BURST = 2;

const BACKGROUND = 0.5;
const CEILING = 800;

/** About 197 calls per second with what HTTP costs, which is all that a rejection costs; room for C x window / 50. */
const REAL_TARGET = "shed:acceptMs=5,rejectMs=0,queue=7";
const SATURATION = 300;
const REAL_SEARCH = ["--governor", "start=30,hold=6", "--max-rps", `${SATURATION}`, "--duration", "60s"];
const REAL_PLAIN = ["--policy", "none", "--arrival", "constant", "--vus", "1", "--no-sentinel"];

export const governor: Experiment = {
  id: "V11",
  title: "The governor finds a capacity",
  derivation: "V11",
  virtual: governModels,
  real: governTarget,
};

async function governModels(lab: VirtualLab): Promise<readonly Finding[]> {
  return [
    ...(await Promise.all(BURSTS.map((burst) => sharpFindings(lab, burst)))).flat(),
    await climbFinding(lab),
    await poissonFinding(lab),
    ...(await concurrencyFindings(lab)),
    ...(await healingFindings(lab)),
    ...(await backgroundFindings(lab)),
  ];
}

/** Load on a model that the governor drives for so many windows. */
interface GovernedLoad {
  readonly world: VirtualWorldSpec;
  readonly governor: Partial<GovernorSpec>;
  readonly windows: number;
  readonly seed: number;
  /** Default constant. */
  readonly law?: "constant" | "poisson";
  /** Default none: an attempt is a call. */
  readonly policy?: TrialSpec["policy"];
}

function governedTrial({ world, governor, windows, seed, law = "constant", ...rest }: GovernedLoad): TrialSpec {
  const spec: GovernorSpec = {
    control: "rate",
    high: HIGH,
    low: LOW,
    floor: 1,
    ceiling: Number.POSITIVE_INFINITY,
    start: 1,
    windowSeconds: WINDOW_SECONDS,
    // What happens after it has settled is looked at too.
    holdWindows: windows + 1,
    holdBand: 0,
    ...governor,
  };
  return trialSpec({
    policy: rest.policy ?? policy("none"),
    governor: spec,
    plan: {
      seed,
      users: 100,
      warmupSeconds: 0,
      durationSeconds: windows * spec.windowSeconds,
      arrival: { law, rate: { kind: "constant", rps: 1 } },
    },
    world,
  });
}

/** What the governor did in each of the trials. */
async function govern(lab: VirtualLab, loads: readonly GovernedLoad[]): Promise<readonly Governed[]> {
  return (await lab.run(loads.map(governedTrial))).map(({ governor: governed }) => {
    if (governed === undefined) throw new Error("The trial has no governor");
    return governed;
  });
}

function virtual(model: ModelSpec, script: readonly ScriptChange[] = []): VirtualWorldSpec {
  return { kind: "virtual", model, script };
}

function shed(burst: number, script?: readonly ScriptChange[]): VirtualWorldSpec {
  return virtual({ name: "shed", capacity: CAPACITY, burst, rejectCost: 0, latencySeconds: 0 }, script);
}

/** Nothing is random here: the runs differ by the offer with which they open. */
async function sharpFindings(lab: VirtualLab, burst: number): Promise<readonly Finding[]> {
  const loads = lab.seeds.map((start) => ({ world: shed(burst), governor: { start }, windows: WINDOWS, seed: 1 }));
  const held = (await govern(lab, loads)).map(({ windows }) => windows.slice(-HELD_WINDOWS));
  return [
    {
      what: `share of openings after which the offer is held in (C / 0.99, C / 0.95], room for ${burst}`,
      prediction: 1,
      measured: held.filter((windows) => windows.every(isInDeadBand)).length / held.length,
      band: [1, 1],
      trials: held.length,
    },
    {
      what: `goodput / C there, room for ${burst}`,
      prediction: 1,
      measured: median(held.map((windows) => goodput(windows) / CAPACITY)),
      band: around(1, 0.03),
      trials: held.length,
    },
  ];
}

function isInDeadBand({ offer }: GovernedWindowRow): boolean {
  const load = offer / CAPACITY;
  return load > 1 / (1 - LOW) && load <= 1 / (1 - HIGH);
}

/** Accepted attempts per second. */
function goodput(windows: readonly GovernedWindowRow[]): number {
  const seconds = windows.reduce((sum, { fromSeconds, toSeconds }) => sum + toSeconds - fromSeconds, 0);
  return windows.reduce((sum, { successes }) => sum + successes, 0) / seconds;
}

async function climbFinding(lab: VirtualLab): Promise<Finding> {
  const [governed] = await govern(lab, [{ world: shed(BURST), governor: {}, windows: WINDOWS, seed: 1 }]);
  const prediction = Math.ceil(Math.log2(CAPACITY));
  return {
    what: "windows in which the offer climbs from 1/s past C",
    prediction,
    measured: governed?.windows.findIndex(({ offer }) => offer > CAPACITY) ?? -1,
    band: [prediction, prediction],
    trials: 1,
  };
}

async function poissonFinding(lab: VirtualLab): Promise<Finding> {
  const { seeds } = lab;
  const load = { world: shed(BURST), governor: {}, windows: POISSON_WINDOWS, law: "poisson" } as const;
  const governed = await govern(
    lab,
    seeds.map((seed) => ({ ...load, seed })),
  );
  const offers = governed.map(({ windows }) =>
    median(windows.slice(-POISSON_SETTLED).map(({ offer }) => offer / CAPACITY)),
  );
  const band = [loadOfFailures(LOW), loadOfFailures(HIGH)] as const;
  return {
    what: `offer / C with Poisson arrivals, room for ${BURST}`,
    prediction: `${band[0].toFixed(2)} to ${band[1].toFixed(2)}`,
    measured: median(offers),
    band,
    trials: seeds.length,
  };
}

/** The load at which a `shed` server rejects this share of Poisson arrivals. */
function loadOfFailures(share: number): number {
  let low = 0.5;
  let high = 2;
  for (let step = 0; step < 60; step += 1) {
    const rho = (low + high) / 2;
    if (1 - sharpness(rho, BURST) / rho < share) low = rho;
    else high = rho;
  }
  return low;
}

async function concurrencyFindings(lab: VirtualLab): Promise<readonly Finding[]> {
  const model = { name: "fifo", workers: SLOTS, serviceSeconds: 0.01, queueMax: 0, latencySeconds: 0 } as const;
  const starts = [2, 3, 4, 5, 6];
  const tries = policy("backoff", { base: 0.01, cap: 0.01, maxAttempts: 8 });
  const load = { world: virtual(model), windows: FIBRE_WINDOWS, policy: tries, seed: 1 };
  const governed = await govern(
    lab,
    starts.map((start) => ({ ...load, governor: { ...FIBRES, start } })),
  );
  const cuts = governed.flatMap(({ windows }) => windows.filter(({ decision }) => decision === "down"));
  const settled = governed.map(({ windows }) => windows.slice(-FIBRE_WINDOWS / 2));
  return [
    {
      what: `largest number of fibres that was cut, ${SLOTS} calls at a time, openings of 2 to 6`,
      prediction: `under ${2 * (SLOTS + 1)}`,
      measured: Math.max(...cuts.map(({ offer }) => offer)),
      band: [SLOTS, MOST_CUT],
      trials: starts.length,
    },
    {
      what: "goodput / capacity there",
      prediction: `${((SLOTS - 1) / SLOTS).toFixed(2)} to 1`,
      measured: median(settled.map((windows) => (goodput(windows) * model.serviceSeconds) / SLOTS)),
      band: [(SLOTS - 1) / SLOTS, 1],
      trials: starts.length,
    },
  ];
}

/** A quarter of the capacity, until the target heals. */
async function healingFindings(lab: VirtualLab): Promise<readonly Finding[]> {
  const { seeds } = lab;
  const script = [
    { kind: "capacity", fromSeconds: 0, toSeconds: HEALED_AFTER_SECONDS, factor: 0.25 },
  ] as const satisfies readonly ScriptChange[];
  const windowsIll = HEALED_AFTER_SECONDS / WINDOW_SECONDS;
  const load = { world: shed(HEALING_BURST, script), windows: 2 * WINDOWS, seed: 1 };
  const governed = await govern(
    lab,
    seeds.map((start) => ({ ...load, governor: { start } })),
  );
  const runs = governed.map(({ windows }) => {
    const { offer = Number.NaN, lastBad } = windows[windowsIll - 1] ?? {};
    const cleared = windows.findIndex((window, index) => index >= windowsIll && window.lastBad === null);
    return {
      predicted: windowsToForget(offer, lastBad ?? Number.NaN),
      windows: cleared < 0 ? Number.POSITIVE_INFINITY : cleared - windowsIll + 1,
      held: windows.slice(-HELD_WINDOWS),
    };
  });
  const prediction = median(runs.map(({ predicted }) => predicted));
  return [
    {
      what: "windows from the healing of a target until what failed is forgotten",
      prediction,
      measured: median(runs.map(({ windows }) => windows)),
      band: around(prediction, 1),
      trials: seeds.length,
    },
    {
      what: "share of openings after which it is held in that band of the greater capacity",
      prediction: 1,
      measured: runs.filter(({ held }) => held.every(isInDeadBand)).length / runs.length,
      band: [1, 1],
      trials: seeds.length,
    },
  ];
}

/** Probes from `offer` to what failed last, and the three windows there. */
function windowsToForget(offer: number, lastBad: number): number {
  return Math.ceil((lastBad - offer) / Math.max(1, 0.02 * lastBad)) + 3;
}

async function backgroundFindings(lab: VirtualLab): Promise<readonly Finding[]> {
  const { seeds } = lab;
  const world = virtual({ name: "bernoulli", accept: 1 - BACKGROUND, latencySeconds: 0 });
  const offers = async (bounds: Partial<GovernorSpec>): Promise<readonly (readonly number[])[]> => {
    const load = { world, governor: { ...bounds, ceiling: CEILING }, windows: WINDOWS };
    const governed = await govern(
      lab,
      seeds.map((seed) => ({ ...load, seed })),
    );
    return governed.map(({ windows }) => windows.map(({ offer }) => offer));
  };
  const above = await offers({ low: 0.6, high: 0.7 });
  const between = await offers({ high: 0.7, low: 0.7 / 5 });
  return [
    {
      what: "offer / ceiling where half of the attempts fail, low = 0.6, high = 0.7",
      prediction: 1,
      measured: median(above.map((run) => run.at(-1) as number)) / CEILING,
      band: [1, 1],
      trials: seeds.length,
    },
    {
      what: "largest offer where half of them fail, high = 0.7 and low = high / 5",
      prediction: "a few per second",
      measured: median(between.map((run) => Math.max(...run))),
      band: [1, MOST_CUT],
      unit: "/s",
      trials: seeds.length,
    },
  ];
}

/** One search by the program, and what the same target accepts of an overload. */
async function governTarget(lab: RealLab): Promise<readonly Finding[]> {
  const target = await startTarget({ spec: REAL_TARGET, pin: true, stopRequested: () => false });
  try {
    const url = ["--url", target.url, ...REAL_PLAIN];
    const flood = await lab.run([...url, "--rps", `${SATURATION}`, "--duration", `${2 * WINDOW_SECONDS}s`]);
    const search = (await lab.command("capacity", [...url, ...REAL_SEARCH])) as Result;
    const { governor: governed } = vouchedFor(search);
    if (governed === undefined) throw new Error("The search has no governor");
    return realFindings(governed, vouchedFor(flood).rates.accepted);
  } finally {
    await target.stop();
  }
}

/** @throws Error when the generator does not vouch for the trial: then it shows nothing. */
function vouchedFor({ trials: [trial] }: Result): TrialResult {
  if (trial === undefined) throw new Error("The result has no trial");
  const why = whyInvalid(trial);
  if (why !== undefined) throw new Error(`The trial is invalid: ${why}`);
  return trial;
}

function realFindings({ offer, goodput: ok, holdWindows }: Governed, capacity: number): readonly Finding[] {
  return [
    {
      what: "offer / capacity, the capacity being what is accepted of an overload",
      prediction: `${(1 / (1 - LOW)).toFixed(2)} to ${(1 / (1 - HIGH)).toFixed(2)}`,
      measured: (offer ?? Number.NaN) / capacity,
      band: [0.85, 1.15],
      trials: holdWindows,
    },
    {
      what: "goodput / capacity there",
      prediction: 1,
      measured: (ok ?? Number.NaN) / capacity,
      band: around(1, 0.1),
      trials: holdWindows,
    },
  ];
}
