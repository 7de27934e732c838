/**
 * A retry storm as a fluid: calls, attempts and jobs are amounts that flow, without chance; see "V7" in this folder's README. The
 * server is the `fifo` model, its clients give up and retry, and all of them share one policy.
 *
 * Work that was queued is done in full, whoever has given it up, so the queue is one number: when the server will have done
 * all that it was given. What arrives at t starts at the later of that and t, and counts for its client iff its service then
 * ends within the time-out.
 */

import { recoverySeconds } from "../../src/stats/recovery-time.ts";

/** What clients do, in amounts. */
export interface FluidPolicy {
  /** How much of these attempts is sent; the rest is rejected locally, for good. Default all. */
  readonly admit?: (seconds: number, attempts: number) => number;
  /** Answers in time. */
  readonly accepted?: (seconds: number, answers: number) => void;
  /** How much of what has timed out is tried again. Default all. */
  readonly retry?: (seconds: number, failed: number) => number;
  /** The delay before retry number n, from 1, is uniform up to this. Default none. */
  readonly delaySeconds?: (retry: number) => number;
}

export interface FluidStorm {
  /** lambda, calls per second. */
  readonly offered: number;
  /** w and s: the capacity is w / s. */
  readonly workers: number;
  readonly serviceSeconds: number;
  /** tau. */
  readonly timeoutSeconds: number;
  /** Attempts of a call at most. */
  readonly attempts: number;
  /** The trigger: the capacity is this share of the usual one for so long. */
  readonly factor: number;
  readonly slowSeconds: number;
  /** Load before the trigger, for what a policy remembers. */
  readonly warmupSeconds: number;
  readonly horizonSeconds: number;
  readonly policy: FluidPolicy;
}

const STEPS_PER_SECOND = 100;

/** T_rec as the harness measures it; infinity where that is not within the horizon. */
export function fluidRecoverySeconds(storm: FluidStorm): number {
  const series = new StormFlow(storm).series();
  return recoverySeconds(series, storm.warmupSeconds + storm.slowSeconds) ?? Number.POSITIVE_INFINITY;
}

/** Amounts by step of time, and by the number of the attempt, from 0. */
class StormFlow {
  readonly #storm: FluidStorm;
  readonly #steps: number;
  readonly #attempts: readonly Float64Array[];
  readonly #timedOut: readonly Float64Array[];
  /** Calls that come back ok, by the step in which they were intended. */
  readonly #ok: Float64Array;
  /** When the server has done all that it was given. */
  #free = 0;

  constructor(storm: FluidStorm) {
    const { warmupSeconds, slowSeconds, horizonSeconds, attempts } = storm;
    const steps = (warmupSeconds + slowSeconds + horizonSeconds) * STEPS_PER_SECOND;
    const amounts = (): Float64Array[] => Array.from({ length: attempts }, () => new Float64Array(steps));
    this.#storm = storm;
    this.#steps = steps;
    this.#attempts = amounts();
    this.#timedOut = amounts();
    this.#ok = new Float64Array(steps);
  }

  /** Calls offered and calls that come back ok, by second of their intended start. */
  series(): readonly { readonly offered: number; readonly ok: number }[] {
    const { offered, attempts } = this.#storm;
    for (let step = 0; step < this.#steps; step += 1) {
      add(this.#attempts[0], step, offered / STEPS_PER_SECOND);
      for (let attempt = 0; attempt < attempts; attempt += 1) this.#retry(step, attempt);
      for (let attempt = 0; attempt < attempts; attempt += 1) this.#attempt(step, attempt);
    }
    return Array.from({ length: this.#steps / STEPS_PER_SECOND }, (_, second) => {
      const from = second * STEPS_PER_SECOND;
      const ok = this.#ok.slice(from, from + STEPS_PER_SECOND).reduce((sum, amount) => sum + amount, 0);
      return { offered, ok };
    });
  }

  #attempt(step: number, attempt: number): void {
    const { workers, serviceSeconds, timeoutSeconds, policy } = this.#storm;
    const made = amountAt(this.#attempts[attempt], step);
    if (made === 0) return;
    const now = step / STEPS_PER_SECOND;
    const sent = policy.admit?.(now, made) ?? made;
    this.#free = Math.max(this.#free, now);
    this.#free += (sent * serviceSeconds) / workers / this.#factorAt(this.#free);
    const answered = this.#free + serviceSeconds / this.#factorAt(this.#free);
    if (answered - now > timeoutSeconds) {
      add(this.#timedOut[attempt], step + stepsOf(timeoutSeconds), sent);
      return;
    }
    policy.accepted?.(now, sent);
    add(this.#ok, step - stepsOf(this.#ageSeconds(attempt)), sent);
  }

  #retry(step: number, attempt: number): void {
    const { policy, attempts } = this.#storm;
    const failed = amountAt(this.#timedOut[attempt], step);
    if (failed === 0 || attempt + 1 >= attempts) return;
    const again = policy.retry?.(step / STEPS_PER_SECOND, failed) ?? failed;
    const spread = Math.max(1, stepsOf(policy.delaySeconds?.(attempt + 1) ?? 0));
    for (let later = 0; later < spread; later += 1) add(this.#attempts[attempt + 1], step + later, again / spread);
  }

  /** How long ago a call was intended, on average, that makes its attempt of this number. */
  #ageSeconds(attempt: number): number {
    const { timeoutSeconds, policy } = this.#storm;
    let age = 0;
    for (let retry = 1; retry <= attempt; retry += 1) age += timeoutSeconds + (policy.delaySeconds?.(retry) ?? 0) / 2;
    return age;
  }

  #factorAt(seconds: number): number {
    const { warmupSeconds, slowSeconds, factor } = this.#storm;
    return seconds >= warmupSeconds && seconds < warmupSeconds + slowSeconds ? factor : 1;
  }
}

export function stepsOf(seconds: number): number {
  return Math.round(seconds * STEPS_PER_SECOND);
}

/** What lies beyond the horizon is not looked at. */
function add(amounts: Float64Array | undefined, step: number, amount: number): void {
  if (amounts !== undefined && step >= 0 && step < amounts.length) amounts[step] = (amounts[step] as number) + amount;
}

function amountAt(amounts: Float64Array | undefined, step: number): number {
  return amounts?.[step] ?? 0;
}
