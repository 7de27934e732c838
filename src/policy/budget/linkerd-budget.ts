/** Linkerd's retry budget. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { DENIED, type RetryBudget } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { SlicedSum } from "../sliced-sum.ts";
import { LeakyBucket } from "./leaky-bucket.ts";

/** Options of {@link LinkerdBudget}. What is missing or `undefined` has its default. */
export interface LinkerdBudgetOptions {
  /** How long deposits and withdrawals are to count, in seconds, 1 to 60. Default 10. */
  readonly ttl?: number | undefined;
  /** Retries a second that are allowed whatever the rate of calls. Default 10. */
  readonly minRetriesPerSecond?: number | undefined;
  /** Retries per answered call on top of those, 0 to 1,000. Default 0.2. */
  readonly retryRatio?: number | undefined;
}

/** The options' defaults and bounds. */
export const linkerdBudgetOptions = {
  ttl: {
    default: 10,
    kind: "number",
    min: 1,
    max: 60,
    unit: "seconds",
    doc: "How long deposits and withdrawals are to count; those of a busy client count 0.6 as long",
  },
  minRetriesPerSecond: {
    default: 10,
    kind: "integer",
    min: 0,
    max: 2_147_483_646,
    unit: "perSecond",
    doc: "Retries a second that are allowed whatever the rate of calls; per client unless the scope is process",
  },
  retryRatio: {
    default: 0.2,
    kind: "number",
    min: 0,
    max: 1000,
    unit: "ratio",
    doc: "Retries per call that was answered, on top of the minimum",
  },
} as const satisfies Record<string, NumberSpec>;

const SLOTS = 10;

/**
 * The budget of tower, as Linkerd's proxy uses it. Like {@link FinagleBudget}, with three differences that matter:
 *
 * - a deposit is made by an attempt whose answer is **not** to be retried, not by the start of a call. While everything fails
 *   nothing is deposited, and only the reserve is left: with failure share f a ratio r gives `r (1 - f) / (1 - r (1 - f))`
 *   retries a call;
 * - for a ratio up to 1 the deposit is 1 and a retry costs `trunc(1 / retryRatio)`, in 32-bit floats: 0.6 acts as 1 does. Above
 *   1 it is 1,000 against `trunc(1000 / retryRatio)`;
 * - its window rounds up, see {@link SlicedSum}: a client with many looks a slot forgets after 0.6 of the `ttl`, and gets the
 *   reserve of `minRetriesPerSecond x trunc(ttl)` retries back that much earlier. In an outage it retries up to 1.67 times the
 *   minimum a second.
 *
 * The proxy retries answers of 5xx alone: an attempt that timed out or broke is not retried there, and deposits. Here every
 * overload is retried.
 *
 * Memory: about 320 bytes.
 *
 * Sources: tower-rs/tower tower/src/retry/budget/tps_budget.rs; linkerd/linkerd2-proxy linkerd/app/outbound/src/http/retry.rs
 * (deposits, and no bound on the attempts of a call); the defaults are those of the ServiceProfile.
 */
export class LinkerdBudget implements RetryBudget {
  private readonly bucket: LeakyBucket;
  private readonly deposit: number;
  private readonly withdrawal: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: LinkerdBudgetOptions = {}) {
    const { ttl, minRetriesPerSecond, retryRatio } = resolveOptions(
      "create LinkerdBudget",
      linkerdBudgetOptions,
      options,
    );
    const ratio = Math.fround(retryRatio);
    this.deposit = ratio === 0 ? 0 : ratio <= 1 ? 1 : 1000;
    this.withdrawal = ratio === 0 ? 1 : Math.trunc(Math.fround(this.deposit / ratio));
    const reserve = minRetriesPerSecond * Math.trunc(ttl) * this.withdrawal;
    this.bucket = new LeakyBucket(new SlicedSum(ttl, SLOTS, SLOTS, "up"), reserve);
  }

  callStarted(): void {}

  attemptEnded(_call: PolicyCall, verdict: AttemptVerdict, _held: number, nowSeconds: number): void {
    if (verdict !== "overloaded") this.bucket.put(this.deposit, nowSeconds);
  }

  withdraw(_call: PolicyCall, nowSeconds: number): number {
    return this.bucket.take(this.withdrawal, nowSeconds) ? this.withdrawal : DENIED;
  }

  retryEnded(): void {}

  callEnded(): void {}
}
