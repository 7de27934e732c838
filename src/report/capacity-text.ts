/** The result of `capacity` as text. */

import type { Result } from "../result/schema.ts";
import { renderRun } from "./run-text.ts";

export function renderCapacity(result: Result): string {
  return renderRun(result);
}
