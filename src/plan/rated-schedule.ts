import { type ArrivalCursor, countArrivals, walkArrivals } from "./arrivals.ts";
import type { ArrivalSpec, ReplaySpec } from "./load.ts";
import { firstRps, rateProfile } from "./load-rate.ts";
import { constantRate, type RateProfile } from "./rate-profile.ts";
import type { Schedule } from "./schedule.ts";
import { WarmedArrivals } from "./warmed-arrivals.ts";

type RatedArrivalSpec = Exclude<ArrivalSpec, ReplaySpec>;

/** Which streams of a seed the two parts of a schedule draw from. */
const MEASURED = 0;
const WARMUP = 1;

/**
 * A law over a rate, with a warm-up that is a schedule of its own: the measured window is the same, arrival by arrival,
 * whatever the warm-up before it. So a constant law has its exact count in both, and where warm-up x rate is not whole, the
 * last gap of the warm-up is a shorter one.
 */
export class RatedSchedule implements Schedule {
  readonly expectedArrivals: number;
  readonly expectedMeasured: number;
  readonly #arrival: RatedArrivalSpec;
  readonly #users: number;
  readonly #seed: number;
  readonly #measured: RateProfile;
  readonly #warmup: RateProfile | undefined;

  constructor(arrival: RatedArrivalSpec, warmupSeconds: number, durationSeconds: number, users: number, seed: number) {
    this.#arrival = arrival;
    this.#users = users;
    this.#seed = seed;
    this.#measured = rateProfile(arrival.rate, durationSeconds);
    this.#warmup = warmupSeconds === 0 ? undefined : constantRate(firstRps(arrival.rate), warmupSeconds);
    const measured = this.#expected(this.#measured);
    this.expectedMeasured = Math.round(measured);
    this.expectedArrivals = Math.round(measured + (this.#warmup === undefined ? 0 : this.#expected(this.#warmup)));
  }

  walk(): ArrivalCursor {
    const measured = walkArrivals(this.#arrival, this.#measured, this.#users, this.#seed, MEASURED);
    if (this.#warmup === undefined) return measured;
    const warmup = walkArrivals(this.#arrival, this.#warmup, this.#users, this.#seed, WARMUP);
    return new WarmedArrivals(warmup, measured, this.#warmup.durationSeconds, this.#measured.durationSeconds);
  }

  #expected(profile: RateProfile): number {
    return this.#arrival.law === "constant" ? countArrivals(profile) : profile.meanArrivals;
  }
}
