/** Exponential backoff without jitter. */

import { resolveOptions } from "../option.ts";
import type { Backoff } from "../parts.ts";
import { type BackoffOptions, backoffOptions } from "./backoff-options.ts";
import { grown } from "./growth.ts";

/**
 * `min(cap, base x 2^n)` before retry n = 0, 1, ... All calls that failed together come back together.
 *
 * Source: Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015); aws-samples/aws-arch-backoff-simulator,
 * src/backoff_simulator.py, `ExpoBackoff`. It has no state: one serves any number of calls.
 */
export class ExponentialBackoff implements Backoff {
  private readonly base: number;
  private readonly cap: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: BackoffOptions = {}) {
    ({ base: this.base, cap: this.cap } = resolveOptions("create ExponentialBackoff", backoffOptions, options));
  }

  delaySeconds(retry: number): number {
    return grown(this.base, 2, retry, this.cap);
  }
}
