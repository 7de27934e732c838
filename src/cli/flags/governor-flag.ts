/** `--governor`: how the backpressure governor drives a load, `high=5%,low=1%,window=2s,floor=1,start=10,control=rate,hold=12,band=15%`. */

import type { GovernorSpec } from "../../engine/trial-spec.ts";
import { resolveGovernorOptions } from "../../governor/governor-options.ts";
import { parseCount, parseDuration, parseRate } from "../../plan/units.ts";
import { didYouMean } from "../../policy/nearest-names.ts";
import { CliError } from "../cli-error.ts";
import { type Add, named } from "./add-option.ts";
import { oneOf } from "./flag-values.ts";

/** What a flag says of it; the rest has its default. */
export type GovernorChoice = Partial<GovernorSpec>;

/** Windows at rest that end the search: 24 s of them, by default. */
const HOLD_WINDOWS = 12;
/**
 * Wide enough for a cut and the way back: the least that one cut leaves is 90 %, and the next windows probe up to what failed.
 */
const HOLD_BAND = 0.15;
/** The least offer, unless the ceiling is lower still. */
const FLOOR = 1;

type Key = "high" | "low" | "window" | "floor" | "start" | "control" | "hold" | "band";

const control = oneOf(["rate", "concurrency"]);

/** The options, each with its rule: a parser that throws a RangeError which says the rule and the value. */
const KEYS: Readonly<Record<Key, (text: string) => GovernorChoice>> = {
  high: (text) => ({ high: share(text) }),
  low: (text) => ({ low: share(text) }),
  window: (text) => ({ windowSeconds: longer(text) }),
  floor: (text) => ({ floor: parseRate(text) }),
  start: (text) => ({ start: parseRate(text) }),
  control: (text) => ({ control: control(text) as GovernorSpec["control"] }),
  hold: (text) => ({ holdWindows: atLeastTwo(text) }),
  band: (text) => ({ holdBand: share(text) }),
};

export function addGovernorOption(add: Add): void {
  add(
    "--governor <options>",
    "how the load is driven: high=5% of attempts failed lowers it, below low=1%, a fifth of high unless given, it is raised; window=2s, floor=1, start=1, control=rate or concurrency, hold=12 windows within band=15%, or 1 call, end it",
    parseGovernor,
  );
}

/** @throws RangeError that says the rule and the value, but not the flag. */
export function parseGovernor(text: string): GovernorChoice {
  let choice: GovernorChoice = {};
  const seen = new Set<string>();
  for (const part of text.split(",")) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/u.exec(part) ?? [];
    if (key === undefined || value === undefined) {
      throw new RangeError(
        `must list options as key=value, as in high=5%,window=2s: current value is ${JSON.stringify(text)}`,
      );
    }
    if (!isKey(key)) {
      throw new RangeError(`has no option '${key}'${hintFor(key)}`);
    }
    if (seen.has(key)) throw new RangeError(`must give '${key}' once: current value is ${JSON.stringify(text)}`);
    seen.add(key);
    choice = { ...choice, ...ruled(key, value) };
  }
  const { high, low } = choice;
  const bound = high ?? resolveGovernorOptions({}).high;
  if (low !== undefined && low > bound) {
    throw new RangeError(`'low' must be at most 'high' (${percent(bound)}): current value is "${percent(low)}"`);
  }
  return choice;
}

function hintFor(key: string): string {
  if (key === "ceiling") return " (the greatest offer is --max-rps, or --max-concurrency)";
  const names = Object.keys(KEYS);
  const meant = didYouMean(key, names);
  return meant === "" ? `: it has ${names.join(", ")}` : meant;
}

function isKey(key: string): key is Key {
  return Object.hasOwn(KEYS, key);
}

function ruled(key: Key, value: string): GovernorChoice {
  try {
    return KEYS[key](value);
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`'${key}' ${error.message}`) : error;
  }
}

/**
 * With defaults: the rate is governed, from 1/s on; attempts may fail up to 5 %.
 *
 * @param ceiling the greatest offer; undefined: none.
 * @throws RangeError that says the rule and the values.
 */
export function governorSpec(given: GovernorChoice | undefined, ceiling: number | undefined): GovernorSpec {
  const {
    windowSeconds: window,
    holdWindows = HOLD_WINDOWS,
    holdBand = HOLD_BAND,
    control = "rate",
    high,
    low,
  } = given ?? {};
  const most = ceiling ?? Number.POSITIVE_INFINITY;
  const { floor = Math.min(FLOOR, most), start = floor } = given ?? {};
  if (control === "concurrency" && floor < 1) {
    throw new RangeError(`'floor' must be at least one call at once: current value is "${floor}"`);
  }
  if (floor > most) throw new RangeError(`'floor' must be at most the ceiling (${most}): current value is "${floor}"`);
  if (start < floor || start > most) {
    const rule =
      ceiling === undefined ? `at least 'floor' (${floor})` : `from 'floor' (${floor}) to the ceiling (${most})`;
    throw new RangeError(`'start' must be ${rule}: current value is "${start}"`);
  }
  const resolved = resolveGovernorOptions({ control, high, low, floor, start, ceiling, window });
  return { ...resolved, holdWindows, holdBand };
}

/** What else says how much it may offer. */
export interface GovernorBounds {
  readonly maxRps?: number | undefined;
  readonly maxConcurrency?: number | undefined;
  /** Virtual users, each of which has one call at once in a closed loop. */
  readonly users: number;
}

/** The governor of the flags, with the ceiling that is one of what it controls. @throws CliError */
export function boundedGovernor(
  given: GovernorChoice | undefined,
  { maxRps, maxConcurrency, users }: GovernorBounds,
): GovernorSpec {
  const isClosed = given?.control === "concurrency";
  if (maxConcurrency !== undefined && !isClosed) {
    throw new CliError("--max-concurrency is for --governor control=concurrency: the bound of a rate is --max-rps");
  }
  if (maxRps !== undefined && isClosed) {
    throw new CliError(
      "--max-rps cannot bound a closed loop: control=concurrency goes by --vus, or --max-concurrency of capacity",
    );
  }
  if (maxConcurrency !== undefined && maxConcurrency > users) {
    throw new CliError(
      `--max-concurrency must be at most the virtual users (${users}), one for each call at once: current value is "${maxConcurrency}"`,
    );
  }
  return named("--governor", () => governorSpec(given, isClosed ? (maxConcurrency ?? users) : maxRps));
}

/** For the record, where no ceiling is null. */
export function describeGovernor(spec: GovernorSpec): Record<string, unknown> {
  return { ...spec, ceiling: Number.isFinite(spec.ceiling) ? spec.ceiling : null };
}

function share(text: string): number {
  const [, percents] = /^(\d+(?:\.\d+)?)%$/u.exec(text) ?? [];
  const value = Number(percents ?? Number.NaN) / 100;
  if (value > 0 && value < 1) return value;
  throw new RangeError(`must be a share above 0% and below 100% such as 5%: current value is "${text}"`);
}

function longer(text: string): number {
  const seconds = parseDuration(text);
  if (seconds > 0) return seconds;
  throw new RangeError(`must be longer than nothing: current value is "${text}"`);
}

function atLeastTwo(text: string): number {
  const count = parseCount(text);
  if (count >= 2) return count;
  throw new RangeError(`must be at least 2 windows: current value is "${text}"`);
}

function percent(value: number): string {
  return `${Number((100 * value).toFixed(6))}%`;
}
