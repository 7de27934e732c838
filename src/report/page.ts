/**
 * Joins lines to a text that ends with a line break. Control characters become `?`: a result file may come from somebody
 * else, and nothing in it may steer the reader's terminal.
 */
export function page(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(/[\p{Cc}\u2028\u2029]/gu, "?").trimEnd()}\n`).join("");
}
