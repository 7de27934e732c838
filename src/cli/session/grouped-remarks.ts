/** What is said of arms before a run: once, with the arms that it is about. */

import type { Reason } from "../../result/schema.ts";

const NAMED_MAX = 3;

/**
 * One line for each message.
 *
 * @param remarks by arm; of an only arm it goes without saying.
 */
export function groupedRemarks(remarks: ReadonlyMap<string, readonly Reason[]>): readonly string[] {
  const armsOf = new Map<string, Set<string>>();
  for (const [arm, reasons] of remarks) {
    for (const { message, hint } of reasons) {
      const line = `${message} -> ${hint}`;
      armsOf.set(line, (armsOf.get(line) ?? new Set()).add(arm));
    }
  }
  return [...armsOf].map(([line, arms]) => (remarks.size === 1 ? line : `${named([...arms])}: ${line}`));
}

function named(arms: readonly string[]): string {
  const more = arms.length - NAMED_MAX;
  return more > 0 ? `${arms.slice(0, NAMED_MAX).join(", ")} and ${more} more` : arms.join(", ");
}
