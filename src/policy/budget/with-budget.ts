/** From a budget to a policy that retries within it. */

import { ComposedPolicy } from "../composed-policy.ts";
import type { Backoff, RetryBudget } from "../parts.ts";
import type { PolicyFactory } from "../policy.ts";

/**
 * Each user's policy: `maxAttempts` attempts, a budget of the user's own, and a backoff, which keeps nothing of a user and is
 * shared by all.
 */
export function withBudget(
  maxAttempts: number,
  makeBudget: () => RetryBudget | undefined,
  backoff?: Backoff,
): PolicyFactory {
  return (clock, _random, jitter) => new ComposedPolicy(clock, jitter, { budget: makeBudget(), backoff, maxAttempts });
}
