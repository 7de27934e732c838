/** Arrival laws: when calls start and whose they are. Lazy, so that a plan of any length starts at once. */

import type { Random } from "../policy/policy.ts";
import { BurstyArrivals } from "./bursty-arrivals.ts";
import type { ArrivalSpec, BurstyArrivalSpec } from "./load.ts";
import { naturalLog } from "./natural-log.ts";
import type { RateProfile } from "./rate-profile.ts";
import { stream } from "./streams.ts";
import { wholeIfNear } from "./whole-arrivals.ts";

export const ARRIVAL_LAWS = ["constant", "poisson", "bursty", "replay"] as const satisfies ArrivalSpec["law"][];

/** A law that places arrivals along a rate; see {@link walkArrivals}. */
export type ArrivalLaw = { readonly law: "constant" } | { readonly law: "poisson" } | Omit<BurstyArrivalSpec, "rate">;

/**
 * Walks a schedule, one arrival at a time, without allocating. The fields describe the current arrival: there is none
 * before the first {@link next}, and the last one stays when `next` has said that the schedule is over.
 */
export interface ArrivalCursor {
  /** The intended start of the call, in seconds since the start of the trial; never decreases. */
  readonly timeSeconds: number;
  /** The virtual user whose call it is, 0-based. */
  readonly user: number;
  /** Moves to the next arrival. False, then and from then on, when there is none. */
  next(): boolean;
}

/**
 * Walks the arrivals of `law` over `profile`, from the start.
 *
 * - `constant`: arrival i at the time at which the cumulative rate reaches i, so the first one when the rate first is
 *   above 0; users take turns (i modulo `users`). {@link countArrivals} is their number.
 * - `poisson`: exponential gaps by inversion, -ln(1 - u) (Devroye, "Non-Uniform Random Variate Generation", 1986, II.2),
 *   from the stream "arrivals", the first arrival after the first gap; users uniform from the stream "users".
 * - `bursty`: see {@link BurstyArrivals}.
 *
 * @param part the index of the streams, for schedules of one seed that are to be independent.
 */
export function walkArrivals(
  law: ArrivalLaw,
  profile: RateProfile,
  users: number,
  seed: number,
  part = 0,
): ArrivalCursor {
  switch (law.law) {
    case "constant":
      return new ConstantArrivals(profile, users);
    case "poisson":
      return new PoissonArrivals(profile, users, seed, part);
    case "bursty":
      return new BurstyArrivals(law, profile, users, seed, part);
    default:
      return law satisfies never;
  }
}

/** The number of evenly spaced arrivals at cumulative rates 0, 1, 2, ... below the profile's end. */
export function countArrivals(profile: RateProfile): number {
  return Math.ceil(wholeIfNear(profile.meanArrivals));
}

/** Keeps the arrivals of the users with `user % shards === shard`; all shards together are the whole schedule. */
export function keepShard(arrivals: ArrivalCursor, shard: number, shards: number): ArrivalCursor {
  return shards === 1 ? arrivals : new ShardArrivals(arrivals, shard, shards);
}

/** The last double before a positive time. */
export function justBefore(seconds: number): number {
  return seconds * (1 - Number.EPSILON / 2);
}

class ConstantArrivals implements ArrivalCursor {
  timeSeconds = Number.NaN;
  user = -1;
  readonly #profile: RateProfile;
  readonly #users: number;
  readonly #count: number;
  readonly #latestSeconds: number;
  #index = 0;

  constructor(profile: RateProfile, users: number) {
    this.#profile = profile;
    this.#users = users;
    this.#count = countArrivals(profile);
    this.#latestSeconds = justBefore(profile.durationSeconds);
  }

  next(): boolean {
    if (this.#index >= this.#count) return false;
    this.timeSeconds = Math.min(this.#profile.timeAt(this.#index), this.#latestSeconds);
    this.user = this.#index % this.#users;
    this.#index++;
    return true;
  }
}

class PoissonArrivals implements ArrivalCursor {
  timeSeconds = Number.NaN;
  user = -1;
  readonly #profile: RateProfile;
  readonly #users: number;
  readonly #gaps: Random;
  readonly #owners: Random;
  #cumulative = 0;

  constructor(profile: RateProfile, users: number, seed: number, part: number) {
    this.#profile = profile;
    this.#users = users;
    this.#gaps = stream(seed, "arrivals", part);
    this.#owners = stream(seed, "users", part);
  }

  next(): boolean {
    this.#cumulative -= naturalLog(1 - this.#gaps.random());
    const timeSeconds = this.#profile.timeAt(this.#cumulative);
    if (timeSeconds >= this.#profile.durationSeconds) return false;
    // Times of neighbours may be a rounding out of order.
    if (!(timeSeconds < this.timeSeconds)) this.timeSeconds = timeSeconds;
    this.user = Math.floor(this.#owners.random() * this.#users);
    return true;
  }
}

class ShardArrivals implements ArrivalCursor {
  readonly #arrivals: ArrivalCursor;
  readonly #shard: number;
  readonly #shards: number;

  constructor(arrivals: ArrivalCursor, shard: number, shards: number) {
    this.#arrivals = arrivals;
    this.#shard = shard;
    this.#shards = shards;
  }

  get timeSeconds(): number {
    return this.#arrivals.timeSeconds;
  }

  get user(): number {
    return this.#arrivals.user;
  }

  next(): boolean {
    while (this.#arrivals.next()) {
      if (this.#arrivals.user % this.#shards === this.#shard) return true;
    }
    return false;
  }
}
