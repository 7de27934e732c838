/** The tokens with which gRPC throttles retries and hedges. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { isSuccess } from "./success.ts";

/** Options of {@link RetryTokens}. What is missing or `undefined` has its default. */
export interface RetryTokensOptions {
  /** Tokens of a full bucket, 1 to 1,000. Default 10. */
  readonly maxTokens?: number | undefined;
  /** Tokens that a success earns, counted in thousandths. Default 0.1. */
  readonly tokenRatio?: number | undefined;
}

/** The options' defaults, those of the example in A6, and bounds. */
export const retryTokensOptions = {
  maxTokens: {
    default: 10,
    kind: "integer",
    min: 1,
    max: 1000,
    unit: "count",
    doc: "Tokens of a full bucket; nothing is repeated while it is half empty or emptier",
  },
  tokenRatio: {
    default: 0.1,
    kind: "number",
    min: 0.001,
    max: 1000,
    unit: "ratio",
    doc: "Tokens that a success earns, to three decimals; an overloaded attempt costs 1",
  },
} as const satisfies Record<string, NumberSpec>;

/** A6 gives the ratio three decimals and ignores further ones: in thousandths all sums are exact. */
const ONE_TOKEN = 1000;
/** A ratio of three decimals times 1,000 is whole but for rounding. */
const ROUNDING = 1e-9;

/**
 * One count of tokens for a client: it starts at `maxTokens`, an overloaded attempt takes 1 (not below 0), a success gives
 * `tokenRatio` (not above `maxTokens`), any other answer leaves it as it is. Retries and hedges pass while it is **above
 * half** of `maxTokens`; they take nothing themselves.
 *
 * So repeats stop for good where failures outweigh successes, at a failure share above `tokenRatio / (1 + tokenRatio)`
 * (9.1 %), with a delay of `maxTokens / 2` failures. From a full bucket exactly `maxTokens / 2 - 1` retries pass when
 * everything fails; from an empty one the next retry needs more than `(maxTokens / 2 + 1) / tokenRatio` successes.
 *
 * Source: grpc/proposal A6-client-retries.md, "Throttling Retry Attempts and Hedged RPCs"; grpc/grpc-go clientconn.go
 * (`retryThrottler`).
 */
export class RetryTokens {
  private readonly max: number;
  private readonly ratio: number;
  private count: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: RetryTokensOptions = {}) {
    const { maxTokens, tokenRatio } = resolveOptions("create RetryTokens", retryTokensOptions, options);
    this.max = maxTokens * ONE_TOKEN;
    this.ratio = Math.floor(tokenRatio * ONE_TOKEN + ROUNDING);
    this.count = this.max;
  }

  /** Takes note of the end of an attempt. */
  record(call: PolicyCall, verdict: AttemptVerdict): void {
    if (verdict === "overloaded") this.count = Math.max(0, this.count - ONE_TOKEN);
    else if (isSuccess(call, verdict)) this.count = Math.min(this.max, this.count + this.ratio);
  }

  /** Whether a retry or a hedge may be sent. */
  get suffice(): boolean {
    return this.count > this.max / 2;
  }
}
