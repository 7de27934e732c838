/** The plan: one absolute schedule of arrivals, the same for every arm, shard, world and runtime. */

import { ARRIVAL_LAWS, type ArrivalCursor, countArrivals, keepShard, walkArrivals } from "./arrivals.ts";
import { Fingerprint } from "./fingerprint.ts";
import type { ArrivalSpec } from "./load.ts";
import { constantRate, type RateProfile } from "./rate-profile.ts";

const RPS_MAX = 1_000_000;
const DURATION_SECONDS_MAX = 1_000_000_000;
const USERS_MAX = 10_000_000;
const HASHED_ARRIVALS_MAX = 1_000;

/** All that a schedule follows from. */
export interface PlanSpec {
  /** A non-negative safe integer. */
  readonly seed: number;
  readonly arrival: ArrivalSpec;
  /**
   * Load before the measured window, at the rate with which that begins: whole seconds, 0 for none. A replay has no rate to
   * go on with, so there its first seconds are the warm-up.
   */
  readonly warmupSeconds: number;
  /** The measured window: arrivals start in [0, warmupSeconds + durationSeconds); above 0 and at most 1,000,000,000. */
  readonly durationSeconds: number;
  /** Virtual users, 1 to 10,000,000. */
  readonly users: number;
}

export interface Plan {
  readonly spec: PlanSpec;
  /**
   * 16 hexadecimal digits over the spec and the exact bits of the first 1,000 arrivals: equal hashes mean the same
   * schedule, also made by another version or on another runtime.
   */
  readonly hash: string;
  /** The exact number of constant arrivals, or the mean number of Poisson arrivals, rounded. */
  readonly expectedArrivals: number;
  /**
   * Walks the arrivals of one shard from the start: those of the users with `user % shards === shard`.
   *
   * @throws RangeError unless 0 <= shard < shards, both whole numbers.
   */
  arrivals(shard?: number, shards?: number): ArrivalCursor;
}

/**
 * Makes the plan of `spec`. Nothing is computed ahead: a plan of 500 hours costs what one of a second costs.
 *
 * @throws RangeError when a field of `spec` is out of its range.
 */
export function createPlan(spec: PlanSpec): Plan {
  check(Number.isSafeInteger(spec.seed) && spec.seed >= 0, "'seed' must be a non-negative safe integer", spec.seed);
  const { law } = spec.arrival;
  check((ARRIVAL_LAWS as readonly string[]).includes(law), `'arrival' must be one of ${ARRIVAL_LAWS.join(", ")}`, law);
  const rps = rateOf(spec.arrival);
  check(rps > 0 && rps <= RPS_MAX, `'rps' must be a number above 0 and at most ${RPS_MAX}`, rps);
  check(
    spec.durationSeconds > 0 && spec.durationSeconds <= DURATION_SECONDS_MAX,
    `'durationSeconds' must be a number above 0 and at most ${DURATION_SECONDS_MAX}`,
    spec.durationSeconds,
  );
  check(
    Number.isInteger(spec.users) && spec.users >= 1 && spec.users <= USERS_MAX,
    `'users' must be a whole number from 1 to ${USERS_MAX}`,
    spec.users,
  );
  return new SchedulePlan(spec);
}

class SchedulePlan implements Plan {
  readonly spec: PlanSpec;
  readonly expectedArrivals: number;
  readonly #profile: RateProfile;
  #hash: string | undefined;

  constructor(spec: PlanSpec) {
    this.spec = Object.freeze({ ...spec });
    this.#profile = constantRate(rateOf(spec.arrival), spec.warmupSeconds + spec.durationSeconds);
    this.expectedArrivals =
      spec.arrival.law === "constant" ? countArrivals(this.#profile) : Math.round(this.#profile.meanArrivals);
  }

  get hash(): string {
    this.#hash ??= hashOf(this);
    return this.#hash;
  }

  arrivals(shard = 0, shards = 1): ArrivalCursor {
    check(Number.isSafeInteger(shards) && shards >= 1, "'shards' must be a positive whole number", shards);
    check(
      Number.isInteger(shard) && shard >= 0 && shard < shards,
      `'shard' must be a whole number from 0 to ${shards - 1}`,
      shard,
    );
    const { arrival, users, seed } = this.spec;
    // A shard without users must not walk the whole schedule to find that out.
    if (shard >= users) return NO_ARRIVALS;
    return keepShard(walkArrivals(arrival.law as "constant" | "poisson", this.#profile, users, seed), shard, shards);
  }
}

const NO_ARRIVALS: ArrivalCursor = { timeSeconds: Number.NaN, user: -1, next: () => false };

function hashOf(plan: Plan): string {
  const { seed, arrival, durationSeconds, users } = plan.spec;
  const hash = new Fingerprint();
  hash.addText(
    `seed=${seed} arrival=${arrival.law} rps=${rateOf(arrival)} durationSeconds=${durationSeconds} users=${users}`,
  );
  const arrivals = plan.arrivals();
  for (let i = 0; i < HASHED_ARRIVALS_MAX && arrivals.next(); i++) {
    hash.addDouble(arrivals.timeSeconds);
    hash.addWord(arrivals.user);
  }
  return hash.digest();
}

function rateOf(arrival: ArrivalSpec): number {
  if (arrival.law === "replay" || arrival.rate.kind !== "constant") throw new RangeError("not yet");
  return arrival.rate.rps;
}

function check(holds: boolean, rule: string, value: number | string): void {
  if (holds) return;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new RangeError(`Cannot plan as ${rule}: current value is ${shown}`);
}
