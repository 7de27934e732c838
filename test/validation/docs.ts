/** The generated table in the document of this folder. */

import { readFileSync, writeFileSync } from "node:fs";

const BEGIN = "<!-- Written by `npm run validate -- --docs`: do not edit. -->";
const END = "<!-- The end of what is written. -->";

/** Puts `table` into the Markdown file between the markers. @throws Error when it has no such place. */
export function writeDocument(file: string, table: string): void {
  writeFileSync(file, replaceTable(readFileSync(file, "utf8"), table));
}

export function replaceTable(document: string, table: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`Cannot write the table as the document must hold '${BEGIN}' and '${END}'`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${document.slice(end)}`;
}
