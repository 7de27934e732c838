/** The `date` of an answer, without which a Retry-After cannot be read. */

import { headerIndex } from "./header-index.ts";

/**
 * The headers that a driver hands to its policy. Every answer is dated, so a date alone is nothing to read; where it is
 * missing and another one is there, the time at which the answer came stands in (RFC 9110, 6.6.1).
 *
 * @param found those of `wanted` that the answer has: name in lower case, value, ...
 * @param wanted names in lower case.
 * @param today the present as an HTTP-date.
 * @returns `undefined` when there is nothing to read.
 */
export function datedHeaders(
  found: readonly string[],
  wanted: readonly string[],
  today: () => string,
): readonly string[] | undefined {
  if (found.every((text, index) => index % 2 === 1 || text === "date")) return undefined;
  return wanted.includes("date") && headerIndex(found, "date") === -1 ? [...found, "date", today()] : found;
}
