/** Backoff with decorrelated jitter. */

import { resolveOptions } from "../option.ts";
import type { Backoff } from "../parts.ts";
import type { Random } from "../policy.ts";
import { type BackoffOptions, backoffOptions } from "./backoff-options.ts";

/**
 * `min(cap, U(base, 3 x previous))`, the previous delay being `base` before the first retry: it grows by a factor of 3/2 or
 * more on average, from the last delay and not from the retry number, so calls that failed together drift apart.
 *
 * Source: Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015); aws-samples/aws-arch-backoff-simulator,
 * src/backoff_simulator.py, `ExpoBackoffDecorr`. It has no state, and draws one number a delay.
 */
export class DecorrelatedJitterBackoff implements Backoff {
  private readonly base: number;
  private readonly cap: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: BackoffOptions = {}) {
    ({ base: this.base, cap: this.cap } = resolveOptions("create DecorrelatedJitterBackoff", backoffOptions, options));
  }

  delaySeconds(retry: number, previousSeconds: number, jitter: Random): number {
    const previous = retry === 0 ? this.base : previousSeconds;
    const delay = this.base + (3 * previous - this.base) * jitter.random();
    return delay < this.cap ? delay : this.cap;
  }
}
