/** V11: the governor finds a sharp capacity from below, holds the offer in its dead band, and lets go of it when it grows. */

import type { ModelSpec, VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import type { ThrottleGovernorOptions } from "../../src/governor/governor-options.ts";
import type { ScriptChange } from "../../src/plan/script.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { startTarget } from "../../src/world/real/target-process.ts";
import { sharpness } from "./closed-forms.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { governedConcurrency, governedRate } from "./governed-load.ts";
import { type GovernedStep, GovernorWatch, WINDOW_SECONDS } from "./governor-watch.ts";
import { whyInvalid } from "./real-load.ts";
import { around } from "./virtual-load.ts";

const CAPACITY = 400;
const HIGH = 0.05;
const LOW = 0.01;
/** From the least that a sharp capacity takes to the most that theory asks for, C x window / 50. */
const BURSTS = [2, 5, 10, (CAPACITY * WINDOW_SECONDS) / 50];
const BURST = 10;
const WINDOWS = 60;
const HELD_WINDOWS = 10;

const POISSON_WINDOWS = 200;
const POISSON_SETTLED = 150;

/** A target that takes six at a time. */
const SLOTS = 6;
const FIBRES: ThrottleGovernorOptions = { window: 0.25, high: 0.1, floor: 2, ceiling: 32 };
const FIBRE_WINDOWS = 200;
const MOST_CUT = 16;

const HEALED_AFTER_SECONDS = 60;
const HEALING_BURST = 2;

const BACKGROUND = 0.5;
const CEILING = 800;

/** About 197 calls per second with what HTTP costs, which is all that a rejection costs; room for C x window / 50. */
const REAL_TARGET = "shed:acceptMs=5,rejectMs=0,queue=7";
const REAL_START = 30;
const REAL_WINDOWS = 16;
const REAL_HELD = 5;
/** A window is short, and so is what spoils it. */
const REAL_REPEATS_MAX = 10;
const SATURATION = 300;

export const governor: Experiment = {
  id: "V11",
  title: "The governor finds a capacity",
  derivation: "V11",
  virtual: governModels,
  real: governTarget,
};

async function governModels(lab: VirtualLab): Promise<readonly Finding[]> {
  return [
    ...BURSTS.flatMap((burst) => sharpFindings(lab, burst)),
    climbFinding(),
    poissonFinding(lab),
    ...concurrencyFindings(),
    ...healingFindings(lab),
    ...backgroundFindings(lab),
  ];
}

function virtual(model: ModelSpec, script: readonly ScriptChange[] = []): VirtualWorldSpec {
  return { kind: "virtual", model, script };
}

function shed(burst: number, script?: readonly ScriptChange[]): VirtualWorldSpec {
  return virtual({ name: "shed", capacity: CAPACITY, burst, rejectCost: 0, latencySeconds: 0 }, script);
}

/** Nothing is random here: the runs differ by the offer with which they open. */
function sharpFindings({ seeds }: VirtualLab, burst: number): readonly Finding[] {
  const held = seeds.map((start) =>
    governedRate("constant", { world: shed(burst), governor: { start }, windows: WINDOWS, seed: 1 }).steps.slice(
      -HELD_WINDOWS,
    ),
  );
  return [
    {
      what: `share of openings after which the offer is held in (C / 0.99, C / 0.95], room for ${burst}`,
      prediction: 1,
      measured: held.filter((steps) => steps.every(({ offer }) => isInDeadBand(offer / CAPACITY))).length / held.length,
      band: [1, 1],
      trials: seeds.length,
    },
    {
      what: `goodput / C there, room for ${burst}`,
      prediction: 1,
      measured: median(held.map((steps) => goodput(steps) / CAPACITY)),
      band: around(1, 0.03),
      trials: seeds.length,
    },
  ];
}

function isInDeadBand(load: number): boolean {
  return load > 1 / (1 - LOW) && load <= 1 / (1 - HIGH);
}

/** Accepted attempts per second. */
function goodput(steps: readonly GovernedStep[], windowSeconds: number = WINDOW_SECONDS): number {
  return steps.reduce((sum, { successes }) => sum + successes, 0) / (steps.length * windowSeconds);
}

function climbFinding(): Finding {
  const { steps } = governedRate("constant", { world: shed(BURST), governor: {}, windows: WINDOWS, seed: 1 });
  const prediction = Math.ceil(Math.log2(CAPACITY));
  return {
    what: "windows in which the offer climbs from 1/s past C",
    prediction,
    measured: steps.findIndex(({ offer }) => offer > CAPACITY),
    band: [prediction, prediction],
    trials: 1,
  };
}

function poissonFinding({ seeds }: VirtualLab): Finding {
  const offers = seeds.map((seed) => {
    const load = { world: shed(BURST), governor: {}, windows: POISSON_WINDOWS, seed };
    const { steps } = governedRate("poisson", load);
    return median(steps.slice(-POISSON_SETTLED).map(({ offer }) => offer / CAPACITY));
  });
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

function concurrencyFindings(): readonly Finding[] {
  const model = { name: "fifo", workers: SLOTS, serviceSeconds: 0.01, queueMax: 0, latencySeconds: 0 } as const;
  const starts = [2, 3, 4, 5, 6];
  const watches = starts.map((start) =>
    governedConcurrency({
      world: virtual(model),
      governor: { ...FIBRES, start },
      windows: FIBRE_WINDOWS,
      seed: 1,
    }),
  );
  const settled = watches.map(({ steps }) => steps.slice(-FIBRE_WINDOWS / 2));
  return [
    {
      what: `largest number of fibres that was cut, ${SLOTS} calls at a time, openings of 2 to 6`,
      prediction: `under ${2 * (SLOTS + 1)}`,
      measured: Math.max(...watches.flatMap((watch) => watch.cuts())),
      band: [SLOTS, MOST_CUT],
      trials: starts.length,
    },
    {
      what: "goodput / capacity there",
      prediction: `${((SLOTS - 1) / SLOTS).toFixed(2)} to 1`,
      measured: median(settled.map((steps) => (goodput(steps, FIBRES.window) * model.serviceSeconds) / SLOTS)),
      band: [(SLOTS - 1) / SLOTS, 1],
      trials: starts.length,
    },
  ];
}

/** A quarter of the capacity, until the target heals. */
function healingFindings({ seeds }: VirtualLab): readonly Finding[] {
  const script = [
    { kind: "capacity", fromSeconds: 0, toSeconds: HEALED_AFTER_SECONDS, factor: 0.25 },
  ] as const satisfies readonly ScriptChange[];
  const windowsIll = HEALED_AFTER_SECONDS / WINDOW_SECONDS;
  const runs = seeds.map((start) => {
    const load = { world: shed(HEALING_BURST, script), governor: { start }, windows: 2 * WINDOWS, seed: 1 };
    const { steps } = governedRate("constant", load);
    const { offer = Number.NaN, lastBad = Number.NaN } = steps[windowsIll - 1] ?? {};
    const cleared = steps.findIndex((step, index) => index >= windowsIll && step.lastBad === undefined);
    return {
      predicted: windowsToForget(offer, lastBad),
      windows: cleared < 0 ? Number.POSITIVE_INFINITY : cleared - windowsIll + 1,
      held: steps.slice(-HELD_WINDOWS),
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
      measured:
        runs.filter(({ held }) => held.every(({ offer }) => isInDeadBand(offer / CAPACITY))).length / runs.length,
      band: [1, 1],
      trials: seeds.length,
    },
  ];
}

/** Probes from `offer` to what failed last, and the three windows there. */
function windowsToForget(offer: number, lastBad: number): number {
  return Math.ceil((lastBad - offer) / Math.max(1, 0.02 * lastBad)) + 3;
}

function backgroundFindings({ seeds }: VirtualLab): readonly Finding[] {
  const world = virtual({ name: "bernoulli", accept: 1 - BACKGROUND, latencySeconds: 0 });
  const offers = (bounds: ThrottleGovernorOptions): readonly (readonly number[])[] =>
    seeds.map((seed) => {
      const load = { world, governor: { ...bounds, ceiling: CEILING }, windows: WINDOWS, seed };
      return governedRate("constant", load).steps.map(({ offer }) => offer);
    });
  return [
    {
      what: "offer / ceiling where half of the attempts fail, low = 0.6, high = 0.7",
      prediction: 1,
      measured: median(offers({ low: 0.6, high: 0.7 }).map((run) => run.at(-1) as number)) / CEILING,
      band: [1, 1],
      trials: seeds.length,
    },
    {
      what: "largest offer where half of them fail, high = 0.7 and low = high / 5",
      prediction: "a few per second",
      measured: median(offers({ high: 0.7 }).map((run) => Math.max(...run))),
      band: [1, MOST_CUT],
      unit: "/s",
      trials: seeds.length,
    },
  ];
}

/** Windows of the governor, each a run of the program against one target that goes on. */
async function governTarget(lab: RealLab): Promise<readonly Finding[]> {
  const target = await startTarget({ spec: REAL_TARGET, pin: true, stopRequested: () => false });
  try {
    const load = new RealWindows(lab, target.url);
    const capacity = (await load.run(SATURATION, 2 * WINDOW_SECONDS)).rates.accepted;
    const clock = { seconds: 0, now: () => clock.seconds };
    const watch = new GovernorWatch(clock, { control: "rate", start: REAL_START, ceiling: SATURATION });
    const counts = { successes: 0, failures: 0 };
    for (let window = 0; window < REAL_WINDOWS; window += 1) {
      const { attempts } = await load.run(watch.offer.value, WINDOW_SECONDS);
      counts.successes += attempts.accepted;
      counts.failures += attempts.overloaded + attempts.failed;
      clock.seconds += WINDOW_SECONDS;
      watch.tick({ ...counts });
    }
    return realFindings(watch.steps.slice(-REAL_HELD), capacity);
  } finally {
    await target.stop();
  }
}

class RealWindows {
  readonly #lab: RealLab;
  readonly #url: string;
  #repeats = 0;

  constructor(lab: RealLab, url: string) {
    this.#lab = lab;
    this.#url = url;
  }

  /**
   * A window for which the generator does not vouch is run again: to the governor it is an empty one, which changes nothing.
   *
   * @throws Error when there are too many of them.
   */
  async run(rps: number, seconds: number): Promise<TrialResult> {
    const load = ["--url", this.#url, "--rps", rps.toFixed(3), "--duration", `${seconds}s`, "--arrival", "constant"];
    for (;;) {
      const { trials } = await this.#lab.run([...load, "--policy", "none", "--vus", "1", "--no-sentinel"]);
      const [trial] = trials;
      if (trial === undefined) throw new Error("The result has no trial");
      const why = whyInvalid(trial);
      if (why === undefined) return trial;
      this.#repeats += 1;
      if (this.#repeats <= REAL_REPEATS_MAX) continue;
      throw new Error(`Windows were invalid ${this.#repeats} times, the last one at ${rps}/s: ${why}`);
    }
  }
}

function realFindings(held: readonly GovernedStep[], capacity: number): readonly Finding[] {
  return [
    {
      what: "offer / capacity, the capacity being what is accepted of an overload",
      prediction: `${(1 / (1 - LOW)).toFixed(2)} to ${(1 / (1 - HIGH)).toFixed(2)}`,
      measured: median(held.map(({ offer }) => offer / capacity)),
      band: [0.85, 1.15],
      trials: held.length,
    },
    {
      what: "goodput / capacity there",
      prediction: 1,
      measured: goodput(held) / capacity,
      band: around(1, 0.1),
      trials: held.length,
    },
  ];
}
