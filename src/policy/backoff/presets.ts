/** Retries with each of the backoffs: what jitter is worth, with no budget to hide it. */

import { ComposedPolicy } from "../composed-policy.ts";
import { maxAttemptsOption, type NumberSpec } from "../option.ts";
import type { Backoff } from "../parts.ts";
import type { PolicyPreset } from "../preset.ts";
import { type BackoffOptions, backoffOptions } from "./backoff-options.ts";
import { DecorrelatedJitterBackoff } from "./decorrelated-jitter-backoff.ts";
import { DecorrelatedV2Backoff, decorrelatedV2Options } from "./decorrelated-v2-backoff.ts";
import { EqualJitterBackoff } from "./equal-jitter-backoff.ts";
import { ExponentialBackoff } from "./exponential-backoff.ts";
import { FullJitterBackoff } from "./full-jitter-backoff.ts";

const ARTICLE =
  "Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015); aws-samples/aws-arch-backoff-simulator src/backoff_simulator.py";
const LASTING =
  "A backoff puts load off and removes none: in a lasting overload the load still grows by the factor maxAttempts";

const options = { ...backoffOptions, maxAttempts: maxAttemptsOption } as const satisfies Record<string, NumberSpec>;

export const backoffPresets: readonly PolicyPreset[] = [
  preset({
    name: "backoff",
    summary: "Retries with exponential backoff, without jitter and without a budget",
    use: "The first thing that is put around a call; the textbook form",
    fails:
      "Calls that failed together come back together, in waves of the size of the first; no relief in a lasting overload",
    equation: "delay = min(cap, base x 2^n), n = 0 for the first retry",
    source: ARTICLE,
    options,
    Backoff: ExponentialBackoff,
  }),
  preset({
    name: "backoff-full",
    summary: "Retries with exponential backoff and full jitter, without a budget",
    use: "The usual advice, and what the AWS clients do beside their budget",
    fails: LASTING,
    equation: "delay = U(0, min(cap, base x 2^n))",
    source: ARTICLE,
    options,
    Backoff: FullJitterBackoff,
  }),
  preset({
    name: "backoff-equal",
    summary: "Retries with exponential backoff and equal jitter, without a budget",
    use: "Where a retry must not come too soon: at least half of each delay is kept",
    fails: `${LASTING}; more work and a longer wait than full jitter`,
    equation: "delay = h + U(0, h), h = min(cap, base x 2^n) / 2",
    source: ARTICLE,
    options,
    Backoff: EqualJitterBackoff,
  }),
  preset({
    name: "backoff-decorrelated",
    summary: "Retries with decorrelated jitter, without a budget",
    use: "As full jitter, with a least delay and without a retry counter",
    fails: LASTING,
    equation: "delay = min(cap, U(base, 3 x previous delay)), the first previous one being base",
    source: ARTICLE,
    options,
    Backoff: DecorrelatedJitterBackoff,
  }),
  preset({
    name: "backoff-v2",
    summary: "Retries with the decorrelated jitter, version 2, of Polly and cockatiel, without a budget",
    use: "What .NET services with Polly and Node services with cockatiel retry with",
    fails: LASTING,
    equation: "delay = min(cap, (x(n) - x(n-1)) / 1.4 x base), x(n) = 2^t tanh(sqrt(4 t)), t = n + U(0, 1)",
    source:
      "App-vNext/Polly src/Polly.Core/Retry/RetryHelper.cs (attempts from RetryConstants.cs); connor4312/cockatiel src/backoff/ExponentialBackoff.ts",
    options: { ...decorrelatedV2Options, maxAttempts: { ...maxAttemptsOption, default: 4 } },
    Backoff: DecorrelatedV2Backoff,
  }),
];

interface BackoffPreset extends Omit<PolicyPreset, "family" | "create"> {
  readonly Backoff: new (options: BackoffOptions) => Backoff;
}

function preset({ Backoff, ...described }: BackoffPreset): PolicyPreset {
  return {
    ...described,
    family: "backoff",
    create: ({ base, cap, maxAttempts = maxAttemptsOption.default }) => {
      const backoff = new Backoff({ base, cap });
      return (clock, _random, jitter) => new ComposedPolicy(clock, jitter, { backoff, maxAttempts });
    },
  };
}
