/** A breaker that stands before the retries only. */

import { plainEvidence } from "../composed-policy.ts";
import { DENIED, type RetryBudget } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { SecondWindow } from "../second-window.ts";

const CALLS = 0;
const FAILURES = 1;
const BUCKETS = 10;

/**
 * No call is ever refused. A retry is denied while `failures / calls > maxRate`: failures are failed attempts, those of retries
 * included, and calls are calls begun. So one failure more than the rate allows ends all retries, and a call that fails for
 * good counts as often as it was tried.
 *
 * The source counts over the client's whole life, which is what `windowSeconds` 0 does: a client with a long good past gives
 * retries long into an outage, and one with a bad past gives none long after it. A window of some seconds, in tenths, mends both.
 *
 * Memory: about 0.1 KB; 0.6 KB with a window.
 *
 * Source: mbrooker/simulator_example retry_sim/retry_strategy.py (`CircuitBreakerRetryStrategy`).
 */
export class RetryBreaker implements RetryBudget {
  private readonly maxRate: number;
  private readonly bucketSeconds: number;
  private readonly window: SecondWindow | undefined;
  private calls = 0;
  private failures = 0;

  /** @param windowSeconds 0: all of the past. */
  constructor(maxRate: number, windowSeconds: number) {
    this.maxRate = maxRate;
    this.bucketSeconds = windowSeconds / BUCKETS;
    this.window = windowSeconds > 0 ? new SecondWindow(2, BUCKETS) : undefined;
  }

  callStarted(nowSeconds: number): void {
    if (this.window === undefined) {
      this.calls++;
      return;
    }
    this.window.moveTo(nowSeconds / this.bucketSeconds);
    this.window.add(CALLS);
  }

  attemptEnded(call: PolicyCall, verdict: AttemptVerdict, _held: number, nowSeconds: number): void {
    if (plainEvidence(call, verdict) !== "failure") return;
    if (this.window === undefined) {
      this.failures++;
      return;
    }
    this.window.moveTo(nowSeconds / this.bucketSeconds);
    this.window.add(FAILURES);
  }

  withdraw(_call: PolicyCall, nowSeconds: number): number {
    if (this.window === undefined) return this.failures / this.calls > this.maxRate ? DENIED : 0;
    this.window.moveTo(nowSeconds / this.bucketSeconds);
    return this.window.total(FAILURES) / this.window.total(CALLS) > this.maxRate ? DENIED : 0;
  }

  retryEnded(): void {
    // Nothing was taken that could be given back.
  }

  callEnded(): void {
    // A call counts from its start.
  }
}
