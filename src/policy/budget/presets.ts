/** The retry budgets by name, and the retries that a bound and a backoff must do for. */

import { FullJitterBackoff } from "../backoff/full-jitter-backoff.ts";
import { maxAttemptsOption, resolveOptions } from "../option.ts";
import type { PolicyPreset } from "../preset.ts";
import { concurrencyBudgetPresets } from "./concurrency-presets.ts";
import { delayOption } from "./delay-option.ts";
import { tokenBudgetPresets } from "./token-presets.ts";
import { windowBudgetPresets } from "./window-presets.ts";
import { withBudget } from "./with-budget.ts";

const mongodbOptions = {
  maxAttempts: maxAttemptsOption,
  baseBackoff: delayOption(0.1, "Half the bound of the first backoff, as the source's exponent starts at 1"),
  maxBackoff: delayOption(10, "Bound of all backoffs"),
};

const mongodb: PolicyPreset = {
  name: "mongodb",
  family: "backoff",
  summary: "MongoDB drivers' backpressure: two retries of an overload, full jitter, no budget",
  use: "Drivers of a server that labels its overload errors, and sheds them cheaply",
  fails:
    "Triples the load of an overload that outlasts the backoffs: the specification itself gives up its token bucket",
  equation: "delay before retry i = 1, 2: U(0, 1) x min(maxBackoff, baseBackoff x 2^i)",
  source: "mongodb/specifications source/client-backpressure/client-backpressure.md",
  options: mongodbOptions,
  create: (options) => {
    const resolved = resolveOptions("create mongodb", mongodbOptions, options);
    const backoff = new FullJitterBackoff({ base: 2 * resolved.baseBackoff, cap: resolved.maxBackoff });
    return withBudget(resolved.maxAttempts, () => undefined, backoff);
  },
};

export const budgetPresets: readonly PolicyPreset[] = [
  ...windowBudgetPresets,
  ...tokenBudgetPresets,
  ...concurrencyBudgetPresets,
  mongodb,
];
