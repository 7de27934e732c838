/** Exponential backoff with equal jitter. */

import { resolveOptions } from "../option.ts";
import type { Backoff } from "../parts.ts";
import type { Random } from "../policy.ts";
import { type BackoffOptions, backoffOptions } from "./backoff-options.ts";
import { grown } from "./growth.ts";

/**
 * `h + U(0, h)` with `h = min(cap, base x 2^n) / 2` before retry n = 0, 1, ...: never less than half of the delay without
 * jitter, and spread over the other half.
 *
 * Source: Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015); aws-samples/aws-arch-backoff-simulator,
 * src/backoff_simulator.py, `ExpoBackoffEqualJitter`. It has no state, and draws one number a delay.
 */
export class EqualJitterBackoff implements Backoff {
  private readonly base: number;
  private readonly cap: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: BackoffOptions = {}) {
    ({ base: this.base, cap: this.cap } = resolveOptions("create EqualJitterBackoff", backoffOptions, options));
  }

  delaySeconds(retry: number, _previousSeconds: number, jitter: Random): number {
    return grown(this.base, 2, retry, this.cap) * (0.5 + 0.5 * jitter.random());
  }
}
