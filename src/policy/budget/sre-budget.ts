/** The retry budget of {@link OverloadClient} by itself. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { overloadClientOptions } from "../overload-client.ts";
import { DENIED, type RetryBudget } from "../parts.ts";
import { SecondWindow } from "../second-window.ts";

/** Options of {@link SreBudget}. What is missing or `undefined` has its default. */
export interface SreBudgetOptions {
  /** Length of the window in seconds, 1 to 604,800. Default 120. */
  readonly window?: number | undefined;
  /** Retries are allowed while they are fewer than this share of all requests; 0 forbids them. Default 0.1. */
  readonly retryRatio?: number | undefined;
}

/** The options' defaults and bounds. */
export const sreBudgetOptions = {
  window: overloadClientOptions.window,
  retryRatio: overloadClientOptions.retryRatio,
} as const satisfies Record<string, NumberSpec>;

const REQUESTS = 0;
const RETRIES = 1;

/**
 * `retries < retryRatio x requests`, both of the last `window` seconds, requests with the retries in them. Ten percent, since
 * three attempts a call would else triple the load of a backend that is failing: with the budget it grows to
 * `1 / (1 - retryRatio)` of the calls at most, 1.11 times.
 *
 * It counts and decides as {@link OverloadClient} does, whose retries are immediate. A retry counts when it is granted.
 *
 * After a quiet window up to `retryRatio x rate x window` retries pass at once. Memory: about 500 bytes for a user that calls
 * seldom, 1 KB for one with more than 255 calls in a second.
 *
 * Source: Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, "Deciding to Retry".
 */
export class SreBudget implements RetryBudget {
  private readonly retryRatio: number;
  private readonly counts: SecondWindow;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: SreBudgetOptions = {}) {
    const { window, retryRatio } = resolveOptions("create SreBudget", sreBudgetOptions, options);
    this.retryRatio = retryRatio;
    this.counts = new SecondWindow(2, window);
  }

  callStarted(nowSeconds: number): void {
    this.counts.moveTo(nowSeconds);
    this.counts.add(REQUESTS);
  }

  attemptEnded(): void {}

  withdraw(_call: unknown, nowSeconds: number): number {
    const { counts } = this;
    counts.moveTo(nowSeconds);
    if (!(counts.total(RETRIES) < this.retryRatio * counts.total(REQUESTS))) return DENIED;
    counts.add(REQUESTS);
    counts.add(RETRIES);
    return 1;
  }

  retryEnded(): void {}

  callEnded(): void {}
}
