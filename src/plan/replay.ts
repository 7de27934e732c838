/** A recording of arrivals: a text with one arrival a line. */

import type { ReplaySpec } from "./load.ts";
import { sortArrivals } from "./sort-arrivals.ts";
import { type TimestampForm, TimestampReader } from "./timestamp.ts";

const RULE = 'must have a line like "12.5" or "2024-06-01T12:00:00.25Z,caller" for each arrival';
const SHOWN_MAX = 60;

const [TAB, RETURN, SPACE, HASH, COMMA, BYTE_ORDER_MARK] = [9, 13, 32, 35, 44, 0xfeff];

export interface ReplayOptions {
  /** How many times faster than recorded: times are divided by it. Default 1. */
  readonly speed?: number;
}

/**
 * Parses a recording: a timestamp a line, as {@link TimestampReader} takes them, the same form on all lines, and after a
 * comma or white space perhaps who called: any text. Callers are numbered in the order of their first line, on every line
 * or on none. Times are taken relative to the earliest, always, so that those since 1970 are as good as those since a
 * start. Lines may be in any order (access logs are written when calls end); those of one time keep theirs. Blank lines
 * and those that start with `#` are skipped.
 *
 * @throws RangeError that says the rule and the line.
 */
export function parseReplay(text: string, { speed = 1 }: ReplayOptions = {}): Omit<ReplaySpec, "law"> {
  if (!(speed > 0 && speed < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`Cannot replay as 'speed' must be a positive number: current value is ${speed}`);
  }
  const recording = new Recording(countLines(text));
  let start = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  for (let line = 1; start < text.length; line++) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    recording.addLine(text, start, end, line);
    start = end + 1;
  }
  return recording.finish(speed);
}

class Recording {
  readonly #times: Float64Array;
  readonly #owners: Uint32Array;
  readonly #callers = new Map<string, number>();
  readonly #reader = new TimestampReader();
  #count = 0;
  #form: TimestampForm | undefined;
  /** The whole seconds of the first time: all are kept relative to it, which keeps their fractions exact. */
  #base = 0;
  #sorted = true;

  constructor(linesMax: number) {
    this.#times = new Float64Array(linesMax);
    this.#owners = new Uint32Array(linesMax);
  }

  addLine(text: string, lineStart: number, lineEnd: number, line: number): void {
    const start = skipBlanks(text, lineStart, lineEnd);
    const end = trimBlanks(text, start, lineEnd);
    if (start === end || text.charCodeAt(start) === HASH) return;
    const reader = this.#reader;
    const isTime = reader.read(text, start, end);
    const caller = afterSeparator(text, reader.end, end);
    if (!isTime || (caller === reader.end && caller < end)) throw refusal(RULE, text, start, end, line);
    this.#form ??= reader.form;
    if (reader.form !== this.#form) {
      throw refusal(`${RULE}, all in the form of the first, ${this.#form}`, text, start, end, line);
    }
    if (this.#count === 0) this.#base = reader.whole;
    else if (caller < end !== this.#callers.size > 0) {
      throw refusal(`${RULE}, with a caller on all lines or on none`, text, start, end, line);
    }
    if (caller < end) {
      const name = text.slice(caller, end);
      if (name.includes("\r")) throw refusal(`${RULE}, ended by a line feed`, text, start, end, line);
      this.#owners[this.#count] = this.#callerNumber(name);
    }
    const time = reader.whole - this.#base + reader.fraction;
    if (this.#count > 0 && time < (this.#times[this.#count - 1] as number)) this.#sorted = false;
    this.#times[this.#count++] = time;
  }

  finish(speed: number): Omit<ReplaySpec, "law"> {
    if (this.#count === 0) throw new RangeError(`${RULE}: there is none`);
    const times = this.#times.subarray(0, this.#count);
    const owners = this.#owners.subarray(0, this.#count);
    if (!this.#sorted) sortArrivals(times, owners);
    const earliest = times[0] as number;
    const timesSeconds = new Float64Array(new SharedArrayBuffer(8 * this.#count));
    for (let i = 0; i < this.#count; i++) timesSeconds[i] = ((times[i] as number) - earliest) / speed;
    return { timesSeconds, owners: this.#callers.size > 0 ? sharedCopy(owners) : undefined };
  }

  #callerNumber(caller: string): number {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    const number = this.#callers.size;
    this.#callers.set(caller, number);
    return number;
  }
}

function countLines(text: string): number {
  let lines = 1;
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) lines++;
  return lines;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB || code === RETURN;
}

function skipBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function trimBlanks(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** After blanks, a comma and more blanks; `start` if there is none of that. */
function afterSeparator(text: string, start: number, end: number): number {
  const at = skipBlanks(text, start, end);
  return at < end && text.charCodeAt(at) === COMMA ? skipBlanks(text, at + 1, end) : at;
}

function sharedCopy(owners: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(4 * owners.length));
  copy.set(owners);
  return copy;
}

function refusal(rule: string, text: string, start: number, end: number, line: number): RangeError {
  const shown = text.slice(start, Math.min(end, start + SHOWN_MAX));
  return new RangeError(`${rule}: line ${line} is ${JSON.stringify(shown)}`);
}
