import { stripVTControlCharacters } from "node:util";
import { replaceHostile } from "../../figures/hostile-characters.ts";
import { displayWidth } from "../../report/display-width.ts";

/** The text without what would move the cursor or turn the writing, and cut to `columns` of a terminal: `a long na…`. */
export function cutText(text: string, columns: number): string {
  const plain = withoutControls(text);
  if (displayWidth(plain) <= columns) return plain;
  let kept = "";
  let width = 1;
  for (const character of plain) {
    width += displayWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** Line breaks and tabs become spaces; escape sequences and what else steers a terminal are left out. */
export function withoutControls(text: string): string {
  return replaceHostile(stripVTControlCharacters(text).replace(/[\t\n\r]/gu, " "), "");
}
