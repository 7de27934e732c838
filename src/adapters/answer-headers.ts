/** The headers of an answer that a policy reads, as {@link PolicyCall.answerHeaders} wants them. */

import { datedHeaders } from "../policy/hint/dated-headers.ts";

/** Finds a header of the answer by its name in lower case; a list when the answer has several of it. */
export type HeaderReader = (name: string) => string | readonly string[] | null | undefined;

/**
 * @param names in lower case.
 * @returns name, value, ...; see {@link datedHeaders}.
 */
export function collectHeaders(names: readonly string[], read: HeaderReader): readonly string[] | undefined {
  if (names.length === 0) return undefined;
  const found: string[] = [];
  for (const name of names) {
    const value = read(name);
    if (value === null || value === undefined) continue;
    if (typeof value === "string") found.push(name, value);
    else for (const each of value) found.push(name, each);
  }
  return datedHeaders(found, names, () => new Date().toUTCString());
}
