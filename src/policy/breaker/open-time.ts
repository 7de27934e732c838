/** How long a breaker stays open, by how often it opened without having been closed in between. */

import type { Random } from "../policy.ts";

export interface OpenTime {
  /** The breaker opens. @returns seconds, finite and at least 0. */
  next(): number;
  /** The breaker closed. */
  reset(): void;
}

/** The same time whenever it opens. */
export function constantOpenTime(seconds: number): OpenTime {
  return { next: () => seconds, reset: () => undefined };
}

/**
 * Doubles from `minSeconds` to `maxSeconds`, and adds a random share of it:
 * `base = min(max, min x 2^i)`, then `min(max, base + share of base)` with the share U(0, jitterRatio). The source takes the share of
 * the whole seconds and of the rest apart, and cuts the first to whole seconds: bases of 1 s and 2 s get no jitter at all with
 * a ratio of 0.5.
 *
 * Source: linkerd/linkerd2-proxy linkerd/exp-backoff/src/lib.rs.
 */
export class DoublingOpenTime implements OpenTime {
  private readonly minSeconds: number;
  private readonly maxSeconds: number;
  private readonly jitterRatio: number;
  private readonly jitter: Random;
  private baseSeconds: number;

  constructor(minSeconds: number, maxSeconds: number, jitterRatio: number, jitter: Random) {
    this.minSeconds = minSeconds;
    this.maxSeconds = maxSeconds;
    this.jitterRatio = jitterRatio;
    this.jitter = jitter;
    this.baseSeconds = minSeconds;
  }

  next(): number {
    const base = this.baseSeconds;
    this.baseSeconds = Math.min(this.maxSeconds, 2 * base);
    const share = this.jitter.random() * this.jitterRatio;
    const whole = Math.trunc(base);
    return Math.min(this.maxSeconds, base + Math.trunc(whole * share) + (base - whole) * share);
  }

  reset(): void {
    this.baseSeconds = this.minSeconds;
  }
}

/**
 * The first time is `startSeconds`; after it, `h + U(0, h)` with `h = start x 2^(i - 1)`, and for ever `maxSeconds` once that
 * is reached: 5, 5..10, 10..20, 20..40, ..., 300.
 *
 * Source: twitter/finagle finagle-core/src/main/scala/com/twitter/finagle/Backoff.scala, `equalJittered`.
 */
export class EqualJitterOpenTime implements OpenTime {
  private readonly startSeconds: number;
  private readonly maxSeconds: number;
  private readonly jitter: Random;
  private seconds: number;
  private halfSeconds: number;

  constructor(startSeconds: number, maxSeconds: number, jitter: Random) {
    this.startSeconds = startSeconds;
    this.maxSeconds = maxSeconds;
    this.jitter = jitter;
    this.seconds = startSeconds;
    this.halfSeconds = startSeconds;
  }

  next(): number {
    const now = this.seconds;
    if (now < this.maxSeconds) {
      const half = Math.min(this.maxSeconds, this.halfSeconds);
      this.seconds = Math.min(this.maxSeconds, half + this.jitter.random() * half);
      this.halfSeconds = 2 * half;
    }
    return now;
  }

  reset(): void {
    this.seconds = this.startSeconds;
    this.halfSeconds = this.startSeconds;
  }
}
