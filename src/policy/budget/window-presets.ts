/** Budgets that hold retries against the calls of the last seconds. */

import { floorPerSecond, windowOf } from "../lint/policy-traits.ts";
import { maxAttemptsOption, resolveOptions } from "../option.ts";
import type { PolicyPreset } from "../preset.ts";
import { delayOption } from "./delay-option.ts";
import { FinagleBackoff } from "./finagle-backoff.ts";
import { FinagleBudget, finagleBudgetOptions } from "./finagle-budget.ts";
import { LinkerdBudget, linkerdBudgetOptions } from "./linkerd-budget.ts";
import { SreBudget, sreBudgetOptions } from "./sre-budget.ts";
import { withBudget } from "./with-budget.ts";

const sreOptions = { ...sreBudgetOptions, maxAttempts: maxAttemptsOption };

const finagleOptions = {
  ...finagleBudgetOptions,
  maxAttempts: maxAttemptsOption,
  backoffStart: delayOption(0.005, "The first backoff, and the least"),
  backoffMaximum: delayOption(0.2, "The longest backoff"),
};

const linkerdOptions = {
  ...linkerdBudgetOptions,
  maxAttempts: {
    ...maxAttemptsOption,
    default: 0,
    min: 0,
    doc: "Attempts of one call, the first included; 0 is no bound but the budget",
  },
};

export const windowBudgetPresets: readonly PolicyPreset[] = [
  {
    name: "sre-budget",
    family: "budget",
    summary: "The per-client retry budget of sre by itself: immediate retries, at most a tenth of all requests",
    use: "Where retries may not multiply the load, and the backend sheds load by itself",
    fails: "Does not lower the first attempts; after a quiet window retryRatio x rate x window retries pass in a burst",
    equation: "retry while retries < retryRatio x requests of the last window; sent <= offered / (1 - retryRatio)",
    source: "Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, Deciding to Retry",
    options: sreOptions,
    traits: (own) => ({ window: windowOf(own, "window") }),
    create: (options) => {
      const { maxAttempts } = resolveOptions("create sre-budget", sreOptions, options);
      return withBudget(maxAttempts, () => new SreBudget(options));
    },
  },
  {
    name: "finagle-budget",
    family: "budget",
    summary: "Finagle's retry budget: a fifth of the calls and ten retries a second, with decorrelated jitter",
    use: "Few clients with many calls each, behind Finagle or a library that took its budget over",
    fails: "The minimum is per client: many small clients retry everything, and a retry storm sustains itself",
    equation:
      "retry while 1000 x calls - withdrawn + minRetriesPerSec x ttl x cost >= cost = trunc(1000 / percentCanRetry), over ttl",
    source:
      "twitter/finagle service/RetryBudget.scala, client/MethodBuilderRetry.scala; twitter/util WindowedAdder.scala",
    options: finagleOptions,
    traits: (own) => ({
      window: windowOf(own, "ttl", false),
      floor: floorPerSecond(own, "minRetriesPerSec", own.percentCanRetry as number),
    }),
    create: (options) => {
      const resolved = resolveOptions("create finagle-budget", finagleOptions, options);
      const backoff = new FinagleBackoff(resolved.backoffStart, resolved.backoffMaximum);
      return withBudget(resolved.maxAttempts, () => new FinagleBudget(options), backoff);
    },
  },
  {
    name: "linkerd-budget",
    family: "budget",
    summary: "The retry budget of a Linkerd ServiceProfile: immediate retries, a fifth of the answers and ten a second",
    use: "Routes that a mesh may retry, where the applications themselves must not",
    fails:
      "The minimum is per client, and refills faster than ttl says: in an outage a busy client adds up to 17 retries a second",
    equation:
      "retry while answered - withdrawn + minRetriesPerSecond x ttl x cost >= cost = trunc(1 / retryRatio), over 0.6 of ttl",
    source: "tower-rs/tower retry/budget/tps_budget.rs; linkerd/linkerd2-proxy linkerd/app/outbound/src/http/retry.rs",
    options: linkerdOptions,
    traits: (own) => ({
      window: windowOf(own, "ttl", false),
      floor: floorPerSecond(own, "minRetriesPerSecond", own.retryRatio as number),
    }),
    create: (options) => {
      const { maxAttempts } = resolveOptions("create linkerd-budget", linkerdOptions, options);
      return withBudget(maxAttempts || Number.POSITIVE_INFINITY, () => new LinkerdBudget(options));
    },
  },
];
