import type { Random } from "../policy/policy.ts";
import type { ArrivalCursor } from "./arrivals.ts";
import type { ReplaySpec } from "./load.ts";
import type { Schedule } from "./schedule.ts";
import { stream } from "./streams.ts";

/**
 * The arrivals of a recording: at its times, by its owners modulo `users`, or where it tells none by users that are uniform
 * from the stream "users". Its first seconds are the warm-up; what comes after the measured window is left out.
 */
export class ReplaySchedule implements Schedule {
  readonly expectedArrivals: number;
  readonly expectedMeasured: number;
  readonly #recording: ReplaySpec;
  readonly #users: number;
  readonly #seed: number;

  constructor(recording: ReplaySpec, warmupSeconds: number, durationSeconds: number, users: number, seed: number) {
    this.#recording = recording;
    this.#users = users;
    this.#seed = seed;
    this.expectedArrivals = countBefore(recording.timesSeconds, warmupSeconds + durationSeconds);
    this.expectedMeasured = this.expectedArrivals - countBefore(recording.timesSeconds, warmupSeconds);
  }

  walk(): ArrivalCursor {
    return new ReplayedArrivals(this.#recording, this.expectedArrivals, this.#users, this.#seed);
  }
}

/** How many of the ascending times are before `seconds`. */
export function countBefore(timesSeconds: Float64Array, seconds: number): number {
  let low = 0;
  let high = timesSeconds.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((timesSeconds[middle] as number) < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most of the first `count` ascending times that lie in any window of one second, half open. */
export function busiestSecond(timesSeconds: Float64Array, count: number): number {
  let first = 0;
  let most = 0;
  for (let last = 0; last < count; last++) {
    while ((timesSeconds[last] as number) - (timesSeconds[first] as number) >= 1) first++;
    if (last - first + 1 > most) most = last - first + 1;
  }
  return most;
}

class ReplayedArrivals implements ArrivalCursor {
  timeSeconds = Number.NaN;
  user = -1;
  readonly #timesSeconds: Float64Array;
  readonly #owners: Uint32Array | undefined;
  readonly #count: number;
  readonly #users: number;
  readonly #drawn: Random;
  #index = 0;

  constructor({ timesSeconds, owners }: ReplaySpec, count: number, users: number, seed: number) {
    this.#timesSeconds = timesSeconds;
    this.#owners = owners;
    this.#count = count;
    this.#users = users;
    this.#drawn = stream(seed, "users");
  }

  next(): boolean {
    if (this.#index >= this.#count) return false;
    this.timeSeconds = this.#timesSeconds[this.#index] as number;
    this.user =
      this.#owners === undefined
        ? Math.floor(this.#drawn.random() * this.#users)
        : (this.#owners[this.#index] as number) % this.#users;
    this.#index++;
    return true;
  }
}
