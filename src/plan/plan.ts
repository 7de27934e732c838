/** The plan: one absolute schedule of arrivals, the same for every arm, shard, world and runtime. */

import {
  ARRIVAL_LAWS,
  type ArrivalCursor,
  type ArrivalLaw,
  countArrivals,
  keepShard,
  walkArrivals,
} from "./arrivals.ts";
import { Fingerprint } from "./fingerprint.ts";
import { constantRate, type RateProfile } from "./rate-profile.ts";

const RPS_MAX = 1_000_000;
const DURATION_SECONDS_MAX = 1_000_000_000;
const USERS_MAX = 10_000_000;
const HASHED_ARRIVALS_MAX = 1_000;

/** All that a schedule follows from. */
export interface PlanSpec {
  /** A non-negative safe integer. */
  readonly seed: number;
  readonly arrival: ArrivalLaw;
  /** Offered load in arrivals per second, above 0 and at most 1,000,000. */
  readonly rps: number;
  /** Arrivals start in [0, durationSeconds); above 0 and at most 1,000,000,000. */
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
  check(ARRIVAL_LAWS.includes(spec.arrival), `'arrival' must be one of ${ARRIVAL_LAWS.join(", ")}`, spec.arrival);
  check(spec.rps > 0 && spec.rps <= RPS_MAX, `'rps' must be a number above 0 and at most ${RPS_MAX}`, spec.rps);
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
    const { seed, arrival, rps, durationSeconds, users } = spec;
    this.spec = Object.freeze({ seed, arrival, rps, durationSeconds, users });
    this.#profile = constantRate(rps, durationSeconds);
    this.expectedArrivals =
      arrival === "constant" ? countArrivals(this.#profile) : Math.round(this.#profile.meanArrivals);
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
    return keepShard(walkArrivals(arrival, this.#profile, users, seed), shard, shards);
  }
}

const NO_ARRIVALS: ArrivalCursor = { timeSeconds: Number.NaN, user: -1, next: () => false };

function hashOf(plan: Plan): string {
  const { seed, arrival, rps, durationSeconds, users } = plan.spec;
  const hash = new Fingerprint();
  hash.addText(`seed=${seed} arrival=${arrival} rps=${rps} durationSeconds=${durationSeconds} users=${users}`);
  const arrivals = plan.arrivals();
  for (let i = 0; i < HASHED_ARRIVALS_MAX && arrivals.next(); i++) {
    hash.addDouble(arrivals.timeSeconds);
    hash.addWord(arrivals.user);
  }
  return hash.digest();
}

function check(holds: boolean, rule: string, value: number | string): void {
  if (holds) return;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new RangeError(`Cannot plan as ${rule}: current value is ${shown}`);
}
