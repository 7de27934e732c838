/** Bodies in chunks (RFC 9112, 7.1), written in all the ways there are. */

import type { Choices } from "./choices.ts";

const EXTENSIONS = [
  "",
  ";name",
  ";name=value",
  ' ;\tname = "quoted"',
  ';a="b;c\\"\\\\";d',
  ';a;b=1;c="\u00e9\t "',
  ';empty=""',
];

/** @param trailers the lines of the trailer section. */
export function chunkedBody(choices: Choices, chunks: readonly string[], trailers: string): string {
  const line = (size: number): string => {
    const digits = choices.of([size.toString(16), size.toString(16).toUpperCase(), `00${size.toString(16)}`]);
    return `${digits}${choices.chance(0.3) ? choices.of(EXTENSIONS) : ""}\r\n`;
  };
  return `${chunks.map((chunk) => `${line(chunk.length)}${chunk}\r\n`).join("")}${line(0)}${trailers}\r\n`;
}
