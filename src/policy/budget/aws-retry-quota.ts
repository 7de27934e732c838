/** The retry quota of the AWS SDKs' standard mode. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { DENIED, type RetryBudget } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { isSuccess } from "./success.ts";

/** Options of {@link AwsRetryQuota}. What is missing or `undefined` has its default. */
export interface AwsRetryQuotaOptions {
  /** Tokens at the start and at most. Default 500. */
  readonly capacity?: number | undefined;
  /** What a retry costs. Default 5. */
  readonly retryCost?: number | undefined;
  /** What a retry of an attempt that timed out costs. Default 10. */
  readonly timeoutRetryCost?: number | undefined;
  /** What a retry of an attempt that was answered with 429 costs. Default 5. */
  readonly throttlingRetryCost?: number | undefined;
  /** What a success without a retry earns. Default 1. */
  readonly noRetryIncrement?: number | undefined;
}

const cost = (defaultCost: number, doc: string) =>
  ({
    default: defaultCost,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc,
  }) as const satisfies NumberSpec;

/** The options' defaults and bounds. */
export const awsRetryQuotaOptions = {
  capacity: cost(500, "Tokens at the start and at most"),
  retryCost: cost(5, "What a retry costs; 14 in the revision of 2026"),
  timeoutRetryCost: cost(10, "What a retry after a time-out costs; 14 in the revision of 2026"),
  throttlingRetryCost: cost(5, "What a retry after a 429 costs"),
  noRetryIncrement: cost(1, "What a success without a retry earns"),
} as const satisfies Record<string, NumberSpec>;

/**
 * A bucket of `capacity` tokens, full at the start. A retry takes its cost if there is that much; a 2xx without a retry gives
 * `noRetryIncrement` back, one after retries gives back what its **last** retry took, whatever the earlier ones took. Anything
 * else gives nothing.
 *
 * With five for one, retries cost nothing while they help: they are paid back. Once about one in three attempts fails they
 * are bounded by the successes: `(1 - f) / (cost x f)` retries per call at failure share f, which falls to 0 with them.
 * `capacity / retryCost` retries, 100, pass at once from a full bucket. A time-out costs double, as it has cost the backend
 * the whole of its work.
 *
 * The revision of 2026 (botocore's AWS_NEW_RETRIES_2026, smithy-typescript's 2026 mode): every retry 14, but 5 after a throttling answer.
 *
 * Memory: about 70 bytes.
 *
 * Source: boto/botocore botocore/retries/quota.py, botocore/retries/standard.py (`RetryQuotaChecker`), per client.
 */
export class AwsRetryQuota implements RetryBudget {
  private readonly capacity: number;
  private readonly retryCost: number;
  private readonly timeoutRetryCost: number;
  private readonly throttlingRetryCost: number;
  private readonly noRetryIncrement: number;
  private available: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: AwsRetryQuotaOptions = {}) {
    const resolved = resolveOptions("create AwsRetryQuota", awsRetryQuotaOptions, options);
    this.capacity = resolved.capacity;
    this.retryCost = resolved.retryCost;
    this.timeoutRetryCost = resolved.timeoutRetryCost;
    this.throttlingRetryCost = resolved.throttlingRetryCost;
    this.noRetryIncrement = resolved.noRetryIncrement;
    this.available = resolved.capacity;
  }

  callStarted(): void {}

  attemptEnded(call: PolicyCall, verdict: AttemptVerdict, held: number): void {
    if (!isSuccess(call, verdict)) return;
    const amount = call.attempt === 0 ? this.noRetryIncrement : held;
    this.available = Math.min(this.capacity, this.available + amount);
  }

  withdraw(call: PolicyCall): number {
    const amount = this.costOf(call);
    if (amount > this.available) return DENIED;
    this.available -= amount;
    return amount;
  }

  retryEnded(): void {}

  callEnded(): void {}

  private costOf(call: PolicyCall): number {
    if (call.fault === "timeout") return this.timeoutRetryCost;
    return call.status === 429 ? this.throttlingRetryCost : this.retryCost;
  }
}
