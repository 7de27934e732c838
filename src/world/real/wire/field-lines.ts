/**
 * Field lines up to the empty line behind them (RFC 9112, 5): of a head, or of a trailer section. Lines end with CR LF, names
 * are tokens with the colon right behind, nothing is folded. Of a field that nobody reads, nothing is kept.
 */

import { COLON, CR, isBlank, LF, TOKEN_LOWER, tokenEnd } from "./characters.ts";
import type { FieldNames, KnownField } from "./field-names.ts";
import type { Part } from "./part.ts";
import type { RefusalCode } from "./refusals.ts";
import { textEnd } from "./text-end.ts";

/** Gets each field that is known, with its value in bytes[from .. to), blanks around it left out. */
export type FieldReader = (field: KnownField, bytes: Uint8Array, from: number, to: number) => RefusalCode | "";

const LINE_START = 0;
const NAME = 1;
const BEFORE_VALUE = 2;
const VALUE = 3;
const VALUE_LF = 4;
const END_LF = 5;

/** Room for a value that comes in several pieces, to begin with. */
const VALUE_BYTES = 64;

export class FieldLines implements Part {
  done = false;
  refusal: RefusalCode | "" = "";
  readonly #names: FieldNames;
  readonly #reader: FieldReader;
  #state = LINE_START;
  readonly #name: Uint8Array;
  #nameLength = 0;
  #field: KnownField | undefined;
  /** Of the value of {@link #field}, what came in earlier pieces. */
  #value: Uint8Array = new Uint8Array(VALUE_BYTES);
  #valueLength = 0;
  /** Those that came last, mostly the one buffer into which a socket reads, and the same as words. */
  #bytes: Uint8Array = this.#value;
  #words = new DataView(this.#bytes.buffer);

  constructor(names: FieldNames, reader: FieldReader) {
    this.#names = names;
    this.#reader = reader;
    this.#name = new Uint8Array(names.lengthMax);
  }

  /** Another section comes. */
  begin(): void {
    this.done = false;
    this.refusal = "";
    this.#state = LINE_START;
  }

  read(bytes: Uint8Array, from: number, to: number): number {
    this.#lookAt(bytes);
    let at = from;
    while (at < to && !this.done && this.refusal === "") {
      switch (this.#state) {
        case LINE_START: {
          const next = this.#readLineAtOnce(bytes, at, to);
          at = next === at ? this.#lineStart(bytes, at) : next;
          break;
        }
        case NAME:
          at = this.#readName(bytes, at, to);
          break;
        case BEFORE_VALUE:
          if (isBlank(bytes[at] as number)) at += 1;
          else this.#state = VALUE;
          break;
        case VALUE:
          at = this.#readValue(bytes, at, to);
          break;
        default:
          at = this.#lineFeed(bytes, at);
      }
    }
    return at;
  }

  #lookAt(bytes: Uint8Array): void {
    if (this.#bytes === bytes) return;
    this.#bytes = bytes;
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The same for a line that is whole and in order: else nothing is taken, and its bytes are read state by state. */
  #readLineAtOnce(bytes: Uint8Array, from: number, to: number): number {
    const colon = tokenEnd(bytes, from, to);
    if (colon === from || colon === to || bytes[colon] !== COLON) return from;
    let start = colon + 1;
    while (start < to && isBlank(bytes[start] as number)) start += 1;
    const end = textEnd(bytes, this.#words, start, to);
    if (end + 1 >= to || bytes[end] !== CR || bytes[end + 1] !== LF) return from;
    const field = this.#names.find(bytes, from, colon);
    if (field === undefined) return end + 2;
    this.refusal = this.#reader(field, bytes, start, trimmed(bytes, start, end));
    return this.refusal === "" ? end + 2 : end;
  }

  #lineStart(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] as number;
    if (byte === CR) {
      this.#state = END_LF;
      return at + 1;
    }
    if (isBlank(byte)) return this.#refuse("H1_FOLDED_LINE", at);
    if (byte === LF) return this.#refuse("H1_BARE_LF", at);
    if (TOKEN_LOWER[byte] === 0) return this.#refuse("H1_FIELD_NAME", at);
    this.#nameLength = 0;
    this.#state = NAME;
    return at;
  }

  #readName(bytes: Uint8Array, from: number, to: number): number {
    const name = this.#name;
    let length = this.#nameLength;
    let at = from;
    for (; at < to; at += 1) {
      const byte = TOKEN_LOWER[bytes[at] as number] as number;
      if (byte === 0) break;
      if (length < name.length) name[length] = byte;
      length += 1;
    }
    this.#nameLength = length;
    if (at === to) return at;
    if (bytes[at] !== COLON) return this.#refuse("H1_FIELD_NAME", at);
    this.#field = length > name.length ? undefined : this.#names.find(name, 0, length);
    this.#valueLength = 0;
    this.#state = BEFORE_VALUE;
    return at + 1;
  }

  #readValue(bytes: Uint8Array, from: number, to: number): number {
    const at = textEnd(bytes, this.#words, from, to);
    if (at === to) {
      if (this.#field !== undefined) this.#keep(bytes, from, to);
      return at;
    }
    const byte = bytes[at] as number;
    if (byte !== CR) return this.#refuse(byte === LF ? "H1_BARE_LF" : "H1_FIELD_VALUE", at);
    this.#state = VALUE_LF;
    if (this.#field === undefined) return at + 1;
    const refusal = this.#deliver(this.#field, bytes, from, at);
    return refusal === "" ? at + 1 : this.#refuse(refusal, at);
  }

  #deliver(field: KnownField, bytes: Uint8Array, from: number, to: number): RefusalCode | "" {
    if (this.#valueLength === 0) return this.#reader(field, bytes, from, trimmed(bytes, from, to));
    this.#keep(bytes, from, to);
    return this.#reader(field, this.#value, 0, trimmed(this.#value, 0, this.#valueLength));
  }

  /** The head has a bound, and so has this. */
  #keep(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#valueLength + to - from;
    if (length > this.#value.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#value.subarray(0, this.#valueLength));
      this.#value = larger;
    }
    this.#value.set(bytes.subarray(from, to), this.#valueLength);
    this.#valueLength = length;
  }

  #lineFeed(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== LF) return this.#refuse("H1_BARE_CR", at);
    this.done = this.#state === END_LF;
    this.#state = LINE_START;
    return at + 1;
  }

  #refuse(code: RefusalCode, at: number): number {
    this.refusal = code;
    return at;
  }
}

/** The end of the value without the blanks behind it. */
function trimmed(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(bytes[end - 1] as number)) end -= 1;
  return end;
}
