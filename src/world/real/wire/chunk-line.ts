/**
 * The line before a chunk (RFC 9112, 7.1): its size in hexadecimal, and extensions, which are checked and passed over.
 */

import { BACKSLASH, CR, EQUALS, HEX_VALUE, isBlank, isText, LF, QUOTE, SEMICOLON, TOKEN_LOWER } from "./characters.ts";
import type { Part } from "./part.ts";
import type { RefusalCode } from "./refusals.ts";

/** Of the size; leading zeros count. */
const DIGITS_MAX = 16;
/** Of the whole line. Servers send no extensions to speak of; Go's client has the same bound. */
const LINE_BYTES_MAX = 4096;

const SIZE_START = 0;
const SIZE = 1;
/** Blanks where none should be: only an extension may follow. */
const BEFORE_EXTENSION = 2;
const NAME_START = 3;
const NAME = 4;
const AFTER_NAME = 5;
const VALUE_START = 6;
const VALUE = 7;
const QUOTED = 8;
const ESCAPED = 9;
const AFTER_QUOTED = 10;
const LINE_FEED = 11;

export class ChunkLine implements Part {
  done = false;
  refusal: RefusalCode | "" = "";
  /** Bytes of the chunk. */
  size = 0;
  #digits = 0;
  #lineBytes = 0;
  #state = SIZE_START;

  /** Another chunk comes. */
  begin(): void {
    this.done = false;
    this.refusal = "";
    this.size = 0;
    this.#digits = 0;
    this.#lineBytes = 0;
    this.#state = SIZE_START;
  }

  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const byte = bytes[at] as number;
      this.#lineBytes += 1;
      const next = this.#lineBytes > LINE_BYTES_MAX ? "H1_CHUNK_LINE" : this.#next(byte);
      if (typeof next === "string") {
        this.refusal = next;
        return at;
      }
      this.#state = next;
      at += 1;
      if (this.done) return at;
    }
    return at;
  }

  #next(byte: number): number | RefusalCode {
    switch (this.#state) {
      case SIZE_START:
      case SIZE:
        return this.#afterDigit(byte);
      case LINE_FEED:
        this.done = byte === LF;
        return this.done ? SIZE_START : "H1_BARE_CR";
      case BEFORE_EXTENSION:
        if (isBlank(byte)) return BEFORE_EXTENSION;
        return byte === SEMICOLON ? NAME_START : "H1_CHUNK_LINE";
      default:
        return afterExtension(this.#state, byte);
    }
  }

  #afterDigit(byte: number): number | RefusalCode {
    const digit = HEX_VALUE[byte] as number;
    if (digit !== 255) {
      this.#digits += 1;
      this.size = this.size * 16 + digit;
      return this.#digits <= DIGITS_MAX && this.size <= Number.MAX_SAFE_INTEGER ? SIZE : "H1_CHUNK_SIZE";
    }
    if (this.#state === SIZE_START) return "H1_CHUNK_SIZE";
    if (byte === CR) return LINE_FEED;
    if (byte === SEMICOLON) return NAME_START;
    if (isBlank(byte)) return BEFORE_EXTENSION;
    return byte === LF ? "H1_BARE_LF" : "H1_CHUNK_SIZE";
  }
}

/** RFC 9112, 7.1.1: `;name`, `;name=token`, `;name="quoted"`, with blanks around `;` and `=` that a recipient must take. */
function afterExtension(state: number, byte: number): number | RefusalCode {
  const isToken = TOKEN_LOWER[byte] !== 0;
  switch (state) {
    case NAME_START:
      if (isToken) return NAME;
      return isBlank(byte) ? NAME_START : "H1_CHUNK_LINE";
    case NAME:
      if (isToken) return NAME;
      return byte === CR ? LINE_FEED : afterName(byte);
    case AFTER_NAME:
      return afterName(byte);
    case VALUE_START:
      if (isToken) return VALUE;
      if (byte === QUOTE) return QUOTED;
      return isBlank(byte) ? VALUE_START : "H1_CHUNK_LINE";
    case VALUE:
      return isToken ? VALUE : afterValue(byte);
    case QUOTED:
      if (byte === QUOTE) return AFTER_QUOTED;
      if (byte === BACKSLASH) return ESCAPED;
      return isText(byte) ? QUOTED : "H1_CHUNK_LINE";
    case ESCAPED:
      return isText(byte) ? QUOTED : "H1_CHUNK_LINE";
    default:
      return afterValue(byte);
  }
}

function afterName(byte: number): number | RefusalCode {
  if (byte === EQUALS) return VALUE_START;
  if (byte === SEMICOLON) return NAME_START;
  return isBlank(byte) ? AFTER_NAME : wrong(byte);
}

function afterValue(byte: number): number | RefusalCode {
  if (byte === CR) return LINE_FEED;
  if (byte === SEMICOLON) return NAME_START;
  return isBlank(byte) ? BEFORE_EXTENSION : wrong(byte);
}

function wrong(byte: number): RefusalCode {
  return byte === LF ? "H1_BARE_LF" : "H1_CHUNK_LINE";
}
