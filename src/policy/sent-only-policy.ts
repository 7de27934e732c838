/** {@link AdaptiveThrottle} as a policy. */

import { AdaptiveThrottle, type AdaptiveThrottleOptions, adaptiveThrottleOptions } from "./adaptive-throttle.ts";
import { maxAttemptsOption, type NumberSpec, resolveOption } from "./option.ts";
import type { AttemptVerdict, Clock, NextStep, Policy, PolicyCall, Random } from "./policy.ts";

/** Options of {@link SentOnlyPolicy}. */
export interface SentOnlyPolicyOptions extends AdaptiveThrottleOptions {
  /** Attempts of one call, the first included. Default 1, as the throttle itself knows no retries. */
  readonly maxAttempts?: number | undefined;
}

/** The options' defaults and bounds. */
export const sentOnlyPolicyOptions = {
  ...adaptiveThrottleOptions,
  maxAttempts: { ...maxAttemptsOption, default: 1 },
} as const satisfies Record<string, NumberSpec>;

/**
 * Asks an {@link AdaptiveThrottle} before every attempt and records every attempt when it ends; a fault that is neither an
 * accept nor an overload is recorded as not accepted. Overloaded attempts are retried at once, without a budget, up to
 * `maxAttempts`.
 */
export class SentOnlyPolicy implements Policy {
  private readonly throttle: AdaptiveThrottle;
  private readonly maxAttempts: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(clock: Clock, rng: Random, options: SentOnlyPolicyOptions = {}) {
    const { maxAttempts } = sentOnlyPolicyOptions;
    this.maxAttempts = resolveOption("create SentOnlyPolicy", "maxAttempts", maxAttempts, options.maxAttempts);
    this.throttle = new AdaptiveThrottle(clock, rng, options);
  }

  admit(_call: PolicyCall): "send" | "throttled" {
    return this.throttle.shouldSend() ? "send" : "throttled";
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    this.throttle.record(verdict === "accepted");
    return verdict === "overloaded" && call.attempt + 1 < this.maxAttempts ? "retry" : "done";
  }
}
