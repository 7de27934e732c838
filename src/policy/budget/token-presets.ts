/** Budgets that are a bucket of tokens without a clock: what happened last decides. */

import { FullJitterBackoff } from "../backoff/full-jitter-backoff.ts";
import { GrpcBackoff, grpcBackoffOptions } from "../backoff/grpc-backoff.ts";
import { floorAtStart } from "../lint/policy-traits.ts";
import { maxAttemptsOption, resolveOptions } from "../option.ts";
import type { PolicyPreset } from "../preset.ts";
import { AwsRetryQuota, awsRetryQuotaOptions } from "./aws-retry-quota.ts";
import { BrookerTokenBucket, brookerTokenBucketOptions } from "./brooker-token-bucket.ts";
import { delayOption } from "./delay-option.ts";
import { GrpcRetryBudget } from "./grpc-retry-budget.ts";
import { retryTokensOptions } from "./retry-tokens.ts";
import { withBudget } from "./with-budget.ts";

const fourAttempts = { ...maxAttemptsOption, default: 4 };

/** Without the bound of A6, which takes more than 5 for 5. */
const grpcAttempts = fourAttempts;

const grpcOptions = { ...retryTokensOptions, maxAttempts: grpcAttempts, ...grpcBackoffOptions };

const awsOptions = {
  ...awsRetryQuotaOptions,
  maxAttempts: maxAttemptsOption,
  baseBackoff: delayOption(1, "Bound of the first backoff; 0.05 in the revision of 2026, but for throttling answers"),
  maxBackoff: delayOption(20, "Bound of all backoffs"),
};

const brookerOptions = { ...brookerTokenBucketOptions, maxAttempts: fourAttempts };

export const tokenBudgetPresets: readonly PolicyPreset[] = [
  {
    name: "grpc-retry-throttling",
    family: "budget",
    summary: "gRPC retries with retry throttling: none while the tokens are half gone, exponential backoff",
    use: "gRPC channels with a service config, one throttle for each server name",
    fails:
      "All or nothing: above a failure share of tokenRatio / (1 + tokenRatio) no call is retried, below it all are",
    equation: "tokens: -1 per overload, + tokenRatio per success, 0..maxTokens; retry while tokens > maxTokens / 2",
    source: "grpc/proposal A6-client-retries.md; grpc/grpc-go stream.go and clientconn.go (retryThrottler)",
    options: grpcOptions,
    create: (options) => {
      const { maxAttempts } = resolveOptions("create grpc-retry-throttling", grpcOptions, options);
      return withBudget(maxAttempts, () => new GrpcRetryBudget(options), new GrpcBackoff(options));
    },
  },
  {
    name: "aws-standard",
    family: "budget",
    summary: "The standard retry mode of the AWS SDKs: a quota of 500 tokens, full jitter of seconds",
    use: "Any client of an AWS service; long-lived clients with a steady stream of successes",
    fails:
      "A new client retries 100 times for nothing, so a crowd of short-lived or many clients is not bounded at all",
    equation:
      "retry while tokens >= cost (5, after a time-out 10); success +1, after a retry + its cost; delay U(0, 1) x min(2^i, 20 s)",
    source: "boto/botocore botocore/retries/standard.py and botocore/retries/quota.py",
    options: awsOptions,
    traits: (own) => ({ floor: floorAtStart(own, "capacity", own.retryCost as number) }),
    create: (options) => {
      const resolved = resolveOptions("create aws-standard", awsOptions, options);
      const backoff = new FullJitterBackoff({ base: resolved.baseBackoff, cap: resolved.maxBackoff });
      return withBudget(resolved.maxAttempts, () => new AwsRetryQuota(options), backoff);
    },
  },
  {
    name: "brooker-token-bucket",
    family: "budget",
    summary: "Brooker's adaptive retries: a success adds a tenth of a token, an immediate retry takes one",
    use: "As the simplest budget that stops in an outage; depositPerCall in place of depositPerSuccess leaves it 10 %",
    fails: "A client with a few calls never earns a retry back; each new one brings four for nothing",
    equation: "retry while tokens > 1, which takes 1; + depositPerSuccess or depositPerCall, up to bucketSize",
    source:
      "Brooker, Fixing retries with token buckets and circuit breakers (2022); mbrooker/simulator_example retry_sim (no bound on attempts there)",
    options: brookerOptions,
    // A retry needs more than the token that it takes.
    traits: (own) => ({
      floor: floorAtStart({ bucketSize: Math.ceil(own.bucketSize as number) - 1 }, "bucketSize", 1),
    }),
    create: (options) => {
      const { maxAttempts } = resolveOptions("create brooker-token-bucket", brookerOptions, options);
      return withBudget(maxAttempts, () => new BrookerTokenBucket(options));
    },
  },
];
