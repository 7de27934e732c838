import { displayWidth } from "./display-width.ts";

/** The text cut to at most `columns`, with `…` where something is missing: at its end. */
export function shorten(text: string, columns: number): string {
  return displayWidth(text) <= columns ? text : `${kept([...text], columns - 1)}…`;
}

/** The same with the end kept, where names tell themselves apart. */
export function shortenStart(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return `…${[...kept([...text].reverse(), columns - 1)].reverse().join("")}`;
}

function kept(characters: readonly string[], columns: number): string {
  let width = 0;
  let text = "";
  for (const character of characters) {
    width += displayWidth(character);
    if (width > columns) break;
    text += character;
  }
  return text;
}
