/** Arrival laws: when calls start and whose they are. Lazy, so that a plan of any length starts at once. */

import type { Random } from "../policy/policy.ts";
import { naturalLog } from "./natural-log.ts";
import type { RateProfile } from "./rate-profile.ts";
import { stream } from "./streams.ts";

export const ARRIVAL_LAWS = ["constant", "poisson"] as const;

/** See {@link walkArrivals}. */
export type ArrivalLaw = (typeof ARRIVAL_LAWS)[number];

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
 * - `constant`: arrival i at the time at which the cumulative rate reaches i, so the first one at 0; users take turns
 *   (i modulo `users`). {@link countArrivals} is their number.
 * - `poisson`: exponential gaps by inversion, -ln(1 - u) (Devroye, "Non-Uniform Random Variate Generation", 1986, II.2),
 *   from the stream "arrivals", the first arrival after the first gap; users uniform from the stream "users".
 */
export function walkArrivals(law: ArrivalLaw, profile: RateProfile, users: number, seed: number): ArrivalCursor {
  switch (law) {
    case "constant":
      return new ConstantArrivals(profile, users);
    case "poisson":
      return new PoissonArrivals(profile, users, seed);
    default:
      return law satisfies never;
  }
}

/**
 * The number of evenly spaced arrivals at cumulative rates 0, 1, 2, ... below the profile's end. A product of a rate and
 * a duration that misses a whole number by rounding alone (1.1 x 100 is a little over 110 in doubles) counts as that number.
 */
export function countArrivals(profile: RateProfile): number {
  const nearest = Math.round(profile.meanArrivals);
  const isWhole = Math.abs(profile.meanArrivals - nearest) <= ROUNDING * profile.meanArrivals;
  return isWhole ? nearest : Math.ceil(profile.meanArrivals);
}

/** About 45 units in the last place: far more than a few roundings, and only 0.01 arrivals in 10^12. */
const ROUNDING = 1e-14;

/** Keeps the arrivals of the users with `user % shards === shard`; all shards together are the whole schedule. */
export function keepShard(arrivals: ArrivalCursor, shard: number, shards: number): ArrivalCursor {
  return shards === 1 ? arrivals : new ShardArrivals(arrivals, shard, shards);
}

class ConstantArrivals implements ArrivalCursor {
  timeSeconds = Number.NaN;
  user = -1;
  readonly #profile: RateProfile;
  readonly #users: number;
  readonly #count: number;
  #index = 0;

  constructor(profile: RateProfile, users: number) {
    this.#profile = profile;
    this.#users = users;
    this.#count = countArrivals(profile);
  }

  next(): boolean {
    if (this.#index >= this.#count) return false;
    this.timeSeconds = this.#profile.timeAt(this.#index);
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

  constructor(profile: RateProfile, users: number, seed: number) {
    this.#profile = profile;
    this.#users = users;
    this.#gaps = stream(seed, "arrivals");
    this.#owners = stream(seed, "users");
  }

  next(): boolean {
    this.#cumulative -= naturalLog(1 - this.#gaps.random());
    const timeSeconds = this.#profile.timeAt(this.#cumulative);
    if (timeSeconds >= this.#profile.durationSeconds) return false;
    this.timeSeconds = timeSeconds;
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
