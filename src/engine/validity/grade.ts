import type { Reason } from "../../result/schema.ts";
import type { Limits } from "./limits.ts";

/**
 * A reason when `figure` is above a limit, with the severity and the limit that it broke.
 *
 * @param said the rest of the reason.
 */
export function graded(
  figure: number,
  { suspect, invalid = Number.POSITIVE_INFINITY }: Limits,
  said: Pick<Reason, "code" | "message" | "hint">,
): Reason[] {
  if (!(figure > suspect)) return [];
  const broken = figure > invalid;
  const { code, message, hint } = said;
  return [{ code, severity: broken ? "invalid" : "suspect", message, figure, limit: broken ? invalid : suspect, hint }];
}

/** With one decimal at most. */
export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A share as a percentage with one decimal at most. */
export function percent(share: number): string {
  return `${rounded(100 * share)} %`;
}
