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
 * `base = min(max, min x 2^i)`, then `min(max, base + U(0, jitterRatio x base))`.
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
    return Math.min(this.maxSeconds, base + this.jitter.random() * this.jitterRatio * base);
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
