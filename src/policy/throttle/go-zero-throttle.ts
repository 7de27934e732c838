/** go-zero's breaker. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { overloadClientOptions } from "../overload-client.ts";
import type { Throttle } from "../parts.ts";
import type { AttemptVerdict, PolicyCall, Random } from "../policy.ts";
import { answeredBelow500 } from "./acceptance.ts";
import { BUCKETS, DROP, FAILURE, OutcomeBuckets, SUCCESS } from "./outcome-buckets.ts";

/** The options' defaults and bounds. */
export const goZeroOptions = {
  k: { ...overloadClientOptions.k, default: 1.5 },
  minK: {
    default: 1.1,
    kind: "number",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "What K falls to when all buckets fail, at most K itself",
  },
  window: { ...overloadClientOptions.window, default: 10 },
  protection: {
    default: 5,
    kind: "integer",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Requests that the numerator leaves out",
  },
  forcePass: {
    default: 1,
    kind: "number",
    min: 0,
    max: 604_800,
    unit: "seconds",
    doc: "While rejecting, one attempt passes when the last one did longer ago than this",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link GoZeroThrottle}. What is missing or `undefined` has its default. */
export type GoZeroOptions = { readonly [Name in keyof typeof goZeroOptions]?: number | undefined };

/**
 * With the total, local rejects included, and the accepts of a window of 40 buckets, `failing` and `working` the runs of bad
 * and of good buckets at its end (see {@link OutcomeBuckets}):
 *
 *     w = max(minK, k - (k - minK) failing / 40)
 *     p = (total - protection - w accepts) / (total + 1) x (40 - working) / 40
 *
 * An attempt passes when p is not above 0; when the last one to pass while p was above 0 did so more than `forcePass` ago; else
 * with probability 1 - p. The forced pass waits for a first one by chance. Attempts count when they are completed.
 *
 * 5 keeps a client of few calls out of it; K falls as the failure goes on, to shed more; good buckets at the end take the
 * probability down at once, and one attempt a second notices the recovery: what is missing in the book's rule, which re-opens
 * only as its window forgets.
 *
 * About 0.9 KB, whatever the rate. A clock that steps back empties the window.
 *
 * Source: zeromicro/go-zero core/breaker/googlebreaker.go, there per target of a client.
 */
export class GoZeroThrottle implements Throttle {
  private readonly random: Random;
  private readonly options: { readonly [Name in keyof typeof goZeroOptions]: number };
  private readonly counts: OutcomeBuckets;
  /** When an attempt last passed while p was above 0; `NaN`: never. */
  private lastPassSeconds = Number.NaN;

  /**
   * @param random one number per {@link admit} with p above 0 that no time lets pass.
   * @throws {RangeError} when an option is out of its bounds, or `minK` exceeds `k`.
   */
  constructor(random: Random, options: GoZeroOptions = {}) {
    const action = "create GoZeroThrottle";
    this.random = random;
    this.options = resolveOptions(action, goZeroOptions, options);
    const { k, minK, window } = this.options;
    if (minK > k) throw new RangeError(`Cannot ${action} as 'minK' must be at most k, ${k}: current value is ${minK}`);
    this.counts = new OutcomeBuckets(window / BUCKETS);
  }

  admit(nowSeconds: number): boolean {
    this.counts.moveTo(nowSeconds);
    const ratio = this.ratio();
    if (ratio <= 0) return true;
    if (!this.mustPass(nowSeconds) && this.random.random() < this.scaled(ratio)) {
      this.counts.add(DROP);
      return false;
    }
    this.lastPassSeconds = nowSeconds;
    return true;
  }

  settle(call: PolicyCall, _verdict: AttemptVerdict, nowSeconds: number): void {
    this.counts.moveTo(nowSeconds);
    this.counts.add(answeredBelow500(call) ? SUCCESS : FAILURE);
  }

  abandon(): void {}

  /** The probability by chance; 0 when the next attempt is to be forced. */
  rejectProbability(nowSeconds: number): number {
    this.counts.moveTo(nowSeconds);
    const ratio = this.ratio();
    return ratio <= 0 || this.mustPass(nowSeconds) ? 0 : this.scaled(ratio);
  }

  private ratio(): number {
    const { k, minK, protection } = this.options;
    const { total, successes } = this.counts;
    const surplus = total - protection;
    // The healthy case, without a walk over the buckets: K is never below minK.
    if (surplus <= minK * successes) return 0;
    const weight = Math.max(minK, k - ((k - minK) * this.counts.failingBuckets()) / BUCKETS);
    return (surplus - weight * successes) / (total + 1);
  }

  private mustPass(nowSeconds: number): boolean {
    if (nowSeconds < this.lastPassSeconds) this.lastPassSeconds = nowSeconds;
    return nowSeconds - this.lastPassSeconds > this.options.forcePass;
  }

  private scaled(ratio: number): number {
    return ratio * ((BUCKETS - this.counts.workingBuckets()) / BUCKETS);
  }
}
