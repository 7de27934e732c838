/** Finagle's NACK admission filter. */

import { exponential } from "../exponential.ts";
import { type NumberSpec, resolveOptions } from "../option.ts";
import { overloadClientOptions } from "../overload-client.ts";
import type { Throttle } from "../parts.ts";
import type { AttemptVerdict, PolicyCall, Random } from "../policy.ts";
import { SlicedSum } from "../sliced-sum.ts";
import { wholeMilliseconds } from "../whole-milliseconds.ts";
import { notNacked } from "./acceptance.ts";

/** Of the last second. */
const SLICES = 10;

/** The options' defaults and bounds; the last two are constants of the source. */
export const finagleNackOptions = {
  window: { ...overloadClientOptions.window, doc: "Mean lifetime of a response in the moving average" },
  nackRateThreshold: {
    default: 0.5,
    kind: "number",
    min: 0.01,
    max: 0.99,
    unit: "ratio",
    doc: "Share of NACKs above which attempts are dropped",
  },
  rpsThreshold: {
    default: 5,
    kind: "integer",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "perSecond",
    doc: "With fewer attempts in the last second every response counts as accepted",
  },
  maxDropProbability: {
    default: 0.75,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Largest probability of a drop",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link FinagleNackThrottle}. What is missing or `undefined` has its default. */
export type FinagleNackOptions = { readonly [Name in keyof typeof finagleNackOptions]?: number | undefined };

/**
 * A moving average e over time instead of a window of counts. It starts at 1, and at each response dt after the last one
 *
 *     e = v (1 - w) + e w,   w = exp(-dt / window),   v = 0 for a NACK, 1 for anything else
 *
 * with v = 1 also while fewer than `rpsThreshold` attempts, dropped ones included, were made in the last second: a client of
 * few calls, or one that warms up, never gets below. An attempt is dropped when e < t, t = 1 - nackRateThreshold, with
 * probability min(maxDropProbability, 1 - e / t). For steady rates that is K = 1/t with local rejects not counted.
 *
 * A response at the same instant as the last one changes nothing (w = 1). A quarter always gets through, since without
 * responses e would never rise again.
 *
 * About 0.4 KB, whatever the rate. A clock that steps back loses one response.
 *
 * Source: twitter/finagle finagle-core/src/main/scala/com/twitter/finagle/filter/NackAdmissionFilter.scala, util/LossyEma.scala.
 */
export class FinagleNackThrottle implements Throttle {
  private readonly random: Random;
  private readonly windowSeconds: number;
  private readonly acceptRateThreshold: number;
  private readonly multiplier: number;
  private readonly rpsThreshold: number;
  private readonly maxDropProbability: number;
  /** In whole milliseconds, as the source. */
  private readonly recent: SlicedSum = new SlicedSum(1000, SLICES, SLICES - 1, "down");
  private average = 1;
  private updatedSeconds = Number.NaN;

  /**
   * @param random one number per {@link admit} with the average below the threshold.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(random: Random, options: FinagleNackOptions = {}) {
    const resolved = resolveOptions("create FinagleNackThrottle", finagleNackOptions, options);
    this.random = random;
    this.windowSeconds = resolved.window;
    this.acceptRateThreshold = 1 - resolved.nackRateThreshold;
    this.multiplier = 1 / this.acceptRateThreshold;
    this.rpsThreshold = resolved.rpsThreshold;
    this.maxDropProbability = resolved.maxDropProbability;
  }

  /** The moving average of responses that are no NACK, in [0, 1]. */
  get acceptFraction(): number {
    return this.average;
  }

  admit(nowSeconds: number): boolean {
    if (Number.isNaN(this.updatedSeconds) && Number.isFinite(nowSeconds)) this.updatedSeconds = nowSeconds;
    this.recent.moveTo(wholeMilliseconds(nowSeconds));
    this.recent.add(1);
    return !(this.average < this.acceptRateThreshold && this.random.random() < this.dropProbability());
  }

  settle(call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void {
    this.recent.moveTo(wholeMilliseconds(nowSeconds));
    const isEnough = this.recent.total >= this.rpsThreshold;
    this.update(!isEnough || notNacked(call, verdict) ? 1 : 0, nowSeconds);
  }

  abandon(): void {}

  rejectProbability(): number {
    return this.average < this.acceptRateThreshold ? this.dropProbability() : 0;
  }

  private dropProbability(): number {
    return Math.min(this.maxDropProbability, 1 - this.multiplier * this.average);
  }

  private update(value: number, nowSeconds: number): void {
    if (!Number.isFinite(nowSeconds)) return;
    const passed = nowSeconds - this.updatedSeconds;
    this.updatedSeconds = nowSeconds;
    if (!(passed > 0)) return;
    const weight = 1 - exponential(-passed / this.windowSeconds);
    this.average = value * weight + (1 - weight) * this.average;
  }
}
