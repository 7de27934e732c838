/** Guard rails: where a policy, by its own equation, will not do under this load what its user expects of it. */

import type { ResolvedPolicy } from "../catalogue.ts";
import { ageWarnings } from "./age-lint.ts";
import type { PolicyTraits } from "./policy-traits.ts";
import { retryWarnings } from "./retry-lint.ts";
import { measuredThrottleWarnings, throttleWarnings } from "./throttle-lint.ts";
import type { LoadFacts, MeasuredFacts, Warning } from "./warning.ts";
import { windowWarnings } from "./window-lint.ts";

/** What the policy tells of itself with its options: nothing, unless its preset has traits. */
export function traitsOf({ preset, own }: ResolvedPolicy): PolicyTraits {
  return preset.traits?.(own) ?? {};
}

/** What is to be said before the run. */
export function lintPlan(policy: ResolvedPolicy, load: LoadFacts): readonly Warning[] {
  const { window, volume, throttle, floor, learnsLatency = false } = traitsOf(policy);
  return [
    ...windowWarnings(policy, window, volume, load),
    ...(throttle === undefined ? [] : throttleWarnings(policy, throttle, window, load)),
    ...retryWarnings(policy, floor, load),
    ...ageWarnings(learnsLatency, load),
  ];
}

/** What is to be said once it is measured, of which {@link lintPlan} could not know. */
export function lintMeasured(policy: ResolvedPolicy, load: LoadFacts, measured: MeasuredFacts): readonly Warning[] {
  const { window, throttle } = traitsOf(policy);
  return throttle === undefined ? [] : measuredThrottleWarnings(policy, throttle, window, load, measured);
}
