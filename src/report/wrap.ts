import { displayWidth } from "./display-width.ts";

/** Columns that no line of a text report exceeds, unless a single word does. */
export const LINE_WIDTH = 100;

/**
 * Breaks prose into lines of at most `width` columns. Line breaks and runs of spaces in `text` count as spaces.
 *
 * @param first what the first line starts with.
 * @param next what each following line starts with; default: as many spaces as `first` is wide.
 */
export function wrap(
  text: string,
  first = "",
  next: string = " ".repeat(displayWidth(first)),
  width: number = LINE_WIDTH,
): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(/\s+/u)) {
    if (word === "") continue;
    if (!empty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = next;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}
