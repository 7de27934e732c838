import { displayWidth } from "./display-width.ts";

/** Columns that no line of a text report exceeds, unless a single word without commas does. */
export const LINE_WIDTH = 100;

/**
 * Breaks prose into lines of at most `width` columns. Line breaks and runs of spaces in `text` count as spaces. A word that is
 * longer than a line is broken after its commas: the options of a policy.
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
    const pieces = displayWidth(next) + displayWidth(word) > width ? word.split(/(?<=,)/u) : [word];
    for (const [index, piece] of pieces.entries()) {
      if (piece === "") continue;
      const gap = empty || index > 0 ? "" : " ";
      if (!empty && displayWidth(line) + gap.length + displayWidth(piece) > width) {
        lines.push(line);
        line = next + piece;
      } else line += gap + piece;
      empty = false;
    }
  }
  lines.push(line);
  return lines;
}
