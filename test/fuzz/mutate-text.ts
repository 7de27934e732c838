/** Changes of bytes, in latin1, that know nothing of what they mean. */

import type { Draws } from "./draws.ts";

const INSERTS = [
  ...'\r\n \t\0:;,="\\-+0159aAfF',
  "\r\n",
  "\r\n\r\n",
  "\n\n",
  "\x0b",
  "\x0c",
  "\x7f",
  "\x80",
  "\xa0",
  "\xff",
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.0 ",
  "100",
  "204",
  "Content-Length: ",
  "Transfer-Encoding: chunked\r\n",
  "Connection: close\r\n",
  "chunked",
  "0\r\n\r\n",
  "5\r\n",
];

type TextMutation = (draws: Draws, text: string) => string;

const MUTATIONS: readonly TextMutation[] = [
  (draws, text) => change(draws, text, 1, (old) => String.fromCharCode(old.charCodeAt(0) ^ (1 << draws.below(8)))),
  (draws, text) => change(draws, text, 1, () => String.fromCharCode(draws.below(256))),
  (draws, text) => change(draws, text, 1, () => draws.pick(INSERTS)),
  (draws, text) => change(draws, text, 0, () => draws.pick(INSERTS)),
  (draws, text) => change(draws, text, 0, () => draws.pick(INSERTS)),
  (draws, text) => change(draws, text, 1, () => ""),
  (draws, text) => change(draws, text, 1 + draws.below(12), () => ""),
  (draws, text) => change(draws, text, 1 + draws.below(30), (old) => old + old),
  (draws, text) => text.slice(0, draws.below(text.length + 1)),
  (draws, text) =>
    changeLineEnd(draws, text, draws.pick(["\n", "\r", "\r\r\n", "\n\r", " \r\n", "\r\n ", "\r\n\t", ""])),
  (_, text) => text.replaceAll("\r\n", "\n"),
  (_, text) => text.toLowerCase(),
];

/** Changes a text, once or a few times. */
export function mutateText(draws: Draws, text: string): string {
  let changed = text;
  do changed = draws.pick(MUTATIONS)(draws, changed);
  while (draws.chance(0.4));
  return changed;
}

/** Half of one text and half of the other. */
export function spliceTexts(draws: Draws, first: string, second: string): string {
  return first.slice(0, draws.below(first.length + 1)) + second.slice(draws.below(second.length + 1));
}

function change(draws: Draws, text: string, length: number, replace: (old: string) => string): string {
  const at = draws.below(text.length + 1);
  const old = text.slice(at, at + length);
  return text.slice(0, at) + (old.length < length && old === "" ? "" : replace(old)) + text.slice(at + length);
}

function changeLineEnd(draws: Draws, text: string, by: string): string {
  const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index);
  if (ends.length === 0) return text;
  const at = draws.pick(ends);
  return text.slice(0, at) + by + text.slice(at + 2);
}
