/**
 * How the rate of arrivals goes over the duration of a plan, as the cumulative rate and its inverse. An arrival law places
 * arrivals on the axis of cumulative rate, where one unit is one expected arrival, and the profile turns that into times:
 * even steps there give an exactly known number of arrivals, and a Poisson process of rate 1 there is a Poisson process of
 * the profile's rate in time (Cinlar, "Introduction to Stochastic Processes", 1975, section 4.7).
 */
export interface RateProfile {
  readonly durationSeconds: number;
  /** The cumulative rate at the end: arrivals to be expected over the duration, not rounded. */
  readonly meanArrivals: number;
  /**
   * When the cumulative rate reaches `arrivals` and goes on, in seconds since the start: what falls on a pause belongs
   * after it. Never decreases, but for the rounding of neighbours, and is at or after `durationSeconds` (up to rounding)
   * from `meanArrivals` on.
   */
  timeAt(arrivals: number): number;
  /** The cumulative rate at a time in [0, durationSeconds]: the arrivals to be expected before it. */
  arrivalsBefore(seconds: number): number;
}

/** The profile of one rate throughout, in arrivals per second. Both arguments are positive and finite. */
export function constantRate(rps: number, durationSeconds: number): RateProfile {
  return new ConstantRate(rps, durationSeconds);
}

class ConstantRate implements RateProfile {
  readonly durationSeconds: number;
  readonly meanArrivals: number;
  readonly #rps: number;

  constructor(rps: number, durationSeconds: number) {
    this.durationSeconds = durationSeconds;
    this.meanArrivals = rps * durationSeconds;
    this.#rps = rps;
  }

  timeAt(arrivals: number): number {
    return arrivals / this.#rps;
  }

  arrivalsBefore(seconds: number): number {
    return seconds * this.#rps;
  }
}
