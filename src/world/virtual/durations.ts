/** Random durations, the same bits on every engine: logarithm, exponential and normal law are made of + - * / and Math.sqrt. */

import type { DurationLaw } from "../../engine/trial-spec.ts";
import { inverseNormal } from "../../plan/inverse-normal.ts";
import { naturalLog } from "../../plan/natural-log.ts";
import { exponential } from "../../policy/exponential.ts";
import type { Random } from "../../policy/policy.ts";

/** The share of a lognormal law's durations that its second parameter bounds. */
const P99 = 0.99;
/** Half the step of {@link Random}: stands for its 0, where the normal law has no quantile. */
const LEAST_UNIFORM = 2 ** -54;

/** Draws one duration after another, each from one number of its stream. Allocates nothing. */
export interface Durations {
  /** In seconds, or in whatever unit the law's parameters have. */
  next(): number;
}

/** @param law a number: always that one, and nothing is drawn. */
export function durationsOf(law: number | DurationLaw, random: Random): Durations {
  if (typeof law === "number") return new ConstantDurations(law);
  switch (law.law) {
    case "uniform":
      return new UniformDurations(law.fromSeconds, law.toSeconds, random);
    case "exponential":
      return new ExponentialDurations(law.meanSeconds, random);
    case "lognormal":
      return new LognormalDurations(law.medianSeconds, law.p99Seconds, random);
    default:
      return law satisfies never;
  }
}

/** The mean of the law. */
export function meanSeconds(law: number | DurationLaw): number {
  if (typeof law === "number") return law;
  switch (law.law) {
    case "uniform":
      return (law.fromSeconds + law.toSeconds) / 2;
    case "exponential":
      return law.meanSeconds;
    case "lognormal": {
      const sigma = sigmaOf(law.medianSeconds, law.p99Seconds);
      return law.medianSeconds * exponential((sigma * sigma) / 2);
    }
    default:
      return law satisfies never;
  }
}

/** In the syntax of `--sim`: `uniform:0.002s..0.008s`, `exponential:0.005s`, `lognormal:0.005s..0.02s` (median, 99th percentile). */
export function describeDuration(law: number | DurationLaw): string {
  if (typeof law === "number") return `${law}s`;
  switch (law.law) {
    case "uniform":
      return `uniform:${law.fromSeconds}s..${law.toSeconds}s`;
    case "exponential":
      return `exponential:${law.meanSeconds}s`;
    case "lognormal":
      return `lognormal:${law.medianSeconds}s..${law.p99Seconds}s`;
    default:
      return law satisfies never;
  }
}

/** Of the logarithm of a lognormal duration. */
function sigmaOf(medianSeconds: number, p99Seconds: number): number {
  return naturalLog(p99Seconds / medianSeconds) / inverseNormal(P99);
}

class ConstantDurations implements Durations {
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  next(): number {
    return this.#seconds;
  }
}

class UniformDurations implements Durations {
  readonly #fromSeconds: number;
  readonly #spanSeconds: number;
  readonly #random: Random;

  constructor(fromSeconds: number, toSeconds: number, random: Random) {
    this.#fromSeconds = fromSeconds;
    this.#spanSeconds = toSeconds - fromSeconds;
    this.#random = random;
  }

  next(): number {
    return this.#fromSeconds + this.#spanSeconds * this.#random.random();
  }
}

class ExponentialDurations implements Durations {
  readonly #meanSeconds: number;
  readonly #random: Random;

  constructor(mean: number, random: Random) {
    this.#meanSeconds = mean;
    this.#random = random;
  }

  next(): number {
    return -this.#meanSeconds * naturalLog(1 - this.#random.random());
  }
}

class LognormalDurations implements Durations {
  readonly #medianSeconds: number;
  readonly #sigma: number;
  readonly #random: Random;

  constructor(medianSeconds: number, p99Seconds: number, random: Random) {
    this.#medianSeconds = medianSeconds;
    this.#sigma = sigmaOf(medianSeconds, p99Seconds);
    this.#random = random;
  }

  next(): number {
    const z = inverseNormal(Math.max(LEAST_UNIFORM, this.#random.random()));
    return this.#medianSeconds * exponential(this.#sigma * z);
  }
}
