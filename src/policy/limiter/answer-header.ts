/** Reads a header of an answer. */

import type { PolicyCall } from "../policy.ts";

/**
 * The value of a header that the policy declared to read; the values of several lines of that name are joined with commas
 * (RFC 9110, 5.3).
 *
 * @param name in lower case.
 * @returns `undefined` when there is none.
 */
export function answerHeader(call: PolicyCall, name: string): string | undefined {
  const headers = call.answerHeaders;
  if (headers === undefined) return undefined;
  let found: string | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index] !== name) continue;
    const value = headers[index + 1] as string;
    found = found === undefined ? value : `${found},${value}`;
  }
  return found;
}
