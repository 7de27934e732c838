/** The result of `recovery` as text. */

import type { Result } from "../result/schema.ts";
import { renderAb } from "./ab-text.ts";

export function renderRecovery(result: Result): string {
  return renderAb(result);
}
