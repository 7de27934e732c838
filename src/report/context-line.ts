/** What reports of every form say in the same words. */

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
