/** The backoff of Finagle's retry policies. */

import type { Backoff } from "../parts.ts";
import type { Random } from "../policy.ts";

/**
 * Finagle's decorrelated jitter: the first delay is `start`, each later one `U(previous, min(maximum, 3 x previous))`. Unlike
 * the decorrelated jitter that is named after it, its lower bound is the previous delay, so that delays never shrink.
 *
 * Source: twitter/finagle finagle-core/src/main/scala/com/twitter/finagle/Backoff.scala (`DecorrelatedJittered`);
 * service/RetryPolicy.scala (`tries`) has 5 ms and 200 ms.
 */
export class FinagleBackoff implements Backoff {
  private readonly startSeconds: number;
  private readonly maximumSeconds: number;

  /** @param maximumSeconds a smaller one than `startSeconds` makes all delays equal to it. */
  constructor(startSeconds: number, maximumSeconds: number) {
    this.startSeconds = Math.min(startSeconds, maximumSeconds);
    this.maximumSeconds = maximumSeconds;
  }

  delaySeconds(retry: number, previousSeconds: number, jitter: Random): number {
    if (retry === 0) return this.startSeconds;
    const lower = Math.min(Math.max(previousSeconds, this.startSeconds), this.maximumSeconds);
    return lower + jitter.random() * (Math.min(3 * lower, this.maximumSeconds) - lower);
  }
}
