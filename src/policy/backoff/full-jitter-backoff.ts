/** Exponential backoff with full jitter. */

import { resolveOptions } from "../option.ts";
import type { Backoff } from "../parts.ts";
import type { Random } from "../policy.ts";
import { type BackoffOptions, backoffOptions } from "./backoff-options.ts";
import { grown } from "./growth.ts";

/**
 * `U(0, min(cap, base x 2^n))` before retry n = 0, 1, ...: the whole interval is used to spread the retries. In the
 * article's contention model it does the least work of all; a single delay may be next to nothing.
 *
 * Source: Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015); aws-samples/aws-arch-backoff-simulator,
 * src/backoff_simulator.py, `ExpoBackoffFullJitter`. It has no state, and draws one number a delay.
 */
export class FullJitterBackoff implements Backoff {
  private readonly base: number;
  private readonly cap: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: BackoffOptions = {}) {
    ({ base: this.base, cap: this.cap } = resolveOptions("create FullJitterBackoff", backoffOptions, options));
  }

  delaySeconds(retry: number, _previousSeconds: number, jitter: Random): number {
    return grown(this.base, 2, retry, this.cap) * jitter.random();
  }
}
