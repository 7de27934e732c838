/** The token bucket of Brooker's "adaptive" retries. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { DENIED, type RetryBudget } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { isSuccess } from "./success.ts";

/** Options of {@link BrookerTokenBucket}. What is missing or `undefined` has its default. */
export interface BrookerTokenBucketOptions {
  /** Tokens at the start and at most. Default 5. */
  readonly bucketSize?: number | undefined;
  /** Tokens that a success adds. Default 0.1. */
  readonly depositPerSuccess?: number | undefined;
  /** Tokens that the start of a call adds. Default 0. */
  readonly depositPerCall?: number | undefined;
}

/** The options' defaults and bounds. */
export const brookerTokenBucketOptions = {
  bucketSize: {
    default: 5,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Tokens at the start and at most; a retry takes one, and needs more than one",
  },
  depositPerSuccess: {
    default: 0.1,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "Tokens that a success adds",
  },
  depositPerCall: {
    default: 0,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "Tokens that the start of a call adds: 0.1, with depositPerSuccess 0, in the simulation of the source",
  },
} as const satisfies Record<string, NumberSpec>;

/**
 * A bucket of `bucketSize` tokens, full at the start. A retry passes if there is **more** than one token, and takes one. While few
 * calls fail it acts like plain retries, in an outage like a tenth of a retry per call: a bound in steps, without a breaker's
 * guess about the backend. Five tokens let 4 retries pass at once.
 *
 * What fills it makes two rules out of one. By the text, successes do: with failure share f and deposit b there are
 * `b (1 - f) / (1 - b (1 - f))` retries per call, none in an outage. In the published simulation calls do: then they are
 * `min(f + f^2 + f^3, b)`, a tenth also when nothing succeeds.
 *
 * Memory: about 60 bytes.
 *
 * Sources: Brooker, Fixing retries with token buckets and circuit breakers (2022); mbrooker/simulator_example
 * retry_sim/retry_strategy.py (`AdaptiveRetryStrategy`).
 */
export class BrookerTokenBucket implements RetryBudget {
  private readonly bucketSize: number;
  private readonly depositPerSuccess: number;
  private readonly depositPerCall: number;
  private tokens: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: BrookerTokenBucketOptions = {}) {
    const resolved = resolveOptions("create BrookerTokenBucket", brookerTokenBucketOptions, options);
    this.bucketSize = resolved.bucketSize;
    this.depositPerSuccess = resolved.depositPerSuccess;
    this.depositPerCall = resolved.depositPerCall;
    this.tokens = resolved.bucketSize;
  }

  callStarted(): void {
    this.fill(this.depositPerCall);
  }

  attemptEnded(call: PolicyCall, verdict: AttemptVerdict): void {
    if (isSuccess(call, verdict)) this.fill(this.depositPerSuccess);
  }

  withdraw(): number {
    if (!(this.tokens > 1)) return DENIED;
    this.tokens -= 1;
    return 1;
  }

  retryEnded(): void {}

  callEnded(): void {}

  private fill(amount: number): void {
    this.tokens = Math.min(this.bucketSize, this.tokens + amount);
  }
}
