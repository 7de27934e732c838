/** Feeds a limit once for each window of time instead of once for each attempt. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Limit } from "./limit.ts";

/** The options' defaults and bounds. */
export const windowedLimitOptions = {
  minWindowTime: {
    default: 1,
    kind: "number",
    min: 0.1,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "Shortest window",
  },
  maxWindowTime: {
    default: 1,
    kind: "number",
    min: 0.1,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "Longest window",
  },
  windowSize: {
    default: 10,
    kind: "integer",
    min: 10,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "A window of fewer samples is thrown away",
  },
  minRttThreshold: {
    default: 0.0001,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "Attempts that took less are no samples",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link WindowedLimit}. */
export type WindowedLimitOptions = { readonly [Name in keyof typeof windowedLimitOptions]?: number | undefined };

/**
 * Hands on, for each window, the mean time of its samples, the most that were under way and whether any was dropped. A window
 * ends with the first sample that ends after it, and the next is `min(max(2 x least time, minWindowTime), maxWindowTime)`
 * long. The very first sample is a window of its own, and thrown away as all with fewer than `windowSize` samples.
 *
 * So the limit within is cut at most once for each window. Attempts that fail faster than `minRttThreshold` are not seen at
 * all, and a limit that lets fewer than `windowSize` attempts through in a window never moves again. A clock that is set back by more than a window ends it, instead of holding it until that time comes again.
 *
 * Source: Netflix/concurrency-limits concurrency-limits-core `limit/WindowedLimit.java`,
 * `limit/window/ImmutableAverageSampleWindow.java` (whose mean is of whole nanoseconds).
 */
export class WindowedLimit implements Limit {
  private readonly rule: Limit;
  private readonly minWindowSeconds: number;
  private readonly maxWindowSeconds: number;
  private readonly windowSize: number;
  private readonly minRttSeconds: number;
  private endSeconds = Number.NEGATIVE_INFINITY;
  private leastSeconds = Number.POSITIVE_INFINITY;
  private sumSeconds = 0;
  private samples = 0;
  private mostInFlight = 0;
  private anyDropped = false;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(rule: Limit, options: WindowedLimitOptions = {}) {
    const resolved = resolveOptions("create WindowedLimit", windowedLimitOptions, options);
    this.rule = rule;
    this.minWindowSeconds = resolved.minWindowTime;
    this.maxWindowSeconds = resolved.maxWindowTime;
    this.windowSize = resolved.windowSize;
    this.minRttSeconds = resolved.minRttThreshold;
  }

  get limit(): number {
    return this.rule.limit;
  }

  sample(startSeconds: number, rttSeconds: number, inFlight: number, dropped: boolean): void {
    if (!(rttSeconds >= this.minRttSeconds && rttSeconds < Number.POSITIVE_INFINITY)) return;
    this.leastSeconds = Math.min(this.leastSeconds, rttSeconds);
    this.sumSeconds += rttSeconds;
    this.samples += 1;
    this.mostInFlight = Math.max(this.mostInFlight, inFlight);
    this.anyDropped ||= dropped;
    const now = startSeconds + rttSeconds;
    const wasSetBack = this.endSeconds - now > 2 * this.maxWindowSeconds;
    if (now > this.endSeconds || wasSetBack) this.close(startSeconds, now);
  }

  private close(startSeconds: number, nowSeconds: number): void {
    const window = Math.min(Math.max(2 * this.leastSeconds, this.minWindowSeconds), this.maxWindowSeconds);
    this.endSeconds = nowSeconds + window;
    if (this.samples >= this.windowSize) {
      this.rule.sample(startSeconds, this.sumSeconds / this.samples, this.mostInFlight, this.anyDropped);
    }
    this.leastSeconds = Number.POSITIVE_INFINITY;
    this.sumSeconds = 0;
    this.samples = 0;
    this.mostInFlight = 0;
    this.anyDropped = false;
  }
}
