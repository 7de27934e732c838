import { replaceHostile } from "../figures/hostile-characters.ts";

/** Joins lines to a text that ends with a line break. What would steer the reader's terminal becomes `?`. */
export function page(lines: readonly string[]): string {
  return lines.map((line) => `${replaceHostile(line, "?").trimEnd()}\n`).join("");
}
