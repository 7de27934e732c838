/** `--sim`: a server model and its parameters. */

import type { ModelSpec } from "../engine/trial-spec.ts";
import { parseDuration } from "../plan/units.ts";
import { parseComposite } from "./composite.ts";

/** The bucket size for which the closed forms hold: the accepted rate at an offered load of 1.25 C is .997 C. */
const DEFAULT_BURST = 10;

/** Each arrival looks for the first free one. */
const WORKERS_MAX = 10_000;
/** Beyond it the least critical calls would need more than the burst. */
const RESERVE_MAX = 1 / 3;

const KEYS: Readonly<Record<ModelSpec["name"], readonly string[]>> = {
  shed: ["capacity", "burst", "rejectCost", "latency", "retryAfter", "reserve"],
  fifo: ["workers", "service", "queue", "latency"],
  slope: ["base", "slope", "latency"],
  bernoulli: ["accept", "latency"],
  worker: ["accept", "reject", "queue", "latency"],
};
const NAMES = Object.keys(KEYS) as readonly ModelSpec["name"][];

/**
 * Parses `shed:capacity=100,burst=10,rejectCost=0.3,latency=5ms`, `fifo:workers=4,service=25ms,queue=100` or
 * `bernoulli:accept=0.7`. Each model needs its first parameter; `fifo` its first two.
 *
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseSim(text: string): ModelSpec {
  const { name: given, options } = parseComposite(text);
  const name = NAMES.find((known) => known === given);
  if (name === undefined) {
    throw new RangeError(`must name a server model (${NAMES.join(", ")}): current value is "${text}"`);
  }
  for (const key of Object.keys(options)) {
    if (KEYS[name].includes(key)) continue;
    throw new RangeError(
      `must use the options of ${name} (${KEYS[name].join(", ")}), not '${key}': current value is "${text}"`,
    );
  }
  const read = new Parameters(text, options);
  const latencySeconds = read.duration("latency", 0);
  switch (name) {
    case "shed":
      return {
        name,
        capacity: read.positive("capacity"),
        burst: read.number("burst", 1, Number.POSITIVE_INFINITY, DEFAULT_BURST),
        rejectCost: read.number("rejectCost", 0, Number.POSITIVE_INFINITY, 0),
        latencySeconds,
        ...(options.retryAfter === undefined ? {} : { retryAfterSeconds: read.wholeSeconds("retryAfter") }),
        ...(options.reserve === undefined ? {} : { reserve: read.number("reserve", 0, RESERVE_MAX) }),
      };
    case "fifo":
      return {
        name,
        workers: read.whole("workers", 1, WORKERS_MAX),
        serviceSeconds: read.positiveDuration("service"),
        ...(options.queue === undefined ? {} : { queueMax: read.whole("queue", 0, Number.MAX_SAFE_INTEGER) }),
        latencySeconds,
      };
    case "slope":
    case "worker":
      throw new RangeError("not built yet");
    case "bernoulli":
      return { name, accept: read.number("accept", 0, 1), latencySeconds };
    default:
      return name satisfies never;
  }
}

/** Values out of one text, which every refusal shows. */
class Parameters {
  readonly #text: string;
  readonly #options: Readonly<Record<string, string>>;

  constructor(text: string, options: Readonly<Record<string, string>>) {
    this.#text = text;
    this.#options = options;
  }

  number(key: string, least: number, most: number, otherwise?: number): number {
    const value = this.#read(key) ?? otherwise;
    if (value !== undefined && value >= least && value <= most) return value;
    const bounds = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
    throw this.#refusal(key, `as a number ${bounds}`);
  }

  whole(key: string, least: number, most: number): number {
    const value = this.#read(key);
    if (value !== undefined && value >= least && value <= most && Number.isSafeInteger(value)) return value;
    const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw this.#refusal(key, `as a whole number ${bounds}`);
  }

  positive(key: string): number {
    const value = this.#read(key);
    if (value !== undefined && value > 0) return value;
    throw this.#refusal(key, "as a number above 0");
  }

  duration(key: string, otherwise: number): number {
    const given = this.#options[key];
    if (given === undefined) return otherwise;
    try {
      return parseDuration(given);
    } catch (error) {
      throw new RangeError(`must give '${key}' rightly: it ${(error as Error).message}`);
    }
  }

  positiveDuration(key: string): number {
    const seconds = this.duration(key, 0);
    if (seconds > 0) return seconds;
    throw this.#refusal(key, "as a duration above 0, such as 25ms");
  }

  /** What the header can say. */
  wholeSeconds(key: string): number {
    const seconds = this.duration(key, 0);
    if (Number.isSafeInteger(seconds)) return seconds;
    throw this.#refusal(key, "as whole seconds, such as 5s");
  }

  /** NaN for what is no number; undefined when nothing was given. */
  #read(key: string): number | undefined {
    const given = this.#options[key];
    if (given === undefined) return undefined;
    const value = /^[\d.]+(?:e\d+)?$/i.test(given) ? Number(given) : Number.NaN;
    return Number.isFinite(value) ? value : Number.NaN;
  }

  #refusal(key: string, rule: string): RangeError {
    return new RangeError(`must give '${key}' ${rule}: current value is "${this.#text}"`);
  }
}
