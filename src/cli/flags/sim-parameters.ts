/** The parameters of a server model out of one text, which every refusal shows. */

import type { DurationLaw } from "../../engine/trial-spec.ts";
import { parseDuration } from "../../plan/units.ts";

const LAW = /^(?<name>[a-z]+):(?<first>.+?)(?:\.\.(?<second>.+))?$/;
const LAW_FORMS = "uniform:2ms..8ms, exponential:5ms or lognormal:5ms..20ms (median..99th percentile)";

export class SimParameters {
  readonly #text: string;
  readonly #options: Readonly<Record<string, string>>;

  constructor(text: string, options: Readonly<Record<string, string>>) {
    this.#text = text;
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#options[key] !== undefined;
  }

  number(key: string, least: number, most: number, otherwise?: number): number {
    const value = this.#read(key) ?? otherwise;
    if (value !== undefined && value >= least && value <= most) return value;
    const bounds = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
    throw this.#refusal(key, `as a number ${bounds}`);
  }

  whole(key: string, least: number, most: number, otherwise?: number): number {
    const value = this.#read(key) ?? otherwise;
    if (value !== undefined && value >= least && value <= most && Number.isSafeInteger(value)) return value;
    const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw this.#refusal(key, `as a whole number ${bounds}`);
  }

  positive(key: string): number {
    const value = this.#read(key);
    if (value !== undefined && value > 0) return value;
    throw this.#refusal(key, "as a number above 0");
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[], otherwise?: Choice): Choice {
    const given = this.#options[key] ?? otherwise;
    const choice = choices.find((known) => known === given);
    if (choice !== undefined) return choice;
    throw this.#refusal(key, `as one of ${choices.join(", ")}`);
  }

  duration(key: string, otherwise?: number): number {
    const given = this.#options[key];
    if (given !== undefined) return this.#seconds(key, given);
    if (otherwise !== undefined) return otherwise;
    throw this.#refusal(key, "as a duration, such as 25ms");
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

  /** A constant duration above 0, or a random one. */
  durationOrLaw(key: string): number | DurationLaw {
    const given = this.#options[key];
    return given !== undefined && LAW.test(given) ? this.#law(key, given) : this.positiveDuration(key);
  }

  /** `5ms`; a random law; or both, as in `2ms+exponential:3ms`. */
  latency(key: string): { readonly latencySeconds: number; readonly network?: DurationLaw } {
    const given = this.#options[key];
    if (given === undefined) return { latencySeconds: 0 };
    const [first = "", second] = given.split(/\+(.*)/, 2);
    if (second !== undefined) return { latencySeconds: this.#seconds(key, first), network: this.#law(key, second) };
    return LAW.test(first)
      ? { latencySeconds: 0, network: this.#law(key, first) }
      : { latencySeconds: this.#seconds(key, first) };
  }

  #law(key: string, given: string): DurationLaw {
    const { name, first = "", second } = LAW.exec(given)?.groups ?? {};
    const isSpan = second !== undefined;
    if (name === "exponential" && !isSpan) {
      const meanSeconds = this.#seconds(key, first);
      if (meanSeconds > 0) return { law: name, meanSeconds };
      throw this.#refusal(key, "with a mean above 0");
    }
    if ((name !== "uniform" && name !== "lognormal") || !isSpan) {
      throw this.#refusal(key, `as a duration or as ${LAW_FORMS}`);
    }
    const [from, to] = [this.#seconds(key, first), this.#seconds(key, second)];
    if (!(to > from)) throw this.#refusal(key, "with a second duration above the first");
    if (name === "uniform") return { law: name, fromSeconds: from, toSeconds: to };
    if (from > 0) return { law: name, medianSeconds: from, p99Seconds: to };
    throw this.#refusal(key, "with a median above 0");
  }

  #seconds(key: string, given: string): number {
    try {
      return parseDuration(given);
    } catch (error) {
      throw new RangeError(`must give '${key}' rightly: it ${(error as Error).message}`);
    }
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
