/** What follows from the trials of a result, where it does not say: one that was saved while its trials ran. */

import { compareArms } from "../../comparison/compare-arms.ts";
import { concludeRecovery } from "../../experiment/recovery-conclusion.ts";
import { withComparison } from "../../experiment/with-trials.ts";
import type { Result } from "../../result/schema.ts";
import { withCapacity } from "./capacity-conclusion.ts";
import { concludeSweep } from "./sweep-conclusion.ts";

export function withConclusions(result: Result): Result {
  const { comparison, sweep, recovery } = result;
  // Anew even where it says: it said so of fewer trials.
  if (recovery !== undefined) return concludeRecovery(result);
  if (result.command === "capacity") return result.capacity === undefined ? withCapacity(result) : result;
  if (comparison !== undefined && (sweep === undefined || sweep.recommendations.length > 0)) return result;
  return concludeSweep(comparison === undefined ? withComparison(result, compareArms) : result);
}
