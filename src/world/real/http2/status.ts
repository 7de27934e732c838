/**
 * The status of an answer, out of its compressed headers (HPACK, RFC 7541). We allow the peer no dynamic table
 * (SETTINGS_HEADER_TABLE_SIZE 0), so a block stands for itself, and `:status` is the first field of an answer: pseudo-header
 * fields come first (RFC 9113, 8.3) and answers have no other. The rest of the block need not be decoded.
 */

import { H2ProtocolError } from "./frame-reader.ts";

/** The static table's entries for `:status` (RFC 7541, appendix A): 8 to 14. */
const STATIC_FIRST = 8;
const STATIC_STATUSES = [200, 204, 206, 304, 400, 404, 500] as const;
const STATIC_LAST = 61;
/** `:status` as a string literal, plain and in the Huffman code (appendix B), each with its length in front. */
const NAME_PLAIN = Buffer.from("\x07:status", "latin1");
const NAME_HUFFMAN = Buffer.from([0x85, 0xb8, 0x84, 0x8d, 0x36, 0xa3]);
/** The Huffman codes of the digits: 0 to 2 have five bits (0, 1, 2), 3 to 9 have six (0x19 to 0x1f). */
const SHORT_DIGITS = 3;
const LONG_DIGIT_BASE = 0x19 - SHORT_DIGITS;

/**
 * @param block a whole header block.
 * @returns the status, or 0 when the block does not start with one (trailers do not).
 * @throws H2ProtocolError for a block that uses a dynamic table, or is cut short.
 */
export function statusOf(block: Buffer): number {
  let at = 0;
  // Updates of the size of the dynamic table: to 0, which is all that we allow.
  while (at < block.length && ((block[at] as number) & 0xe0) === 0x20) {
    if (((block[at] as number) & 0x1f) !== 0) throw compressionError("the dynamic table made larger than 0");
    at += 1;
  }
  if (at >= block.length) return 0;
  const first = block[at] as number;
  if ((first & 0x80) !== 0) {
    const index = first & 0x7f;
    if (index === 0 || index > STATIC_LAST) throw compressionError(`an index of ${index} without a dynamic table`);
    return STATIC_STATUSES[index - STATIC_FIRST] ?? 0;
  }
  const value = valueAfterName(block, at, first);
  return value === 0 ? 0 : digits(block, value);
}

/** Where the value of a literal field named `:status` starts; 0 when its name is another. */
function valueAfterName(block: Buffer, at: number, first: number): number {
  // With incremental indexing the index has six bits, else four: entries 8 to 14 fit in both.
  const index = (first & 0x40) !== 0 ? first & 0x3f : first & 0x0f;
  if (index >= STATIC_FIRST && index < STATIC_FIRST + STATIC_STATUSES.length) return at + 1;
  if (index !== 0) return 0;
  for (const name of [NAME_PLAIN, NAME_HUFFMAN]) {
    const end = at + 1 + name.length;
    if (end <= block.length && block.subarray(at + 1, end).equals(name)) return end;
  }
  return 0;
}

function digits(block: Buffer, at: number): number {
  const length = (block[at] ?? 0) & 0x7f;
  const end = at + 1 + length;
  if (length === 0 || end > block.length) throw compressionError("a status that is cut short");
  const bytes = block.subarray(at + 1, end);
  const status = ((block[at] as number) & 0x80) === 0 ? Number(bytes.toString("latin1")) : huffmanDigits(bytes);
  if (!(status >= 100 && status <= 999)) throw new H2ProtocolError("PROTOCOL_ERROR", "A status that is no number");
  return status;
}

/** A number of three digits in the Huffman code: at most 18 bits; what follows is padding. */
function huffmanDigits(bytes: Buffer): number {
  let bits = 0;
  for (let index = 0; index < 3; index += 1) bits = (bits << 8) | (bytes[index] ?? 0xff);
  let left = 24;
  let value = 0;
  for (let digit = 0; digit < 3; digit += 1) {
    const five = (bits >> (left - 5)) & 0x1f;
    if (five < SHORT_DIGITS) {
      value = value * 10 + five;
      left -= 5;
      continue;
    }
    const six = (bits >> (left - 6)) & 0x3f;
    if (six < LONG_DIGIT_BASE + SHORT_DIGITS || six > LONG_DIGIT_BASE + 9) return Number.NaN;
    value = value * 10 + (six - LONG_DIGIT_BASE);
    left -= 6;
  }
  return value;
}

function compressionError(what: string): H2ProtocolError {
  return new H2ProtocolError("COMPRESSION_ERROR", `Headers with ${what}`);
}
