/** The plan: one absolute schedule of arrivals, the same for every arm, shard, world and runtime. */

import { type ArrivalCursor, keepShard } from "./arrivals.ts";
import { Fingerprint } from "./fingerprint.ts";
import type { ArrivalSpec, RateSpec } from "./load.ts";
import { checkPlan } from "./plan-rules.ts";
import { RatedSchedule } from "./rated-schedule.ts";
import { ReplaySchedule } from "./replay-schedule.ts";
import { check } from "./rule.ts";
import type { Schedule } from "./schedule.ts";

const HASHED_ARRIVALS_MAX = 1_000;

/** All that a schedule follows from. */
export interface PlanSpec {
  /** A non-negative safe integer. */
  readonly seed: number;
  readonly arrival: ArrivalSpec;
  /**
   * Load before the measured window, at the rate with which that begins: whole seconds, 0 for none, and none where that
   * rate is 0. The measured window is the same, arrival by arrival, whatever the warm-up. Not so for a replay, which has no
   * rate to go on with: its first seconds are the warm-up.
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
   * 16 hexadecimal digits over the spec and the exact bits of the first 1,000 arrivals, of a replay all of them: equal
   * hashes mean the same schedule, also made by another version or on another runtime.
   */
  readonly hash: string;
  /** The exact number of constant or replayed arrivals, or the mean number of random ones, rounded; with the warm-up. */
  readonly expectedArrivals: number;
  /** The same for the measured window alone. */
  readonly expectedMeasured: number;
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
  checkPlan(spec);
  return new SchedulePlan(spec);
}

class SchedulePlan implements Plan {
  readonly spec: PlanSpec;
  readonly #schedule: Schedule;
  #hash: string | undefined;

  constructor(spec: PlanSpec) {
    this.spec = Object.freeze({ ...spec });
    this.#schedule = scheduleOf(spec);
  }

  get expectedArrivals(): number {
    return this.#schedule.expectedArrivals;
  }

  get expectedMeasured(): number {
    return this.#schedule.expectedMeasured;
  }

  get hash(): string {
    this.#hash ??= hashOf(this.spec, this.#schedule.walk());
    return this.#hash;
  }

  arrivals(shard = 0, shards = 1): ArrivalCursor {
    check(Number.isSafeInteger(shards) && shards >= 1, "'shards' must be a positive whole number", shards);
    check(
      Number.isInteger(shard) && shard >= 0 && shard < shards,
      `'shard' must be a whole number from 0 to ${shards - 1}`,
      shard,
    );
    // A shard without users must not walk the whole schedule to find that out.
    return shard >= this.spec.users ? NO_ARRIVALS : keepShard(this.#schedule.walk(), shard, shards);
  }
}

/** Of no plan. */
export const NO_ARRIVALS: ArrivalCursor = { timeSeconds: Number.NaN, user: -1, next: () => false };

function scheduleOf({ arrival, warmupSeconds, durationSeconds, users, seed }: PlanSpec): Schedule {
  return arrival.law === "replay"
    ? new ReplaySchedule(arrival, warmupSeconds, durationSeconds, users, seed)
    : new RatedSchedule(arrival, warmupSeconds, durationSeconds, users, seed);
}

function hashOf({ seed, arrival, warmupSeconds, durationSeconds, users }: PlanSpec, arrivals: ArrivalCursor): string {
  const hash = new Fingerprint();
  const warmup = warmupSeconds === 0 ? "" : ` warmupSeconds=${warmupSeconds}`;
  hash.addText(
    `seed=${seed} arrival=${arrivalText(arrival)}${warmup} durationSeconds=${durationSeconds} users=${users}`,
  );
  const most = arrival.law === "replay" ? Number.POSITIVE_INFINITY : HASHED_ARRIVALS_MAX;
  for (let i = 0; i < most && arrivals.next(); i++) {
    hash.addDouble(arrivals.timeSeconds);
    hash.addWord(arrivals.user);
  }
  return hash.digest();
}

/** Everything that distinguishes a load, unrounded; a recording is distinguished by its arrivals. */
function arrivalText(arrival: ArrivalSpec): string {
  switch (arrival.law) {
    case "constant":
    case "poisson":
      return `${arrival.law} ${rateText(arrival.rate)}`;
    case "bursty": {
      const { rate, peak, share, burstSeconds } = arrival;
      return `bursty peak=${peak} share=${share} burstSeconds=${burstSeconds} ${rateText(rate)}`;
    }
    case "replay":
      return "replay";
    default:
      return arrival satisfies never;
  }
}

function rateText(rate: RateSpec): string {
  switch (rate.kind) {
    case "constant":
      return `rps=${rate.rps}`;
    case "stages":
      return `stages=${rate.stages.map(({ seconds, fromRps, toRps }) => `${seconds}@${fromRps}..${toRps}`).join()}`;
    case "sine":
      return `sine=${rate.lowRps}..${rate.highRps} periodSeconds=${rate.periodSeconds}`;
    default:
      return rate satisfies never;
  }
}
