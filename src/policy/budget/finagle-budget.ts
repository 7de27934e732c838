/** Finagle's retry budget. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { DENIED, type RetryBudget } from "../parts.ts";
import { SlicedSum } from "../sliced-sum.ts";
import { wholeMilliseconds } from "../whole-milliseconds.ts";
import { LeakyBucket } from "./leaky-bucket.ts";

/** Options of {@link FinagleBudget}. What is missing or `undefined` has its default. */
export interface FinagleBudgetOptions {
  /** How long deposits and withdrawals count, in seconds, 1 to 60. Default 10. */
  readonly ttl?: number | undefined;
  /** Retries a second that are allowed whatever the rate of calls. Default 10. */
  readonly minRetriesPerSec?: number | undefined;
  /** Retries per call on top of those, 0 to 1,000. Default 0.2. */
  readonly percentCanRetry?: number | undefined;
}

/** The options' defaults and bounds. */
export const finagleBudgetOptions = {
  ttl: {
    default: 10,
    kind: "number",
    min: 1,
    max: 60,
    unit: "seconds",
    doc: "How long deposits and withdrawals count",
  },
  minRetriesPerSec: {
    default: 10,
    kind: "integer",
    min: 0,
    max: 2_147_483_647,
    unit: "perSecond",
    doc: "Retries a second that are allowed whatever the rate of calls; per client unless the scope is process",
  },
  percentCanRetry: {
    default: 0.2,
    kind: "number",
    min: 0,
    max: 1000,
    unit: "ratio",
    doc: "Retries per call on top of the minimum, as a ratio",
  },
} as const satisfies Record<string, NumberSpec>;

/** So that more than one retry per call can be granted in whole tokens. */
const SCALE = 1000;

/** 10 slices: 9 closed ones and the open one. */
const SLICES = 10;

/**
 * Each call deposits 1,000 tokens when it starts; a retry withdraws `trunc(1000 / percentCanRetry)` of them. Both are forgotten
 * after `ttl`. On top stands a reserve of `minRetriesPerSec x trunc(ttl)` retries, for clients that call seldom or have just
 * started. A retry is granted while what is there covers it. Without a percentage calls deposit nothing and a retry costs 1.
 *
 * Two retries in ten calls bound the load at `1 + percentCanRetry` times the calls, **plus** the reserve: in a lasting outage
 * a client retries `percentCanRetry x rate + minRetriesPerSec` times a second, and a client that calls ten times a second
 * doubles its load by the minimum alone. `minRetriesPerSec x ttl` retries, 100, pass at once. Both figures are per client:
 * many small clients are not bounded by them. A client that looks at its budget only now and then gets a little less than
 * the minimum, since its slices last longer: n looks a second at random times make a slice of 1 s one of 1 + 1/n.
 *
 * Memory: about 320 bytes.
 *
 * Source: twitter/finagle finagle-core/src/main/scala/com/twitter/finagle/service/RetryBudget.scala and RetryFilter.scala.
 */
export class FinagleBudget implements RetryBudget {
  /** In whole milliseconds, as the source. */
  private readonly bucket: LeakyBucket;
  private readonly deposit: number;
  private readonly withdrawal: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: FinagleBudgetOptions = {}) {
    const { ttl, minRetriesPerSec, percentCanRetry } = resolveOptions(
      "create FinagleBudget",
      finagleBudgetOptions,
      options,
    );
    this.deposit = percentCanRetry === 0 ? 0 : SCALE;
    this.withdrawal = percentCanRetry === 0 ? 1 : Math.trunc(SCALE / percentCanRetry);
    const reserve = minRetriesPerSec * Math.trunc(ttl) * this.withdrawal;
    this.bucket = new LeakyBucket(
      new SlicedSum(SLICES * Math.floor((1000 * ttl) / SLICES), SLICES, SLICES - 1, "down"),
      reserve,
    );
  }

  callStarted(nowSeconds: number): void {
    this.bucket.put(this.deposit, wholeMilliseconds(nowSeconds));
  }

  attemptEnded(): void {}

  withdraw(_call: unknown, nowSeconds: number): number {
    return this.bucket.take(this.withdrawal, wholeMilliseconds(nowSeconds)) ? this.withdrawal : DENIED;
  }

  retryEnded(): void {}

  callEnded(): void {}
}
