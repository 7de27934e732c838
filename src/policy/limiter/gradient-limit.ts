/** Netflix' first gradient limit: by the ratio of the least round-trip time to the present one. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Random } from "../policy.ts";
import { checkLimitBounds, isUsableRtt, type Limit } from "./limit.ts";

/** The options' defaults and bounds. */
export const gradientLimitOptions = {
  initialLimit: {
    default: 50,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Limit at the start",
  },
  minLimit: {
    default: 1,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Smallest limit; the queue that is allowed, at least 4, bounds it as well",
  },
  maxConcurrency: {
    default: 1000,
    kind: "integer",
    min: 4,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Largest limit",
  },
  smoothing: {
    default: 0.2,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Share of each new estimate that a falling limit takes over; a rising one takes all of it",
  },
  rttTolerance: {
    default: 2,
    kind: "number",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "Times the least round-trip time that are no sign of a queue",
  },
  probeInterval: {
    default: 1000,
    kind: "integer",
    min: 1,
    max: 2 ** 31,
    unit: "count",
    doc: "The least round-trip time is forgotten after 1 to 2 times this many samples",
  },
  backoffRatio: {
    default: 0.9,
    kind: "number",
    min: 0.5,
    max: 1,
    unit: "ratio",
    doc: "What a drop leaves of the limit, before smoothing",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link GradientLimit}. */
export type GradientLimitOptions = { readonly [Name in keyof typeof gradientLimitOptions]?: number | undefined };

const MIN_QUEUE = 4;

/**
 * ```text
 * queue    = max(4, floor(sqrt(limit)))
 * gradient = max(0.5, min(1, rttTolerance x rttLeast / rtt))
 * dropped:              next = backoffRatio x limit
 * inFlight < limit / 2: no change
 * else:                 next = gradient x limit + queue
 * next < limit:         next = max(minLimit, (1 - smoothing) x limit + smoothing x next)
 * limit = max(queue, min(maxConcurrency, next))
 * ```
 * With the defaults a drop is a cut by 2 % only. One for each drop, with no guard of one cut for each round trip.
 *
 * After `probeInterval + floor(u x probeInterval)` samples the limit falls to `max(minLimit, queue)` and `rttLeast` is
 * forgotten, lest a limit that was probed under load drifts upwards. A number is drawn from `random` at the start and with each
 * probe. Samples without a time above 0 are ignored.
 *
 * Source: Netflix/concurrency-limits concurrency-limits-core `limit/GradientLimit.java`.
 */
export class GradientLimit implements Limit {
  limit: number;
  private readonly random: Random;
  private readonly minLimit: number;
  private readonly maxLimit: number;
  private readonly smoothing: number;
  private readonly rttTolerance: number;
  private readonly probeInterval: number;
  private readonly backoffRatio: number;
  private estimate: number;
  private leastSeconds = 0;
  private samplesToProbe: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(random: Random, options: GradientLimitOptions = {}) {
    const action = "create GradientLimit";
    const resolved = resolveOptions(action, gradientLimitOptions, options);
    checkLimitBounds(action, {
      initial: ["initialLimit", resolved.initialLimit],
      min: ["minLimit", resolved.minLimit],
      max: ["maxConcurrency", resolved.maxConcurrency],
    });
    this.random = random;
    this.limit = resolved.initialLimit;
    this.estimate = resolved.initialLimit;
    this.minLimit = resolved.minLimit;
    this.maxLimit = resolved.maxConcurrency;
    this.smoothing = resolved.smoothing;
    this.rttTolerance = resolved.rttTolerance;
    this.probeInterval = resolved.probeInterval;
    this.backoffRatio = resolved.backoffRatio;
    this.samplesToProbe = this.drawProbe();
  }

  sample(_startSeconds: number, rttSeconds: number, inFlight: number, dropped: boolean): void {
    if (!isUsableRtt(rttSeconds)) return;
    const queue = Math.max(MIN_QUEUE, Math.floor(Math.sqrt(Math.floor(this.estimate))));
    if (this.samplesToProbe <= 0) {
      this.samplesToProbe = this.drawProbe();
      this.leastSeconds = 0;
      this.moveTo(Math.max(this.minLimit, queue));
      return;
    }
    this.samplesToProbe -= 1;
    if (this.leastSeconds === 0 || rttSeconds < this.leastSeconds) this.leastSeconds = rttSeconds;
    if (!dropped && inFlight < this.estimate / 2) return;
    const gradient = Math.max(0.5, Math.min(1, (this.rttTolerance * this.leastSeconds) / rttSeconds));
    let next = dropped ? this.estimate * this.backoffRatio : this.estimate * gradient + queue;
    if (next < this.estimate) {
      next = Math.max(this.minLimit, this.estimate * (1 - this.smoothing) + this.smoothing * next);
    }
    this.moveTo(Math.max(queue, Math.min(this.maxLimit, next)));
  }

  private moveTo(estimate: number): void {
    this.estimate = estimate;
    this.limit = Math.floor(estimate);
  }

  private drawProbe(): number {
    return this.probeInterval + Math.floor(this.random.random() * this.probeInterval);
  }
}
