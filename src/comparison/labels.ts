import { policyName } from "../figures/policy-text.ts";
import type { ArmSummary } from "../result/comparison-schema.ts";

/** What an arm is called in a sentence: by its policy where that tells it from all others, else by its own name. */
export function armLabel(arm: string, arms: readonly ArmSummary[]): string {
  const summary = arms.find((candidate) => candidate.arm === arm);
  if (summary === undefined) return arm;
  const name = policyName(summary.policy);
  return arms.filter((other) => policyName(other.policy) === name).length === 1 ? name : arm;
}
