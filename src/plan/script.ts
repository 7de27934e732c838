/**
 * The script of a trial: what happens to the backend while it is under load, and when. It is written the same way for a server
 * model and for the built-in target: `20s..23s:capacity=0.25,23s..40s:capacity=0.25..1,40s..60s:outage,70s..:latency=100ms,0s..:retryAfter=5s`.
 *
 * Times are seconds of the measured window, like those of a staged rate: the warm-up sees the backend as it is usually.
 */

import { formatDuration, parseDuration } from "./units.ts";

/** When, and to which of several backends. */
interface ScriptSpan {
  /** From this time on (below 0, which the syntax cannot say: in the warm-up) ... */
  readonly fromSeconds: number;
  /** ... until before this one; undefined: to the end. */
  readonly toSeconds?: number;
  /** 0-based; undefined: all of them. */
  readonly backend?: number;
}

/** Work takes 1 / factor of its usual time; 0 is an outage: all is rejected, at no cost. */
export interface CapacityChange extends ScriptSpan {
  readonly kind: "capacity";
  readonly factor: number;
  /**
   * A ramp: the factor goes linearly from `factor` to this one over the span, which has an end then. Neither is 0, near which
   * the first work that starts would take for ever.
   */
  readonly toFactor?: number;
}

/** Every answer comes later by this. */
export interface LatencyChange extends ScriptSpan {
  readonly kind: "latency";
  readonly addedSeconds: number;
}

/** Rejections say `Retry-After`, whatever they say usually. */
export interface RetryAfterChange extends ScriptSpan {
  readonly kind: "retryAfter";
  /** Whole, as the header has them. */
  readonly seconds: number;
}

export type ScriptChange = CapacityChange | LatencyChange | RetryAfterChange;

const CHANGE = /^(?<from>.+?)\.\.(?<to>[^:]*):(?<what>[A-Za-z]+)(?:=(?<value>[^@]+))?(?:@(?<backend>\d+))?$/;
const FACTORS = /^(?<first>\d+(?:\.\d+)?)(?:\.\.(?<last>\d+(?:\.\d+)?))?$/;
const FORMS = "capacity=0.25, capacity=0.25..1, outage, latency=100ms or retryAfter=5s";
/** A pick of the least loaded one looks at all of them. */
export const BACKENDS_MAX = 1000;
const FACTOR_MAX = 1000;
/** A smaller one would not be written in plain digits. */
const FACTOR_MIN = 1e-6;

/**
 * Parses a script; its changes come in order of time. A change of one backend of several ends in `@` and its number, from 1.
 *
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseScript(text: string): readonly ScriptChange[] {
  const changes = text.split(",").map((part) => parseChange(part, text));
  changes.sort((a, b) => a.fromSeconds - b.fromSeconds);
  for (const [index, change] of changes.entries()) {
    const clash = changes.slice(0, index).find((earlier) => overlap(earlier, change));
    if (clash === undefined) continue;
    throw new RangeError(
      `must not change the same thing twice at a time, and an outage is a capacity of 0 (${formatChange(clash)} and ${formatChange(change)}): ${current(text)}`,
    );
  }
  return changes;
}

/** In the syntax of {@link parseScript}. */
export function formatScript(script: readonly ScriptChange[]): string {
  return script.map(formatChange).join(",");
}

function parseChange(part: string, text: string): ScriptChange {
  const groups = CHANGE.exec(part)?.groups;
  if (groups === undefined) {
    throw new RangeError(
      `must be changes such as 20s..23s:${FORMS}, each after its time, not "${part}": ${current(text)}`,
    );
  }
  const { from = "", to = "", what = "", value, backend } = groups;
  const span = { ...parseSpan(from, to, part, text), ...parseBackend(backend, text) };
  switch (what) {
    case "outage":
      if (value !== undefined) throw new RangeError(`must give 'outage' without a value: ${current(text)}`);
      return { kind: "capacity", ...span, factor: 0 };
    case "capacity":
      return { kind: "capacity", ...span, ...parseFactors(value, span, text) };
    case "latency":
      return { kind: "latency", ...span, addedSeconds: parseTime(value ?? "", what, text) };
    case "retryAfter": {
      const seconds = parseTime(value ?? "", what, text);
      if (Number.isSafeInteger(seconds)) return { kind: "retryAfter", ...span, seconds };
      throw new RangeError(`must give 'retryAfter' in whole seconds, such as 5s: ${current(text)}`);
    }
    default:
      throw new RangeError(`must change something known (${FORMS}), not '${what}': ${current(text)}`);
  }
}

function parseSpan(
  from: string,
  to: string,
  part: string,
  text: string,
): Pick<ScriptSpan, "fromSeconds" | "toSeconds"> {
  const fromSeconds = parseMoment(from, "its beginning", text);
  if (to === "") return { fromSeconds };
  const toSeconds = parseMoment(to, "its end", text);
  if (toSeconds > fromSeconds) return { fromSeconds, toSeconds };
  throw new RangeError(`must end each change after its beginning, not "${part}": ${current(text)}`);
}

/** No finer than it can be written again, see {@link formatDuration}. */
function parseMoment(text: string, what: string, script: string): number {
  const seconds = parseTime(text, what, script);
  const millis = 1000 * seconds;
  if (Math.abs(millis - Math.round(millis)) < 1e-3) return seconds;
  throw new RangeError(`must give '${what}' in whole milliseconds, not ${text}: ${current(script)}`);
}

function parseBackend(text: string | undefined, script: string): Pick<ScriptSpan, "backend"> {
  if (text === undefined) return {};
  const number = Number(text);
  if (number >= 1 && number <= BACKENDS_MAX) return { backend: number - 1 };
  throw new RangeError(`must count backends from 1 to ${BACKENDS_MAX}: ${current(script)}`);
}

function parseFactors(
  value: string | undefined,
  { toSeconds }: Pick<ScriptSpan, "toSeconds">,
  script: string,
): Pick<CapacityChange, "factor" | "toFactor"> {
  const { first, last } = FACTORS.exec(value ?? "")?.groups ?? {};
  const factor = parseFactor(first, script);
  if (last === undefined) return { factor };
  const toFactor = parseFactor(last, script);
  if (toSeconds === undefined) throw new RangeError(`must end a ramp of the capacity: ${current(script)}`);
  if (factor > 0 && toFactor > 0) return { factor, toFactor };
  throw new RangeError(`must keep a ramp of the capacity above 0, as an outage has no slope: ${current(script)}`);
}

function parseFactor(text: string | undefined, script: string): number {
  const factor = Number(text ?? Number.NaN);
  if (factor === 0 || (factor >= FACTOR_MIN && factor <= FACTOR_MAX)) return factor;
  throw new RangeError(
    `must give 'capacity' as a factor from 0 to ${FACTOR_MAX}, of at least ${FACTOR_MIN.toFixed(6)} if it is not 0, or as a ramp such as 0.25..1: ${current(script)}`,
  );
}

function parseTime(text: string, what: string, script: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new RangeError(`must give '${what}' rightly: it ${(error as Error).message}, in "${script}"`);
  }
}

function overlap(a: ScriptChange, b: ScriptChange): boolean {
  if (a.kind !== b.kind) return false;
  if (a.backend !== undefined && b.backend !== undefined && a.backend !== b.backend) return false;
  const { toSeconds: endA = Number.POSITIVE_INFINITY } = a;
  const { toSeconds: endB = Number.POSITIVE_INFINITY } = b;
  return a.fromSeconds < endB && b.fromSeconds < endA;
}

function formatChange(change: ScriptChange): string {
  const { fromSeconds, toSeconds, backend } = change;
  const to = toSeconds === undefined ? "" : formatTime(toSeconds);
  const where = backend === undefined ? "" : `@${backend + 1}`;
  return `${formatTime(fromSeconds)}..${to}:${formatEffect(change)}${where}`;
}

function formatTime(seconds: number): string {
  return seconds < 0 ? `-${formatDuration(-seconds)}` : formatDuration(seconds);
}

function formatEffect(change: ScriptChange): string {
  switch (change.kind) {
    case "capacity":
      if (change.toFactor !== undefined) return `capacity=${change.factor}..${change.toFactor}`;
      return change.factor === 0 ? "outage" : `capacity=${change.factor}`;
    case "latency":
      return `latency=${formatDuration(change.addedSeconds)}`;
    case "retryAfter":
      return `retryAfter=${formatDuration(change.seconds)}`;
    default:
      return change satisfies never;
  }
}

function current(text: string): string {
  return `current value is "${text}"`;
}
