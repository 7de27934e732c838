/** The names of the classes of {@link Criticality}, as they are sent and shown. */

import type { Criticality } from "./policy.ts";

/** Index: {@link Criticality}. Source: Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, "Criticality". */
export const CRITICALITY_NAMES = ["CRITICAL_PLUS", "CRITICAL", "SHEDDABLE_PLUS", "SHEDDABLE"] as const;

export const CRITICALITIES: readonly Criticality[] = [0, 1, 2, 3];

/** Shares of the calls by class, index {@link Criticality}; they add up to 1. */
export type CriticalityMix = readonly [number, number, number, number];

/** The class in which `u`, uniform in [0, 1), falls. */
export function criticalityAt(mix: CriticalityMix, u: number): Criticality {
  let upTo = 0;
  for (const criticality of CRITICALITIES) {
    upTo += mix[criticality];
    if (u < upTo) return criticality;
  }
  // The shares' sum is rounded: what is left belongs to the last class that has any.
  return CRITICALITIES.findLast((criticality) => mix[criticality] > 0) ?? 1;
}
