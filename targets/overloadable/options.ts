import { COLD_COST_MAX, WARM_JOBS_MAX } from "../../src/plan/warmth.ts";
import { parseStrictly, UsageError } from "../program/arguments.ts";
import { parseTargetScript, WORK_MS_MAX } from "./target-script.ts";

const MODES = ["shed", "fifo", "slope", "bernoulli"] as const;

/** How the target meets load. */
export type Mode = (typeof MODES)[number];

/** Everything one can tell the target. Resolved: no field is missing. */
export interface OverloadableOptions {
  readonly mode: Mode;
  /** Address to bind to. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly acceptMs: number;
  readonly rejectMs: number;
  /** Jobs that may wait in mode `shed`, without the one in work. */
  readonly queue: number;
  /** The same in the other modes. */
  readonly fifoQueue: number;
  /** Mode `slope`: what a request takes by itself, in ms, and what each request in work adds. */
  readonly baseMs: number;
  readonly slopeMs: number;
  /** Mode `bernoulli`: the share of the requests that is accepted, and the seed of the coin. */
  readonly acceptShare: number;
  readonly seed: number;
  /** Status of a rejection. */
  readonly status: number;
  /** Seconds in the `Retry-After` header of a rejection; null sends none. */
  readonly retryAfter: number | null;
  /** The share of the queue kept for what matters more, by step of the request header `x-criticality`; 0: none. */
  readonly reserve: number;
  /** A cold target's job takes so many times as long, and so many jobs make it warm; null, both: it is always warm. */
  readonly coldCost: number | null;
  readonly warmJobs: number | null;
  /** How warm such a target is when it starts, from 0 to 1. */
  readonly warmth: number;
  /** What is to change while `POST /__script` lets it, see src/plan/script.ts; null: nothing. */
  readonly script: string | null;
  /** Whether to exit when standard input closes. */
  readonly exitWithParent: boolean;
}

export const DEFAULT_OPTIONS: OverloadableOptions = {
  mode: "shed",
  host: "127.0.0.1",
  port: 8080,
  acceptMs: 1,
  rejectMs: 0.3,
  queue: 50,
  fifoQueue: 100_000,
  baseMs: 50,
  slopeMs: 1,
  acceptShare: 0.5,
  seed: 1,
  status: 503,
  retryAfter: null,
  reserve: 0,
  coldCost: null,
  warmJobs: null,
  warmth: 0,
  script: null,
  exitWithParent: false,
};

export const HELP = `Usage: overloadable [options] [SPEC]

An HTTP server that really burns CPU, to be overloaded. One JSON line on stdout says where it listens.

  --port N            port, 0 picks a free one (default 8080)
  --host ADDRESS      address to bind to (default 127.0.0.1)
  --mode MODE         shed rejects beyond the queue, fifo works on everything in order, slope slows down with the
                      requests in work, bernoulli accepts by chance (default shed)
  --accept-ms MS      work of an accepted request, not in slope (default 1)
  --reject-ms MS      work of a rejection, not in slope (default 0.3)
  --queue N           shed: requests that may wait, without the one in work (default 50)
  --fifo-queue N      other modes: the same, a bound on memory; slope: requests that may be in work (default 100000)
  --base-ms MS        slope: what a request takes by itself (default 50)
  --slope-ms MS       slope: what each request in work, itself included, adds when it arrives (default 1)
  --accept-share P    bernoulli: the probability of being accepted, whatever the load (default 0.5)
  --seed N            bernoulli: the seed of that chance (default 1)
  --status N          status of a rejection, 400 to 599 (default 503)
  --retry-after S     whole seconds in the Retry-After header of a rejection (default: no header)
  --reserve SHARE     share of the queue kept for more critical requests, per step of x-criticality (default 0)
  --cold-cost X       a job takes X times as long while the target is cold: at its start, and after an outage of its
                      script; the time falls steadily to the usual one (default: always warm; not in slope)
  --warm-jobs N       until so many requests have been worked on and answered
  --warmth SHARE      how warm it is at its start, 0 to 1 (default 0)
  --script SCRIPT     what changes and when, in seconds after POST /__script: 20s..23s:capacity=0.25,
                      23s..30s:capacity=0.25..1,40s..60s:outage,70s..:latency=100ms,0s..:retryAfter=5s
                      (default: nothing changes)
  --exit-with-parent  exit when standard input closes
  --help              print this text

SPEC is the same in one value, a mode and the flags' names in camel case: shed:acceptMs=2,queue=10. Flags win over it;
--script is a flag alone. GET /__stats answers with counters as JSON, GET /__health with 200, POST /__script starts the
script anew, DELETE /__script ends it, DELETE /__warmth makes the target as warm as at its start; every other request is
work.
`;

type ValueKey = Exclude<keyof OverloadableOptions, "exitWithParent">;
type Changes = { -readonly [Key in keyof OverloadableOptions]?: OverloadableOptions[Key] };

interface NumberRule {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

const FLAGS: Readonly<Record<ValueKey, string>> = {
  mode: "mode",
  host: "host",
  port: "port",
  acceptMs: "accept-ms",
  rejectMs: "reject-ms",
  queue: "queue",
  fifoQueue: "fifo-queue",
  baseMs: "base-ms",
  slopeMs: "slope-ms",
  acceptShare: "accept-share",
  seed: "seed",
  status: "status",
  retryAfter: "retry-after",
  reserve: "reserve",
  coldCost: "cold-cost",
  warmJobs: "warm-jobs",
  warmth: "warmth",
  script: "script",
};

const NUMBER_RULES: Readonly<Record<Exclude<ValueKey, "mode" | "host" | "script">, NumberRule>> = {
  port: { unit: "number", min: 0, max: 65_535, isWhole: true },
  acceptMs: { unit: "number of milliseconds", min: 0, max: WORK_MS_MAX, isWhole: false },
  rejectMs: { unit: "number of milliseconds", min: 0, max: WORK_MS_MAX, isWhole: false },
  queue: { unit: "number of requests", min: 1, max: 1_000_000, isWhole: true },
  fifoQueue: { unit: "number of requests", min: 1, max: 1_000_000, isWhole: true },
  baseMs: { unit: "number of milliseconds", min: 0, max: WORK_MS_MAX, isWhole: false },
  slopeMs: { unit: "number of milliseconds", min: 0, max: WORK_MS_MAX, isWhole: false },
  acceptShare: { unit: "share", min: 0, max: 1, isWhole: false },
  seed: { unit: "number", min: 0, max: 2 ** 32 - 1, isWhole: true },
  status: { unit: "status", min: 400, max: 599, isWhole: true },
  retryAfter: { unit: "number of seconds", min: 0, max: 86_400, isWhole: true },
  // Three steps: with a third of it, the least critical requests find no room at all.
  reserve: { unit: "share", min: 0, max: 0.33, isWhole: false },
  coldCost: { unit: "factor", min: 1, max: COLD_COST_MAX, isWhole: false },
  warmJobs: { unit: "number of jobs", min: 1, max: WARM_JOBS_MAX, isWhole: true },
  warmth: { unit: "share", min: 0, max: 1, isWhole: false },
};

const VALUE_KEYS = Object.keys(FLAGS) as readonly ValueKey[];
/** A script is full of commas, which a SPEC splits at. */
const SPEC_KEYS = VALUE_KEYS.filter((key) => key !== "script");

const ARGUMENTS: Readonly<Record<string, { readonly type: "string" | "boolean" }>> = {
  "exit-with-parent": { type: "boolean" },
  help: { type: "boolean" },
  ...Object.fromEntries(VALUE_KEYS.map((key) => [FLAGS[key], { type: "string" } as const])),
};

/**
 * Reads the command line.
 *
 * @returns the options, or `"help"`.
 * @throws UsageError for anything unknown, malformed or out of range.
 */
export function parseOptions(args: readonly string[]): OverloadableOptions | "help" {
  const { values, positionals } = parseStrictly(args, ARGUMENTS, true);
  if (values.help === true) return "help";
  if (positionals.length > 1) {
    throw new UsageError(`Cannot use more than one SPEC: got '${positionals.join("' and '")}'`);
  }
  const changes: Changes = positionals[0] === undefined ? {} : parseSpec(positionals[0]);
  for (const key of VALUE_KEYS) {
    const text = values[FLAGS[key]];
    if (typeof text === "string") Object.assign(changes, { [key]: parseValue(key, `--${FLAGS[key]}`, text) });
  }
  if (values["exit-with-parent"] === true) changes.exitWithParent = true;
  const options = { ...DEFAULT_OPTIONS, ...changes };
  checkCold(options);
  checkScript(options);
  return options;
}

/**
 * Reads the composite form, `MODE[:KEY=VALUE,...]`, for example `shed:acceptMs=2,queue=10`.
 *
 * @returns what it sets, and nothing else.
 * @throws UsageError as {@link parseOptions}.
 */
export function parseSpec(spec: string): Partial<OverloadableOptions> {
  const colon = spec.indexOf(":");
  const mode = colon < 0 ? spec : spec.slice(0, colon);
  const pairs = colon < 0 ? [] : spec.slice(colon + 1).split(",");
  const changes: Changes = { mode: parseMode("SPEC", mode) };
  const seen = new Set<string>(["mode"]);
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const key = SPEC_KEYS.find((candidate) => candidate === pair.slice(0, Math.max(equals, 0)));
    if (key === undefined) {
      throw new UsageError(
        `Cannot use SPEC as '${pair}' is not KEY=VALUE with one of ${SPEC_KEYS.slice(1).join(", ")}`,
      );
    }
    if (seen.has(key)) throw new UsageError(`Cannot use SPEC as it sets '${key}' twice: current value is '${spec}'`);
    seen.add(key);
    Object.assign(changes, { [key]: parseValue(key, key, pair.slice(equals + 1)) });
  }
  return changes;
}

/** The flags that make {@link parseOptions} return these options. */
export function flagsOf(options: Partial<OverloadableOptions>): string[] {
  const flags: string[] = [];
  for (const key of VALUE_KEYS) {
    const value = options[key];
    if (value !== undefined && value !== null) flags.push(`--${FLAGS[key]}`, String(value));
  }
  if (options.exitWithParent === true) flags.push("--exit-with-parent");
  return flags;
}

function parseValue(key: ValueKey, name: string, text: string): string | number {
  switch (key) {
    case "mode":
      return parseMode(name, text);
    case "host":
      if (text === "") throw new UsageError(`Cannot use ${name} as it must be an address: current value is ''`);
      return text;
    case "script":
      return text;
    default:
      return parseNumber(name, text, NUMBER_RULES[key]);
  }
}

function parseMode(name: string, text: string): Mode {
  const mode = MODES.find((candidate) => candidate === text);
  if (mode !== undefined) return mode;
  throw new UsageError(`Cannot use ${name} as the mode must be one of ${MODES.join(", ")}: current value is '${text}'`);
}

function checkCold({ mode, acceptMs, coldCost, warmJobs, warmth }: OverloadableOptions): void {
  if (coldCost === null && warmJobs === null && warmth === DEFAULT_OPTIONS.warmth) return;
  if (coldCost === null || warmJobs === null) {
    throw new UsageError("Cannot use --cold-cost, --warm-jobs and --warmth as the first two must be given together");
  }
  if (mode === "slope") throw new UsageError("Cannot use --cold-cost as a target in mode slope does no work");
  if (acceptMs * coldCost > WORK_MS_MAX) {
    throw new UsageError(
      `Cannot use --cold-cost as it must leave the work of a request at ${WORK_MS_MAX} ms or less: current value is '${coldCost}' times ${acceptMs} ms`,
    );
  }
}

function checkScript(options: OverloadableOptions): void {
  if (options.script === null) return;
  try {
    parseTargetScript(options.script, options);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`Cannot use --script as it ${error.message}`);
    throw error;
  }
}

function parseNumber(name: string, text: string, rule: NumberRule): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.min && value <= rule.max && (Number.isInteger(value) || !rule.isWhole)) return value;
  const kind = rule.isWhole ? `whole ${rule.unit}` : rule.unit;
  throw new UsageError(
    `Cannot use ${name} as it must be a ${kind} from ${rule.min} to ${rule.max}: current value is '${text}'`,
  );
}
