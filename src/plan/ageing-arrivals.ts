/** The arrivals of the past that aged clients have lived through: before the plan, and none of the plan's own. */

import { type ArrivalCursor, type ArrivalLaw, keepShard, walkArrivals } from "./arrivals.ts";
import { meanRps } from "./describe.ts";
import { firstRps } from "./load-rate.ts";
import type { PlanSpec } from "./plan.ts";
import { constantRate } from "./rate-profile.ts";
import { check } from "./rule.ts";

/** Which streams of a seed the past draws from: not those of the measured window (0) or of its warm-up (1). */
const PAST = 2;

/**
 * Walks `seconds` of arrivals in [-seconds, 0), where the plan's own begin at 0: by the plan's law and its users, at the rate
 * with which the plan begins. A replay, which has no rate to begin with, is taken for Poisson arrivals at its mean one.
 *
 * @param seconds above 0.
 * @throws RangeError when `seconds` is not, or the load begins at rate 0.
 */
export function ageingArrivals(plan: PlanSpec, seconds: number, shard: number, shards: number): ArrivalCursor {
  check(seconds > 0 && seconds < Number.POSITIVE_INFINITY, "'age' must be longer than nothing", seconds);
  const rps = pastRps(plan);
  check(rps > 0, "'age' must be 0 where the load begins at rate 0", seconds);
  const { users, seed } = plan;
  const walk = walkArrivals(pastLaw(plan), constantRate(rps, seconds), users, seed, PAST);
  return new EarlierArrivals(keepShard(walk, shard, shards), seconds);
}

/** Arrivals per second of the past. */
export function pastRps(plan: PlanSpec): number {
  return plan.arrival.law === "replay" ? meanRps(plan) : firstRps(plan.arrival.rate);
}

function pastLaw({ arrival }: PlanSpec): ArrivalLaw {
  return arrival.law === "replay" ? { law: "poisson" } : arrival;
}

/** The same schedule, so much earlier. */
class EarlierArrivals implements ArrivalCursor {
  readonly #arrivals: ArrivalCursor;
  readonly #seconds: number;

  constructor(arrivals: ArrivalCursor, seconds: number) {
    this.#arrivals = arrivals;
    this.#seconds = seconds;
  }

  get timeSeconds(): number {
    return this.#arrivals.timeSeconds - this.#seconds;
  }

  get user(): number {
    return this.#arrivals.user;
  }

  next(): boolean {
    return this.#arrivals.next();
  }
}
