/** The policies of the bake-off as fluids, see fluid-storm.ts: that of one client whose calls are all calls. */

import { type FluidPolicy, stepsOf } from "./fluid-storm.ts";

/** The amounts of the last so many seconds. */
class FluidWindow {
  readonly #slots: Float64Array;
  #newest = 0;
  #total = 0;

  constructor(seconds: number) {
    this.#slots = new Float64Array(stepsOf(seconds));
  }

  add(seconds: number, amount: number): void {
    this.#moveTo(seconds);
    const slot = this.#newest % this.#slots.length;
    this.#slots[slot] = (this.#slots[slot] as number) + amount;
    this.#total += amount;
  }

  total(seconds: number): number {
    this.#moveTo(seconds);
    return this.#total;
  }

  #moveTo(seconds: number): void {
    for (const step = stepsOf(seconds); this.#newest < step; ) {
      this.#newest += 1;
      const slot = this.#newest % this.#slots.length;
      this.#total -= this.#slots[slot] as number;
      this.#slots[slot] = 0;
    }
  }
}

/** `retry`, and a backoff with full jitter: delay before retry n up to base x 2^(n - 1). */
export function fluidRetry(backoffBaseSeconds = 0): FluidPolicy {
  return { delaySeconds: (retry) => backoffBaseSeconds * 2 ** (retry - 1) };
}

/** `sre-budget`: retries while they are fewer than this share of all requests of the window, themselves included. */
export function fluidSreBudget(retryRatio: number, windowSeconds: number): FluidPolicy {
  const requests = new FluidWindow(windowSeconds);
  const retries = new FluidWindow(windowSeconds);
  return {
    admit(seconds, attempts) {
      requests.add(seconds, attempts);
      return attempts;
    },
    retry(seconds, failed) {
      // A retry that is granted is a request too: x more allow retryRatio x x more.
      const left = (retryRatio * requests.total(seconds) - retries.total(seconds)) / (1 - retryRatio);
      const granted = Math.min(failed, Math.max(0, left));
      retries.add(seconds, granted);
      return granted;
    },
  };
}

/** `finagle-budget` of all clients together: so many retries in `ttlSeconds`. */
export function fluidDepositBudget(retriesInTtl: number, ttlSeconds: number): FluidPolicy {
  const retries = new FluidWindow(ttlSeconds);
  return {
    retry(seconds, failed) {
      const granted = Math.min(failed, Math.max(0, retriesInTtl - retries.total(seconds)));
      retries.add(seconds, granted);
      return granted;
    },
  };
}

/** The buckets of gRPC and AWS: so many retries without a success, then none. The backoff as in {@link fluidRetry}. */
export function fluidBucket(retries: number, backoffBaseSeconds = 0): FluidPolicy {
  let left = retries;
  return {
    ...fluidRetry(backoffBaseSeconds),
    retry(_seconds, failed) {
      const granted = Math.min(failed, left);
      left -= granted;
      return granted;
    },
  };
}

/** `sre-throttle`: local rejects counted, p = (R - K A) / (R + 1); retries as those of `budget`, without it all. */
export function fluidThrottle(k: number, windowSeconds: number, budget: FluidPolicy = {}): FluidPolicy {
  const requests = new FluidWindow(windowSeconds);
  const accepts = new FluidWindow(windowSeconds);
  return {
    admit(seconds, attempts) {
      const counted = requests.total(seconds);
      const rejected = Math.max(0, (counted - k * accepts.total(seconds)) / (counted + 1));
      requests.add(seconds, attempts);
      budget.admit?.(seconds, attempts);
      return attempts * (1 - rejected);
    },
    accepted: (seconds, answers) => accepts.add(seconds, answers),
    retry: (seconds, failed) => budget.retry?.(seconds, failed) ?? failed,
  };
}
