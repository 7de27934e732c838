/**
 * The status line (RFC 9112, 4): `HTTP/1.1 200 OK`, CR, LF. Strict but for the blank before an empty reason, which servers
 * leave out: nothing can be mistaken by that. There are HTTP/1.0 and HTTP/1.1: a higher minor version, which would be read as
 * the latter (RFC 9110, 2.5), is in use nowhere, and refused as llhttp does. A status from 600 on is none, but servers send some, and
 * a client should make the best of them (RFC 9110, 15): it is handed on as it is.
 */

import { CR, isDigit, isText, LF, SP } from "./characters.ts";
import type { Part } from "./part.ts";
import type { RefusalCode } from "./refusals.ts";

const START = Buffer.from("HTTP/", "latin1");
const ONE = 0x31;
const DOT = 0x2e;
const ZERO = 0x30;
const STATUS_DIGITS = 3;

/** Where it stands: before {@link START}.length, within "HTTP/". */
const MAJOR = START.length;
const POINT = MAJOR + 1;
const MINOR = POINT + 1;
const BLANK = MINOR + 1;
const STATUS = BLANK + 1;
const AFTER_STATUS = STATUS + STATUS_DIGITS;
const REASON = AFTER_STATUS + 1;
const LINE_FEED = REASON + 1;

export class StatusLine implements Part {
  done = false;
  refusal: RefusalCode | "" = "";
  status = 0;
  /** Of the version: HTTP/1.minor. */
  minor = 1;
  #state = 0;

  /** Another answer comes. */
  begin(): void {
    this.done = false;
    this.refusal = "";
    this.status = 0;
    this.#state = 0;
  }

  read(bytes: Uint8Array, from: number, to: number): number {
    let at = this.#state === 0 && to - from >= AFTER_STATUS ? this.#readAtOnce(bytes, from) : from;
    while (at < to) {
      const byte = bytes[at] as number;
      if (this.#state === REASON) {
        if (isText(byte)) {
          at += 1;
          continue;
        }
        if (byte !== CR) return this.#refuse(byte === LF ? "H1_BARE_LF" : "H1_STATUS_LINE", at);
        this.#state = LINE_FEED;
      } else if (!this.#take(byte)) return at;
      at += 1;
      if (this.done) return at;
    }
    return at;
  }

  /** The same for a line that is as it mostly is, version and status in one piece: else the bytes are read one by one. */
  #readAtOnce(bytes: Uint8Array, from: number): number {
    for (let at = 0; at < MAJOR; at += 1) if (bytes[from + at] !== START[at]) return from;
    const minor = (bytes[from + MINOR] as number) - ZERO;
    const hundreds = (bytes[from + STATUS] as number) - ZERO;
    const tens = (bytes[from + STATUS + 1] as number) - ZERO;
    const ones = (bytes[from + STATUS + 2] as number) - ZERO;
    const isVersion = bytes[from + MAJOR] === ONE && bytes[from + POINT] === DOT && (minor === 0 || minor === 1);
    const isStatus = hundreds >= 1 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
    if (!isVersion || bytes[from + BLANK] !== SP || !isStatus) return from;
    this.minor = minor;
    this.status = hundreds * 100 + tens * 10 + ones;
    this.#state = AFTER_STATUS;
    return from + AFTER_STATUS;
  }

  /** @returns false when the byte is refused. */
  #take(byte: number): boolean {
    const state = this.#state;
    if (state < MAJOR) return this.#expect(byte === START[state], "H1_STATUS_LINE");
    if (state >= STATUS && state < AFTER_STATUS) {
      const fits = isDigit(byte) && (state > STATUS || byte >= ONE);
      this.status = this.status * 10 + (byte - ZERO);
      return this.#expect(fits, "H1_STATUS_LINE");
    }
    switch (state) {
      case MAJOR:
        return this.#expect(byte === ONE, isDigit(byte) ? "H1_VERSION" : "H1_STATUS_LINE");
      case POINT:
        return this.#expect(byte === DOT, "H1_STATUS_LINE");
      case MINOR:
        this.minor = byte - ZERO;
        return this.#expect(this.minor === 0 || this.minor === 1, isDigit(byte) ? "H1_VERSION" : "H1_STATUS_LINE");
      case BLANK:
        return this.#expect(byte === SP, "H1_STATUS_LINE");
      case AFTER_STATUS:
        if (byte === LF) return this.#expect(false, "H1_BARE_LF");
        this.#state = byte === CR ? REASON : state;
        return this.#expect(byte === SP || byte === CR, "H1_STATUS_LINE");
      default:
        this.done = byte === LF;
        return this.#expect(this.done, "H1_BARE_CR");
    }
  }

  #expect(holds: boolean, code: RefusalCode): boolean {
    if (holds) this.#state += 1;
    else this.refusal = code;
    return holds;
  }

  #refuse(code: RefusalCode, at: number): number {
    this.refusal = code;
    return at;
  }
}
