/** The client without overload control: the baseline that the others are compared with. */

import { maxAttemptsOption, resolveOption } from "./option.ts";
import type { AttemptVerdict, NextStep, Policy, PolicyCall } from "./policy.ts";

/** Options of {@link FixedRetry}. */
export interface FixedRetryOptions {
  /** Attempts of one call, the first included. Default 3; 1 never retries. */
  readonly maxAttempts?: number | undefined;
}

/**
 * Sends everything and retries overloaded attempts at once, up to `maxAttempts`: no throttle, no budget, no backoff. When
 * everything is refused, `maxAttempts` times the offered load is sent. It keeps no state, so one serves any number of users.
 */
export class FixedRetry implements Policy {
  private readonly maxAttempts: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: FixedRetryOptions = {}) {
    this.maxAttempts = resolveOption("create FixedRetry", "maxAttempts", maxAttemptsOption, options.maxAttempts);
  }

  admit(_call: PolicyCall): "send" {
    return "send";
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    return verdict === "overloaded" && call.attempt + 1 < this.maxAttempts ? "retry" : "done";
  }
}
