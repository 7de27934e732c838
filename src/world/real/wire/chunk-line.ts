/**
 * The line before a chunk (RFC 9112, 7.1): its size in hexadecimal, and extensions, which are checked and passed over.
 */

import { BACKSLASH, CR, EQUALS, HEX_VALUE, isBlank, isText, LF, QUOTE, SEMICOLON, TOKEN_LOWER } from "./characters.ts";
import type { Part } from "./part.ts";
import type { RefusalCode } from "./refusals.ts";

/** Of the size; leading zeros count. */
const DIGITS_MAX = 16;
/** Of all extensions of a body, with their blanks: servers send none to speak of. */
const EXTENSION_BYTES_MAX = 16_384;

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
  #extensionBytes = 0;
  #state = SIZE_START;

  /** Another body comes. */
  beginBody(): void {
    this.#extensionBytes = 0;
    this.begin();
  }

  /** Another chunk comes. */
  begin(): void {
    this.done = false;
    this.refusal = "";
    this.size = 0;
    this.#digits = 0;
    this.#state = SIZE_START;
  }

  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const byte = bytes[at] as number;
      const next = this.#next(byte);
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
      default:
        this.#extensionBytes += 1;
        if (this.#extensionBytes > EXTENSION_BYTES_MAX) return "H1_CHUNK_LINE";
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
    case BEFORE_EXTENSION:
      if (isBlank(byte)) return BEFORE_EXTENSION;
      return byte === SEMICOLON ? NAME_START : wrong(byte);
    case NAME_START:
      if (isToken) return NAME;
      return isBlank(byte) ? NAME_START : wrong(byte);
    case NAME:
      if (isToken) return NAME;
      return byte === CR ? LINE_FEED : afterName(byte);
    case AFTER_NAME:
      return afterName(byte);
    case VALUE_START:
      if (isToken) return VALUE;
      if (byte === QUOTE) return QUOTED;
      return isBlank(byte) ? VALUE_START : wrong(byte);
    case VALUE:
      return isToken ? VALUE : afterValue(byte);
    case QUOTED:
      if (byte === QUOTE) return AFTER_QUOTED;
      if (byte === BACKSLASH) return ESCAPED;
      return isText(byte) ? QUOTED : wrong(byte);
    case ESCAPED:
      return isText(byte) ? QUOTED : wrong(byte);
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
