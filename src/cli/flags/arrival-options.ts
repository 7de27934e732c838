/** The flags that say when calls arrive and whose they are: from them follows the plan. */

import type { LatePolicy, Pacing } from "../../engine/trial-spec.ts";
import type { ArrivalLaw } from "../../plan/arrivals.ts";
import type { RateSpec, SineRateSpec, Stage } from "../../plan/load.ts";
import { parseBurst, parseSine, parseStages } from "../../plan/load-text.ts";
import { createPlan, type PlanSpec } from "../../plan/plan.ts";
import { parseReplay } from "../../plan/replay.ts";
import { stagesSeconds } from "../../plan/staged-rate.ts";
import { formatDuration, parseCount, parseDuration } from "../../plan/units.ts";
import { CliError } from "../cli-error.ts";
import type { Host } from "../host.ts";
import { readText } from "../input-file.ts";
import { type Add, named } from "./add-option.ts";
import { checkGoverned, isMultiple, multipleText, parseRps, type RpsFlag } from "./capacity-rate.ts";
import { parseComposite } from "./composite.ts";
import { latePolicy, oneOf, positiveDuration, positiveNumber, wholeNumber } from "./flag-values.ts";
import type { GovernorChoice } from "./governor-flag.ts";

export interface ArrivalFlags {
  readonly rps?: RpsFlag;
  /** Commands that find a capacity have it. */
  readonly governor?: GovernorChoice;
  readonly duration?: number;
  readonly stages?: readonly Stage[];
  readonly sine?: Omit<SineRateSpec, "kind">;
  readonly replay?: string;
  readonly replaySpeed?: number;
  readonly arrival: ArrivalLaw;
  readonly warmup: number;
  readonly vus: number;
  readonly seed: number;
  /** Default 1 for real trials, as many as processors for virtual ones. */
  readonly workers?: number;
  readonly pacing: Pacing;
  readonly late: LatePolicy;
  readonly maxInFlight: number;
  readonly drain: number;
}

const DURATION_SECONDS = 30;
/** A result has a row for each second: more than this would not fit into a file that anybody can read. */
const SECONDS_MAX = 3_600_000;
/** About twice what the built-in target can do. */
const BUILT_IN_RPS = 400;

export function addArrivalOptions(add: Add): void {
  add(
    "-r, --rps <rate>",
    "calls per second: 2000, 99.9, 120/m; or 2x-capacity, which is found first (default for the built-in target: 400)",
    parseRps,
  );
  add("-d, --duration <time>", "how long calls arrive: 30s, 2m, 1m30s (default: 30s)", positiveDuration);
  add(
    "--stages <list>",
    "instead of --rps and --duration: holds, ramps and pulses, as in 10s@500,20s@500..2000,5s@8000",
    parseStages,
  );
  add("--sine <wave>", "instead of --rps: a wave between two rates, as in 500..1500,period=60s", parseSine);
  add("--replay <file>", "instead of --rps and --arrival: a file with a time (and a caller) per line");
  add("--replay-speed <factor>", "play the file that many times faster", positiveNumber);
  add(
    "--arrival <law>",
    "poisson, constant, or bursty[,peak=5,share=0.1,burst=500ms]",
    parseArrival,
    { law: "poisson" },
    "poisson",
  );
  add("--warmup <time>", "load before the measured window, in whole seconds", warmup, 0, "0s");
  add("-u, --vus <count>", "virtual users, each a client of its own", parseCount, 100, "100");
  add("--seed <number>", "seed of all random streams", wholeNumber, 1, "1");
  add(
    "-w, --workers <count>",
    "threads that share the users (default: 1); with --sim trials at a time (default: as many as processors)",
    parseCount,
  );
  add("--pacing <mode>", "precise (sleep, then spin) or timer", oneOf(["precise", "timer"]), "precise", "precise");
  add(
    "--late <what>",
    "calls the generator comes to over 10 ms late: send and count, or drop those over drop:50ms",
    latePolicy,
    { kind: "send" },
    "send",
  );
  add(
    "--max-in-flight <count>",
    "bound on calls under way; more are dropped, and the run is invalid",
    parseCount,
    10_000,
    "10000",
  );
  add("--drain <time>", "how long to wait for calls under way at the end", parseDuration, 10, "10s");
}

/** The law of `--arrival`. @throws RangeError */
export function parseArrival(text: string): ArrivalLaw {
  const { name, options } = parseComposite(text);
  if (name === "bursty") return { law: "bursty", ...parseBurst(options) };
  const [unknown] = Object.keys(options);
  if (name !== "constant" && name !== "poisson") {
    throw new RangeError(`must be one of poisson, constant, bursty: current value is "${text}"`);
  }
  if (unknown !== undefined) throw new RangeError(`must not give ${name} an option '${unknown}': it has none`);
  return { law: name };
}

function warmup(text: string): number {
  const seconds = parseDuration(text);
  if (Number.isInteger(seconds)) return seconds;
  throw new RangeError(`must be a whole number of seconds: current value is "${text}"`);
}

/** Rules that concern more than one of these flags. @param elsewhere the flag that names the target, if one does. @throws CliError */
export function checkArrivals(flags: ArrivalFlags, elsewhere: string | undefined): void {
  const rates = [
    ["--rps", flags.rps],
    ["--stages", flags.stages],
    ["--sine", flags.sine],
    ["--replay", flags.replay],
  ] as const;
  const given = rates.filter(([, value]) => value !== undefined).map(([flag]) => flag);
  if (given.length > 1)
    throw new CliError(`${given[0]} and ${given[1]} exclude each other: both say when calls arrive`);
  checkGoverned(flags, flags.rps === undefined ? [] : [flags.rps]);
  if (given.length === 0 && flags.governor === undefined && elsewhere !== undefined) {
    throw new CliError(`--rps is required with ${elsewhere}, such as --rps 2000 (or --stages, --sine, --replay)`);
  }
  if (flags.stages !== undefined && flags.duration !== undefined) {
    throw new CliError("--stages and --duration exclude each other: the stages say how long they are");
  }
  if (flags.replay !== undefined && flags.arrival.law !== "poisson") {
    throw new CliError("--replay and --arrival exclude each other: the file says when calls arrive");
  }
  if (flags.replay === undefined && flags.replaySpeed !== undefined) {
    throw new CliError("--replay-speed is for --replay: there is none");
  }
}

/** That the users and the bound on calls under way can be shared out over the threads of a real trial. @throws CliError */
export function checkWorkers({ workers = 1, vus, maxInFlight }: ArrivalFlags): void {
  if (workers > vus) {
    throw new CliError(`--workers must be at most the virtual users (${vus}): current value is "${workers}"`);
  }
  if (workers > maxInFlight) {
    throw new CliError(`--workers must be at most --max-in-flight (${maxInFlight}): current value is "${workers}"`);
  }
}

/** The plan of the flags. @throws CliError */
export async function resolvePlan(host: Host, flags: ArrivalFlags): Promise<PlanSpec> {
  const plan = flags.replay === undefined ? ratedPlan(flags) : await replayPlan(host, flags, flags.replay);
  named("The load is out of range:", () => createPlan(plan));
  const seconds = plan.warmupSeconds + plan.durationSeconds;
  if (seconds > SECONDS_MAX) {
    throw new CliError(
      `The load must last at most ${formatDuration(SECONDS_MAX)}, its warm-up included: it lasts ${formatDuration(seconds)}`,
    );
  }
  return plan;
}

function ratedPlan(flags: ArrivalFlags): PlanSpec {
  const { seed, warmup: warmupSeconds, vus: users } = flags;
  const rate = rateOf(flags);
  const durationSeconds = rate.kind === "stages" ? stagesSeconds(rate.stages) : (flags.duration ?? DURATION_SECONDS);
  return { seed, arrival: { ...flags.arrival, rate }, warmupSeconds, durationSeconds, users };
}

function rateOf({ rps, stages, sine }: ArrivalFlags): RateSpec {
  if (stages !== undefined) return { kind: "stages", stages };
  if (sine !== undefined) return { kind: "sine", ...sine };
  // Bug: whoever plans has put the figure in its place.
  if (isMultiple(rps)) throw new Error(`Cannot plan a load of ${multipleText(rps)} as the capacity is not known yet`);
  return { kind: "constant", rps: rps ?? BUILT_IN_RPS };
}

async function replayPlan(host: Host, flags: ArrivalFlags, file: string): Promise<PlanSpec> {
  const text = await readText(host, "--replay", file);
  const recording = named(`--replay ${file}:`, () => parseReplay(text, { speed: flags.replaySpeed ?? 1 }));
  const arrival = { law: "replay", ...recording } as const;
  const { seed, warmup: warmupSeconds, vus: users } = flags;
  const last = arrival.timesSeconds.at(-1) ?? 0;
  // Half open, as all plans are: it ends a mean gap after the last arrival, which so is inside.
  const count = arrival.timesSeconds.length;
  const lengthSeconds = last > 0 ? (last * count) / (count - 1) : 1;
  const durationSeconds = flags.duration ?? lengthSeconds - warmupSeconds;
  if (durationSeconds <= 0) {
    throw new CliError(`--warmup must be shorter than the file of --replay: it lasts ${last} s`);
  }
  return { seed, arrival, warmupSeconds, durationSeconds, users };
}

/** For the record: the file of a replay, whose arrivals are not repeated there. */
export function describeReplay(flags: ArrivalFlags): Record<string, unknown> {
  return flags.replay === undefined ? {} : { replayFile: flags.replay, replaySpeed: flags.replaySpeed ?? 1 };
}
