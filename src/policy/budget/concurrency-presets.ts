/** Budgets on the retries that are under way at once. */

import { FullJitterBackoff } from "../backoff/full-jitter-backoff.ts";
import { floorUnderWay } from "../lint/policy-traits.ts";
import { maxAttemptsOption, resolveOptions } from "../option.ts";
import type { PolicyPreset } from "../preset.ts";
import { delayOption } from "./delay-option.ts";
import { EnvoyBudget, envoyBudgetOptions } from "./envoy-budget.ts";
import { FailsafeGoBudget, failsafeGoBudgetOptions } from "./failsafe-go-budget.ts";
import { withBudget } from "./with-budget.ts";

const envoyOptions = {
  ...envoyBudgetOptions,
  maxAttempts: { ...maxAttemptsOption, default: 2 },
  baseInterval: delayOption(0.025, "Bound of the first backoff"),
  maxInterval: delayOption(0.25, "Bound of all backoffs"),
};

const failsafeGoOptions = { ...failsafeGoBudgetOptions, maxAttempts: maxAttemptsOption };

export const concurrencyBudgetPresets: readonly PolicyPreset[] = [
  {
    name: "envoy-budget",
    family: "budget",
    summary: "Envoy's retry budget: retries under way below a fifth of the requests under way, but three at least",
    use: "One retry by a proxy that sees all traffic to a cluster, many requests under way at once",
    fails:
      "Fast rejections keep little under way, so that the minimum of three decides: a small client retries all it has",
    equation:
      "retry while retries under way < max(trunc(budgetPercent / 100 x requests under way), minRetryConcurrency)",
    source: "envoyproxy/envoy source/common/upstream/resource_manager_impl.h, source/common/router/retry_state_impl.cc",
    options: envoyOptions,
    traits: (own) => ({ floor: floorUnderWay(own, "minRetryConcurrency", (own.budgetPercent as number) / 100) }),
    create: (options) => {
      const resolved = resolveOptions("create envoy-budget", envoyOptions, options);
      const backoff = new FullJitterBackoff({ base: resolved.baseInterval, cap: resolved.maxInterval });
      return withBudget(resolved.maxAttempts, () => new EnvoyBudget(options), backoff);
    },
  },
  {
    name: "failsafe-go-budget",
    family: "budget",
    summary: "failsafe-go's budget: immediate retries, up to three or a fifth of the executions under way",
    use: "Go services that compose their policies in code",
    fails: "As envoy-budget: what is under way says little of the rate, and three per client is no bound for many",
    equation: "deny once retries >= minConcurrency and retries / (calls + retries) > maxRate, all those under way",
    source: "failsafe-go/failsafe-go budget/budget.go and retrypolicy/retryexecutor.go",
    options: failsafeGoOptions,
    traits: (own) => ({ floor: floorUnderWay(own, "minConcurrency", own.maxRate as number) }),
    create: (options) => {
      const { maxAttempts } = resolveOptions("create failsafe-go-budget", failsafeGoOptions, options);
      return withBudget(maxAttempts, () => new FailsafeGoBudget(options));
    },
  },
];
