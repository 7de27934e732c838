/** The capacity that follows from the trials of a result of `capacity`. */

import { concludeCapacity } from "../../experiment/capacity-conclusion.ts";
import type { Result } from "../../result/schema.ts";

/** The result as it is while there are no trials, or none that came as far as a window. */
export function withCapacity(result: Result): Result {
  const capacity = concludeCapacity(result.trials, result.plan.arrival);
  return capacity === undefined ? result : { ...result, capacity };
}
