/** Netflix' second gradient limit: by the ratio of the usual round-trip time to the present one. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { checkLimitBounds, isUsableRtt, type Limit } from "./limit.ts";

/** The options' defaults and bounds. */
export const gradient2LimitOptions = {
  initialLimit: {
    default: 20,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Limit at the start",
  },
  minLimit: {
    default: 20,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Smallest limit; with the default the limiter never refuses a client of fewer than 20 at once",
  },
  maxConcurrency: {
    default: 200,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Largest limit",
  },
  queueSize: {
    default: 4,
    kind: "integer",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Places that the limit may exceed what the gradient leaves of it",
  },
  smoothing: {
    default: 0.2,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Share of each new estimate that the limit takes over",
  },
  longWindow: {
    default: 600,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Samples in the exponential average of the usual round-trip time",
  },
  rttTolerance: {
    default: 1.5,
    kind: "number",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "Times the usual round-trip time that are no sign of a queue",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link Gradient2Limit}. */
export type Gradient2LimitOptions = { readonly [Name in keyof typeof gradient2LimitOptions]?: number | undefined };

/** The average starts as the plain mean of this many samples. */
const WARM_UP_SAMPLES = 10;

/** A usual time of more than this many times the present one is a load that is over: it is brought down faster. */
const STALE_RATIO = 2;
const STALE_DECAY = 0.95;

/**
 * ```text
 * long     = mean of the first 10 times, then long x (1 - f) + rtt x f with f = 2 / (longWindow + 1)
 * long / rtt > 2:       long x 0.95, from the next sample on
 * inFlight < limit / 2: no change
 * gradient = max(0.5, min(1, rttTolerance x long / rtt))
 * limit    = (1 - smoothing) x limit + smoothing x (gradient x limit + queueSize)
 * ```
 * within [minLimit, maxConcurrency]. **Whether an attempt was dropped is not used**: a refusal that comes fast is a short
 * round trip, and raises the limit. The average of the usual time follows a load that lasts, and the limit with it.
 *
 * Samples without a time above 0 are ignored.
 *
 * Source: Netflix/concurrency-limits concurrency-limits-core `limit/Gradient2Limit.java`,
 * `limit/measurement/ExpAvgMeasurement.java`.
 */
export class Gradient2Limit implements Limit {
  limit: number;
  private readonly minLimit: number;
  private readonly maxLimit: number;
  private readonly queueSize: number;
  private readonly smoothing: number;
  private readonly rttTolerance: number;
  private readonly longFactor: number;
  private estimate: number;
  private samples = 0;
  private sumSeconds = 0;
  private longSeconds = 0;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: Gradient2LimitOptions = {}) {
    const action = "create Gradient2Limit";
    const resolved = resolveOptions(action, gradient2LimitOptions, options);
    checkLimitBounds(action, {
      initial: ["initialLimit", resolved.initialLimit],
      min: ["minLimit", resolved.minLimit],
      max: ["maxConcurrency", resolved.maxConcurrency],
    });
    this.limit = resolved.initialLimit;
    this.estimate = resolved.initialLimit;
    this.minLimit = resolved.minLimit;
    this.maxLimit = resolved.maxConcurrency;
    this.queueSize = resolved.queueSize;
    this.smoothing = resolved.smoothing;
    this.rttTolerance = resolved.rttTolerance;
    this.longFactor = 2 / (resolved.longWindow + 1);
  }

  sample(_startSeconds: number, rttSeconds: number, inFlight: number, _dropped: boolean): void {
    if (!isUsableRtt(rttSeconds)) return;
    const long = this.average(rttSeconds);
    if (long / rttSeconds > STALE_RATIO) this.longSeconds = long * STALE_DECAY;
    const { estimate, smoothing } = this;
    if (inFlight < estimate / 2) return;
    const gradient = Math.max(0.5, Math.min(1, (this.rttTolerance * long) / rttSeconds));
    const wanted = estimate * gradient + this.queueSize;
    const next = estimate * (1 - smoothing) + wanted * smoothing;
    this.estimate = Math.max(this.minLimit, Math.min(this.maxLimit, next));
    this.limit = Math.floor(this.estimate);
  }

  private average(rttSeconds: number): number {
    if (this.samples < WARM_UP_SAMPLES) {
      this.samples += 1;
      this.sumSeconds += rttSeconds;
      this.longSeconds = this.sumSeconds / this.samples;
    } else {
      this.longSeconds = this.longSeconds * (1 - this.longFactor) + rttSeconds * this.longFactor;
    }
    return this.longSeconds;
  }
}
