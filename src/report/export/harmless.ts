import { replaceHostile } from "../../figures/hostile-characters.ts";

/**
 * A text of a result file, to be written into a document for people or programs: what steers its reader becomes `?`, and so do
 * halves of surrogate pairs and the two code points that XML does not have.
 */
export function harmless(text: string): string {
  return replaceHostile(text, "?").replace(/[\p{Cs}\ufffe\uffff]/gu, "?");
}
