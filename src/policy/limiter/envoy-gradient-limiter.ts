/** Envoy's adaptive concurrency filter, as the limiter of a client. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { ConcurrencyLimiter, Evidence } from "../parts.ts";
import type { Random } from "../policy.ts";
import { ForwardTime } from "./forward-time.ts";
import { LatencyHistogram } from "./latency-histogram.ts";

/** The options' defaults and bounds. */
export const envoyGradientOptions = {
  sampleAggregatePercentile: {
    default: 50,
    kind: "number",
    min: 0,
    max: 100,
    unit: "count",
    doc: "Percentile that stands for the latencies of a window",
  },
  concurrencyUpdateInterval: {
    default: 0.1,
    kind: "number",
    min: 0.001,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "Length of a window (the source has no default: that of its example)",
  },
  maxConcurrencyLimit: {
    default: 1000,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Largest limit",
  },
  interval: {
    default: 60,
    kind: "number",
    min: 0.001,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "Time between two measurements of the least latency (the source has no default: that of its example)",
  },
  requestCount: {
    default: 50,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Attempts in a measurement of the least latency",
  },
  jitter: {
    default: 15,
    kind: "number",
    min: 0,
    max: 100,
    unit: "count",
    doc: "Per cent of interval by which the next measurement is put off at most",
  },
  minConcurrency: {
    default: 3,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Smallest limit, and the limit during a measurement",
  },
  buffer: {
    default: 25,
    kind: "number",
    min: 0,
    max: 100,
    unit: "count",
    doc: "Per cent above the least latency that are no sign of a queue",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link EnvoyGradientLimiter}. */
export type EnvoyGradientOptions = { readonly [Name in keyof typeof envoyGradientOptions]?: number | undefined };

/** After so many windows in a row that left the limit at its minimum, the least latency is measured anew. */
const WINDOWS_AT_MINIMUM = 5;
const MICROSECONDS = 1e6;
/** Two readings of a clock and their difference agree to this. */
const ROUNDING_SECONDS = 1e-6;

/**
 * ```text
 * each window with samples: gradient = max(0.5, min(2, (1 + buffer) x minRTT / sampleRTT))
 *                           limit    = floor(limit x gradient + sqrt(limit x gradient))
 * ```
 * within [minConcurrency, maxConcurrencyLimit]; `sampleRTT` and `minRTT` are percentiles of a histogram of two digits.
 *
 * The states: **measuring** from the start: the limit is pinned to `minConcurrency`, and attempts sent before that are no
 * samples, until `requestCount` have ended; they give `minRTT`, and the limit returns to what it was. Then **sampling**, one
 * change of the limit for each window. Measuring begins again after `interval` and a jitter of whole milliseconds below
 * `ceil(jitter x interval)`, or at once when five windows in a row found the limit at its minimum and left it there.
 *
 * What an attempt ended with is not looked at, only how long it took: fast refusals are short latencies, and raise the limit.
 * An attempt whose end is no evidence is cancelled and no sample. At most one cut, by half, for each window.
 *
 * The timers of the source are deadlines here, which are kept when the limiter is next asked: a window without samples changes
 * nothing, so what is decided is the same. One number is drawn from `random` for each measurement that ends.
 *
 * About 400 bytes and 16 for each bin of the histogram that a window uses.
 *
 * Source: envoyproxy/envoy `source/extensions/filters/http/adaptive_concurrency/controller/gradient_controller.cc` (the later
 * `min_concurrency_limit`, which measures without pinning, and `fixed_value` are left out).
 */
export class EnvoyGradientLimiter implements ConcurrencyLimiter {
  private readonly time: ForwardTime;
  private readonly random: Random;
  private readonly share: number;
  private readonly windowSeconds: number;
  private readonly maxLimit: number;
  private readonly minLimit: number;
  private readonly intervalSeconds: number;
  private readonly jitterMs: number;
  private readonly requestCount: number;
  private readonly bufferShare: number;
  private readonly samples: LatencyHistogram = new LatencyHistogram();

  private underWay = 0;
  private current: number;
  /** The limit to return to; 0 when nothing is being measured. */
  private deferred = 0;
  private atMinimum = 0;
  private minRttNs = 0;
  private epochSeconds: number;
  private windowEndSeconds = Number.POSITIVE_INFINITY;
  private measureAtSeconds = Number.POSITIVE_INFINITY;

  /**
   * @param startSeconds the present reading of the clock.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(startSeconds: number, random: Random, options: EnvoyGradientOptions = {}) {
    const action = "create EnvoyGradientLimiter";
    const resolved = resolveOptions(action, envoyGradientOptions, options);
    const { minConcurrency, maxConcurrencyLimit } = resolved;
    if (minConcurrency > maxConcurrencyLimit) {
      const rule = `at most 'maxConcurrencyLimit', ${maxConcurrencyLimit}`;
      throw new RangeError(`Cannot ${action} as 'minConcurrency' must be ${rule}: current value is ${minConcurrency}`);
    }
    this.random = random;
    this.share = resolved.sampleAggregatePercentile / 100;
    this.windowSeconds = resolved.concurrencyUpdateInterval;
    this.maxLimit = maxConcurrencyLimit;
    this.minLimit = minConcurrency;
    this.intervalSeconds = resolved.interval;
    this.jitterMs = Math.ceil(resolved.interval * 1000 * (resolved.jitter / 100));
    this.requestCount = resolved.requestCount;
    this.bufferShare = resolved.buffer / 100;
    this.time = new ForwardTime(startSeconds);
    this.current = minConcurrency;
    this.epochSeconds = this.time.at(startSeconds);
    this.startMeasuring(this.epochSeconds);
  }

  get limit(): number {
    return this.current;
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.underWay;
  }

  /** Whether the limit is pinned, see the states above. */
  get isMeasuring(): boolean {
    return this.deferred > 0;
  }

  acquire(nowSeconds: number): number {
    this.keepDeadlines(this.time.at(nowSeconds));
    if (this.underWay >= this.current) return 0;
    this.underWay += 1;
    return this.underWay;
  }

  release(_inFlight: number, tookSeconds: number, evidence: Evidence, nowSeconds: number): void {
    const time = this.time.at(nowSeconds);
    this.keepDeadlines(time);
    if (this.underWay > 0) this.underWay -= 1;
    if (evidence === "ignored" || !Number.isFinite(tookSeconds)) return;
    if (time - tookSeconds < this.epochSeconds - ROUNDING_SECONDS) return;
    this.samples.add(Math.floor(Math.max(0, tookSeconds) * MICROSECONDS));
    if (this.deferred > 0 && this.samples.count >= this.requestCount) this.endMeasuring(time);
  }

  private keepDeadlines(time: number): void {
    if (this.deferred > 0) return;
    if (time >= this.windowEndSeconds && this.windowEndSeconds <= this.measureAtSeconds) {
      const end = this.windowEndSeconds;
      this.closeWindow(end);
      this.windowEndSeconds = end + (Math.floor((time - end) / this.windowSeconds) + 1) * this.windowSeconds;
    }
    if (time >= this.measureAtSeconds) this.startMeasuring(this.measureAtSeconds);
  }

  private closeWindow(endSeconds: number): void {
    if (this.samples.count === 0) return;
    this.moveTo(this.nextLimit(this.summarise()));
    if (this.atMinimum >= WINDOWS_AT_MINIMUM) this.measureAtSeconds = endSeconds;
  }

  private startMeasuring(time: number): void {
    this.deferred = this.current;
    this.moveTo(this.minLimit);
    this.samples.clear();
    this.epochSeconds = time;
    this.measureAtSeconds = Number.POSITIVE_INFINITY;
  }

  private endMeasuring(time: number): void {
    this.minRttNs = this.summarise();
    this.moveTo(this.deferred);
    this.deferred = 0;
    const putOffMs = this.jitterMs === 0 ? 0 : Math.floor(this.random.random() * this.jitterMs);
    this.measureAtSeconds = time + this.intervalSeconds + putOffMs / 1000;
    this.windowEndSeconds = time + this.windowSeconds;
  }

  /** Nanoseconds, of whole microseconds. */
  private summarise(): number {
    const ns = Math.trunc(this.samples.quantile(this.share)) * 1000;
    this.samples.clear();
    return ns;
  }

  private nextLimit(sampleRttNs: number): number {
    const raw = (this.minRttNs + this.minRttNs * this.bufferShare) / sampleRttNs;
    const gradient = sampleRttNs === 0 ? 2 : Math.max(0.5, Math.min(2, raw));
    const limit = this.current * gradient;
    return Math.max(this.minLimit, Math.min(this.maxLimit, Math.floor(limit + Math.sqrt(limit))));
  }

  private moveTo(limit: number): void {
    const stays = this.deferred === 0 && this.current === this.minLimit && limit === this.minLimit;
    this.atMinimum = stays ? this.atMinimum + 1 : 0;
    this.current = limit;
  }
}
