/**
 * What the fields of a head say about the message: how its body is delimited, and what becomes of the connection (RFC 9112, 6.3
 * and 9.3). Read from the bytes; no text is made.
 */

import { COMMA, EQUALS, isBlank, isDigit, isWord, tokenEnd } from "./characters.ts";
import type { KnownField } from "./field-names.ts";
import type { RefusalCode } from "./refusals.ts";

/** How the end of a body is known: by its length, by its chunks, by the end of the connection. */
export type Delimiter = "length" | "chunks" | "end";

const CHUNKED = Buffer.from("chunked", "latin1");
const CLOSE = Buffer.from("close", "latin1");
const KEEP_ALIVE = Buffer.from("keep-alive", "latin1");
const TIMEOUT = Buffer.from("timeout", "latin1");
const ZERO = 0x30;
/** Beyond this, a hint is none. */
const HINT_SECONDS_MAX = 1e6;

export class MessageFraming {
  /** Of the body; -1 when it was not said. */
  length = -1;
  /** The time for which the target says it keeps an idle connection; Infinity when it does not say. */
  keepAliveSeconds: number = Number.POSITIVE_INFINITY;
  #codings = 0;
  #chunked = false;
  #close = false;
  #keepAlive = false;

  /** Another answer comes. */
  begin(): void {
    this.beginHead();
    this.#close = false;
  }

  /** Another head of the same answer comes: who said `close` in an interim one has said it (RFC 9112, 9.6). */
  beginHead(): void {
    this.length = -1;
    this.keepAliveSeconds = Number.POSITIVE_INFINITY;
    this.#codings = 0;
    this.#chunked = false;
    this.#keepAlive = false;
  }

  get delimiter(): Delimiter {
    if (this.#chunked) return "chunks";
    // A coding other than chunked ends with the connection (RFC 9112, 6.3).
    return this.length >= 0 && this.#codings === 0 ? "length" : "end";
  }

  /** Whether the connection stays open behind the message. @param minor of the version. */
  persists(minor: number): boolean {
    if (this.#close) return false;
    return minor >= 1 || this.#keepAlive;
  }

  /** Reads the value in bytes[from .. to). */
  take(field: KnownField, bytes: Uint8Array, from: number, to: number): RefusalCode | "" {
    switch (field.meaning) {
      case "length":
        return this.#takeLength(bytes, from, to);
      case "coding":
        return this.#takeCodings(bytes, from, to);
      case "connection":
        this.#takeConnection(bytes, from, to);
        return "";
      case "keep-alive":
        this.#takeHints(bytes, from, to);
        return "";
      case "nothing":
        return "";
      default:
        return field.meaning satisfies never;
    }
  }

  /** What only the whole head shows. @param minor of the version. */
  refusalOf(minor: number): RefusalCode | "" {
    if (this.#codings === 0) return "";
    if (this.length >= 0) return "H1_LENGTH_AND_CODING";
    // HTTP/1.0 knows none, and what is between may have passed it on (RFC 9112, 6.1).
    return minor === 0 ? "H1_CODING" : "";
  }

  /** Also the same length twice, which a recipient may take or refuse (RFC 9110, 8.6), is refused: llhttp does so too. */
  #takeLength(bytes: Uint8Array, from: number, to: number): RefusalCode | "" {
    if (this.length >= 0) return "H1_LENGTHS";
    if (from === to) return "H1_LENGTH";
    let length = 0;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      if (!isDigit(byte)) return "H1_LENGTH";
      length = length * 10 + (byte - ZERO);
      if (length > Number.MAX_SAFE_INTEGER) return "H1_LENGTH";
    }
    this.length = length;
    return "";
  }

  /**
   * A list, maybe over several fields: at most one `chunked`, and that at the end (RFC 9112, 6.1 and 7.1). No coding has parameters
   * (RFC 9112, 7.2 and 7.3), and nobody sends empty elements, which a recipient should pass over (RFC 9110, 5.6.1): both are refused,
   * for llhttp reads another body there.
   */
  #takeCodings(bytes: Uint8Array, from: number, to: number): RefusalCode | "" {
    for (let at = from; at <= to; ) {
      const start = skipBlanks(bytes, at, to);
      const end = tokenEnd(bytes, start, to);
      const after = skipBlanks(bytes, end, to);
      at = elementEnd(bytes, after, to) + 1;
      if (this.#chunked || start === end || after !== at - 1) return "H1_CODING";
      this.#codings += 1;
      this.#chunked = isWord(CHUNKED, bytes, start, end);
    }
    return "";
  }

  #takeConnection(bytes: Uint8Array, from: number, to: number): void {
    // What it mostly is.
    if (isWord(KEEP_ALIVE, bytes, from, to)) {
      this.#keepAlive = true;
      return;
    }
    for (let at = from; at < to; ) {
      const start = skipBlanks(bytes, at, to);
      const end = tokenEnd(bytes, start, to);
      at = elementEnd(bytes, end, to) + 1;
      if (skipBlanks(bytes, end, to) !== at - 1) continue;
      if (isWord(CLOSE, bytes, start, end)) this.#close = true;
      else if (isWord(KEEP_ALIVE, bytes, start, end)) this.#keepAlive = true;
    }
  }

  /** `timeout=5, max=100`: a hint, so what is not understood is passed over. */
  #takeHints(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const start = skipBlanks(bytes, at, to);
      const end = tokenEnd(bytes, start, to);
      at = elementEnd(bytes, end, to) + 1;
      if (!isWord(TIMEOUT, bytes, start, end) || bytes[end] !== EQUALS) continue;
      const seconds = numberOf(bytes, end + 1, at - 1);
      if (seconds <= HINT_SECONDS_MAX) this.keepAliveSeconds = seconds;
    }
  }
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at] as number)) at += 1;
  return at;
}

/** The next comma, or the end. */
function elementEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== COMMA) at += 1;
  return at;
}

/** The digits in bytes[from .. to), blanks behind them left out; NaN for what is no number. */
function numberOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let at = from;
  for (; at < to && isDigit(bytes[at] as number); at += 1) value = value * 10 + ((bytes[at] as number) - ZERO);
  return at === from || skipBlanks(bytes, at, to) !== to ? Number.NaN : value;
}
