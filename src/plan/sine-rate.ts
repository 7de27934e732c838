import type { RateProfile } from "./rate-profile.ts";
import { sineOfTurns } from "./sine.ts";

/** Of the cumulative rate within a period: four roundings of a number up to 1. */
const TOLERANCE = 4.5e-16;
const STEPS_MAX = 64;

/**
 * The profile of a sine wave between two rates, which starts at their mean and rises. With the mean m, the depth
 * d = (high - low) / (high + low) and u the part of a period P that has passed,
 *
 *     rate = m (1 + d sin(2 pi u)),    cumulative rate = m P (u + d sin^2(pi u) / pi),
 *
 * a whole period having exactly m P arrivals. The inverse is Kepler's equation (count from the trough: E - d sin E), solved
 * by Halley's method inside a bracket, which bisection closes where the rate is near 0.
 *
 * @param lowRps at least 0.
 * @param highRps above `lowRps`.
 */
export function sineRate(lowRps: number, highRps: number, periodSeconds: number, durationSeconds: number): RateProfile {
  return new SineRate(lowRps, highRps, periodSeconds, durationSeconds);
}

class SineRate implements RateProfile {
  readonly durationSeconds: number;
  readonly meanArrivals: number;
  readonly #periodSeconds: number;
  readonly #arrivalsPerPeriod: number;
  readonly #depth: number;

  constructor(lowRps: number, highRps: number, periodSeconds: number, durationSeconds: number) {
    this.durationSeconds = durationSeconds;
    this.#periodSeconds = periodSeconds;
    this.#arrivalsPerPeriod = ((lowRps + highRps) / 2) * periodSeconds;
    this.#depth = (highRps - lowRps) / (highRps + lowRps);
    this.meanArrivals = this.arrivalsBefore(durationSeconds);
  }

  timeAt(arrivals: number): number {
    if (!(arrivals < this.meanArrivals)) return this.durationSeconds;
    const periods = Math.floor(arrivals / this.#arrivalsPerPeriod);
    const part = partOf(arrivals, periods, this.#arrivalsPerPeriod);
    return periods * this.#periodSeconds + this.#partAt(part) * this.#periodSeconds;
  }

  arrivalsBefore(seconds: number): number {
    const periods = Math.floor(seconds / this.#periodSeconds);
    const part = partOf(seconds, periods, this.#periodSeconds);
    return periods * this.#arrivalsPerPeriod + this.#cumulative(part) * this.#arrivalsPerPeriod;
  }

  /** The part of a period's arrivals that has come when the part `u` of its time has passed. */
  #cumulative(u: number): number {
    const sine = sineOfTurns(u / 2);
    return u + (this.#depth * sine * sine) / Math.PI;
  }

  /** The inverse of {@link #cumulative} on [0, 1]. */
  #partAt(part: number): number {
    if (part === 0) return 0;
    let low = 0;
    let high = 1;
    let u = 2 * part - this.#cumulative(part);
    for (let step = 0; step < STEPS_MAX; step++) {
      if (!(u > low && u < high)) u = low + (high - low) / 2;
      const sine = sineOfTurns(u / 2);
      const excess = u + (this.#depth * sine * sine) / Math.PI - part;
      if (Math.abs(excess) <= TOLERANCE * part) return u;
      if (excess > 0) high = u;
      else low = u;
      const cosine = sineOfTurns(u / 2 + 0.25);
      const slope = 1 + 2 * this.#depth * sine * cosine;
      const bend = Math.PI * this.#depth * (cosine - sine) * (cosine + sine);
      u -= (excess * slope) / (slope * slope - excess * bend);
    }
    return low;
  }
}

/** How far `x` is into the period after `periods` whole ones, in [0, 1] whatever the rounding. */
function partOf(x: number, periods: number, period: number): number {
  const part = (x - periods * period) / period;
  return part <= 0 ? 0 : part >= 1 ? 1 : part;
}
