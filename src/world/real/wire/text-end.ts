/** Where a field's value ends: four bytes at a time, for most bytes of an answer's head are those of values. */

import { isText } from "./characters.ts";

/** A number in each byte of a word. */
const EACH_BYTE = 0x01010101;
const HIGH_BITS = 0x80808080;
const BLANKS = 0x20 * EACH_BYTE;
const DELETES = 0x7f * EACH_BYTE;

/**
 * The end of the text that begins there, see {@link isText}.
 *
 * `(w - n) & ~w & high bits` is not 0 just when a byte of w is below n, and with w ^ DEL and n = 1 when one is DEL ("Bit Twiddling
 * Hacks", Anderson, hasless and haszero). A word with such a byte, be it HTAB, and the rest are looked at byte by byte.
 *
 * @param words the same bytes.
 */
export function textEnd(bytes: Uint8Array, words: DataView, from: number, to: number): number {
  let at = from;
  for (const last = to - 4; at <= last; at += 4) {
    const word = words.getInt32(at);
    const isDelete = word ^ DELETES;
    if (((((word - BLANKS) & ~word) | ((isDelete - EACH_BYTE) & ~isDelete)) & HIGH_BITS) !== 0) break;
  }
  while (at < to && isText(bytes[at] as number)) at += 1;
  return at;
}
