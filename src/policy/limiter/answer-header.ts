/** Reads a header of an answer. */

import { headerIndex } from "../hint/header-index.ts";
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
  const next = (from: number): number => headerIndex(headers, name, from);
  let found: string | undefined;
  for (let index = next(0); index !== -1; index = next(index + 2)) {
    const value = headers[index + 1] as string;
    found = found === undefined ? value : `${found},${value}`;
  }
  return found;
}
