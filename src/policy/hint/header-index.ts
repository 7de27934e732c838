/** Finds a header among those of an answer. */

/**
 * @param headers name in lower case, value, name, value, ... (see {@link PolicyCall.answerHeaders}).
 * @param name in lower case.
 * @param from where a name stands: 0, or two past the last one found.
 * @returns where its name stands, the value being the next; -1 when it is not there.
 */
export function headerIndex(headers: readonly string[] | undefined, name: string, from = 0): number {
  if (headers === undefined) return -1;
  for (let index = from; index + 1 < headers.length; index += 2) {
    if (headers[index] === name) return index;
  }
  return -1;
}
