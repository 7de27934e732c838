/** What reports of every form say in the same words. */

import { ageText } from "../figures/age-text.ts";
import type { TrialResult } from "../result/schema.ts";

/** After a heading such as `PARTIAL: `. */
export const PARTIAL_TEXT = "the experiment was cut short; what follows is what there is.";

export const LOWER_BOUND_NOTE = "≥ marks a lower bound: what timed out or never finished took at least that long.";

/** Where a trial ran: `real world`, or `virtual world (shed:capacity=100)`. */
export function worldText({ world, model }: Pick<TrialResult, "world" | "model">): string {
  switch (world) {
    case "real":
      return "real world";
    case "virtual":
      return model === undefined ? "virtual world" : `virtual world (${model})`;
    default:
      return world satisfies never;
  }
}

/** What is common to the clients of all trials, where it matters: `clients aged 120 s`, `cold clients`. */
export function clientsText(trials: readonly TrialResult[]): string | undefined {
  const [first, ...others] = trials;
  if (first === undefined || others.some((trial) => ageText(trial) !== ageText(first))) return undefined;
  if (first.age !== undefined) return `clients ${ageText(first)}`;
  return trials.some(showsReaction) ? "cold clients" : undefined;
}

/** Whether the trials of a result differ in the past of their clients. */
export function agesDiffer(trials: readonly TrialResult[]): boolean {
  return new Set(trials.map(ageText)).size > 1;
}

/** How soon its clients react shows where something happens to the backend: before a window has passed, cold ones are early. */
function showsReaction({ policy, warmup, script, recovery }: TrialResult): boolean {
  const window = Number(policy.options.window ?? 0);
  return (script !== undefined || recovery !== undefined) && window > (warmup?.seconds ?? 0);
}
