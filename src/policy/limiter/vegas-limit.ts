/** The limit of TCP Vegas: by how much of it stands in a queue. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Random } from "../policy.ts";
import { checkLimitBounds, isUsableRtt, type Limit } from "./limit.ts";

/** The options' defaults and bounds. */
export const vegasLimitOptions = {
  initialLimit: {
    default: 20,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Limit at the start",
  },
  maxConcurrency: {
    default: 1000,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Largest limit",
  },
  smoothing: {
    default: 1,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Share of each new estimate that the limit takes over",
  },
  probeMultiplier: {
    default: 30,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "The no-load time is measured anew after 0.5 to 1 times this many samples for each place of the limit",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link VegasLimit}. */
export type VegasLimitOptions = { readonly [Name in keyof typeof vegasLimitOptions]?: number | undefined };

/**
 * ```text
 * queue = ceil(limit x (1 - rttNoLoad / rtt))      L = max(1, floor(log10(limit)))
 * dropped:                 limit - L
 * 2 x inFlight < limit:    no change
 * queue <= L:              limit + 6 L
 * queue <  3 L:            limit + L
 * queue >  6 L:            limit - L
 * ```
 * within [1, maxConcurrency]. `rttNoLoad` is the least time seen since the last probe; a sample that is a probe (one in
 * `jitter x probeMultiplier x limit`, jitter uniform in [0.5, 1)) or a new minimum sets it and does nothing else, **whether it
 * was dropped or not**. So a fast refusal becomes the no-load time, the drop is not counted, and every attempt that is served
 * afterwards looks as if it had queued. One step for each sample, with no guard of one cut for each round trip.
 *
 * A jitter is drawn from `random` at the start and with each probe. Samples without a time above 0 are ignored.
 *
 * The source computes the queue from whole nanoseconds; from seconds, a queue that would be whole may be rounded up to the next.
 *
 * Source: Netflix/concurrency-limits concurrency-limits-core `limit/VegasLimit.java`, after Brakmo and Peterson, TCP Vegas
 * (1995), whose alpha and beta of 3 and 6 grow here with the limit.
 */
export class VegasLimit implements Limit {
  limit: number;
  private readonly random: Random;
  private readonly maxLimit: number;
  private readonly smoothing: number;
  private readonly probeMultiplier: number;
  private estimate: number;
  private noLoadSeconds = 0;
  private probeCount = 0;
  private probeJitter: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(random: Random, options: VegasLimitOptions = {}) {
    const action = "create VegasLimit";
    const resolved = resolveOptions(action, vegasLimitOptions, options);
    checkLimitBounds(action, {
      initial: ["initialLimit", resolved.initialLimit],
      min: ["minLimit", 1],
      max: ["maxConcurrency", resolved.maxConcurrency],
    });
    this.random = random;
    this.limit = resolved.initialLimit;
    this.estimate = resolved.initialLimit;
    this.maxLimit = resolved.maxConcurrency;
    this.smoothing = resolved.smoothing;
    this.probeMultiplier = resolved.probeMultiplier;
    this.probeJitter = this.drawJitter();
  }

  sample(_startSeconds: number, rttSeconds: number, inFlight: number, dropped: boolean): void {
    if (!isUsableRtt(rttSeconds)) return;
    this.probeCount += 1;
    if (this.probeJitter * this.probeMultiplier * this.estimate <= this.probeCount) {
      this.probeJitter = this.drawJitter();
      this.probeCount = 0;
      this.noLoadSeconds = rttSeconds;
    } else if (this.noLoadSeconds === 0 || rttSeconds < this.noLoadSeconds) {
      this.noLoadSeconds = rttSeconds;
    } else {
      const { estimate } = this;
      const wanted = this.wantedLimit(rttSeconds, inFlight, dropped);
      if (wanted === estimate) return;
      const bounded = Math.max(1, Math.min(this.maxLimit, wanted));
      this.estimate = (1 - this.smoothing) * estimate + this.smoothing * bounded;
      this.limit = Math.floor(this.estimate);
    }
  }

  private wantedLimit(rttSeconds: number, inFlight: number, dropped: boolean): number {
    const { estimate } = this;
    const step = wholeLog10(estimate);
    if (dropped) return estimate - step;
    if (inFlight * 2 < estimate) return estimate;
    const queue = Math.ceil(estimate * (1 - this.noLoadSeconds / rttSeconds));
    if (queue <= step) return estimate + 6 * step;
    if (queue < 3 * step) return estimate + step;
    return queue > 6 * step ? estimate - step : estimate;
  }

  private drawJitter(): number {
    return this.random.random() * 0.5 + 0.5;
  }
}

/** `max(1, floor(log10(limit)))`, by counting digits. */
export function wholeLog10(limit: number): number {
  let log = 1;
  for (let power = 100; power <= limit; power *= 10) log += 1;
  return log;
}
