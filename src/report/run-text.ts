/** The result of `run` as text. */

import type { Result } from "../result/schema.ts";
import { renderAb } from "./ab-text.ts";
import { renderTrial } from "./trial-text.ts";

/** A trial in full, or several of them side by side. */
export function renderRun(result: Result): string {
  return result.design.pairs === 1 ? renderTrial(result, 0) : renderAb(result);
}
