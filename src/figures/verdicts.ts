import type { TrialResult } from "../result/schema.ts";

/** How many trials have which verdict. */
export function verdictCounts(trials: readonly TrialResult[]): Record<TrialResult["validity"]["verdict"], number> {
  const counts = { valid: 0, suspect: 0, invalid: 0 };
  for (const trial of trials) counts[trial.validity.verdict]++;
  return counts;
}
