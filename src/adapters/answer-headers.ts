/** The headers of an answer that a policy reads, as {@link PolicyCall.answerHeaders} wants them. */

/** Finds a header of the answer by its name in lower case; a list when the answer has several of it. */
export type HeaderReader = (name: string) => string | readonly string[] | null | undefined;

/**
 * @param names in lower case.
 * @returns name, value, ...; `undefined` when the answer has none of them. A missing `date` is this machine's own, when
 *   another of them is there: RFC 9110, 6.6.1.
 */
export function collectHeaders(names: readonly string[], read: HeaderReader): readonly string[] | undefined {
  let found: string[] | undefined;
  let isDated = false;
  let isOther = false;
  for (const name of names) {
    const value = read(name);
    if (value === null || value === undefined) continue;
    found ??= [];
    if (typeof value === "string") found.push(name, value);
    else for (const each of value) found.push(name, each);
    if (name === "date") isDated = true;
    else isOther = true;
  }
  // Every answer has a date: alone it is nothing to read.
  if (!isOther) return undefined;
  if (!isDated && names.includes("date")) found?.push("date", new Date().toUTCString());
  return found;
}
