/**
 * The rules once more, from the grammar of RFC 9112 and 9110 as regular expressions over the whole text: slow, and so short
 * that it can be held against the text of the standard. It must agree with the parser in everything, so it makes the same
 * choices where the standard leaves one:
 *
 * - the blank before an absent reason phrase may be missing (RFC 9112, 4, asks the sender for it);
 * - a repeated Content-Length is refused, be it the same (RFC 9110, 8.6, leaves both);
 * - codings with parameters, of which none has any (RFC 9112, 7.2 and 7.3), and empty ones, which lists may have (RFC 9110,
 *   5.6.1), are refused: what is between may read another message there;
 * - what is bare LF, a folded line, a blank before the colon is refused (RFC 9112, 2.2, 5.2, 5.1, leave or ask for it);
 * - bounds on heads, trailers, chunk extensions, digits, interim answers and bodies.
 */

import type { AnswerLimits } from "../../src/world/real/wire/answer-parser.ts";
import { type FuzzCase, latin1, piecesOf, refusedVerdict, type Verdict, WANTED } from "./fuzz-case.ts";

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TEXT = "[\\t\\x20-\\x7e\\x80-\\xff]";
const BLANKS = "[ \\t]*";
const QUOTED = `"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\${TEXT})*"`;
const VALUE = `(?:${TOKEN}|${QUOTED})`;

const STATUS_LINE = new RegExp(`^HTTP/1\\.([01]) ([1-9][0-9]{2})(?: ${TEXT}*)?\r\n$`);
const FIELD_LINE = new RegExp(`^(${TOKEN}):${BLANKS}(${TEXT}*)\r\n$`);
const CHUNK_LINE = new RegExp(
  `^([0-9A-Fa-f]{1,16})(?:${BLANKS};${BLANKS}${TOKEN}(?:${BLANKS}=${BLANKS}${VALUE})?)*\r\n$`,
);
const CODING = new RegExp(`^${TOKEN}$`);
/** Of all extensions of a body together, with the blanks around them. */
const EXTENSION_BYTES_MAX = 16_384;

/** What makes lines of their beginnings. */
const STATUS_LINE_START = "HTTP/1.1 200 \r\n";
const LINE_ENDS = ["\n", "\r\n"];
const FIELD_LINE_ENDS = [":\r\n"];
const CHUNK_LINE_ENDS = ["0\r\n", "a\r\n", "=a\r\n", ";a\r\n", '"\r\n', '""\r\n'];

/** Thrown where the bytes break a rule, or end. */
class Stop extends Error {
  readonly open: "refused" | "incomplete";

  constructor(open: "refused" | "incomplete", reason: string) {
    super(reason);
    this.open = open;
  }
}

interface Head {
  readonly minor: number;
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

interface Body {
  readonly text: string;
  /** It ends with the connection. */
  readonly toEnd: boolean;
}

export function readByGrammar(tried: FuzzCase, limits: AnswerLimits): Verdict {
  const reader = new Reader(latin1(tried.bytes), limits);
  try {
    const head = reader.finalHead();
    const body = reader.body(head, tried.bodiless);
    const connection = listOf(head, "connection").map((option) => option.toLowerCase());
    const closes = connection.includes("close") || reader.interimClose;
    const kept = head.minor === 1 || connection.includes("keep-alive");
    const excessBytes = body.toEnd ? 0 : excessOf(tried, reader.at);
    return {
      open: body.toEnd ? "incomplete" : "complete",
      ended: "complete",
      reason: "",
      status: head.status,
      bodyBytes: body.text.length,
      body: body.text,
      persistent: kept && !closes && !body.toEnd && excessBytes === 0,
      excessBytes,
      headers: head.fields.filter(([name]) => WANTED.includes(name)).flat(),
    };
  } catch (error) {
    if (error instanceof Stop) return refusedVerdict(error.open, error.message);
    throw error;
  }
}

/** Bytes behind `end` in the piece with the last byte before it. */
function excessOf(tried: FuzzCase, end: number): number {
  let pieceEnd = 0;
  for (const piece of piecesOf(tried)) {
    pieceEnd += piece.length;
    if (pieceEnd >= end) break;
  }
  return pieceEnd - end;
}

function valuesOf(head: Head, name: string): string[] {
  return head.fields.filter(([other]) => other === name).map(([, value]) => value);
}

/** The elements of a list that several fields make up (RFC 9110, 5.6.1): empty ones count for nothing. */
function listOf(head: Head, name: string): string[] {
  return valuesOf(head, name)
    .flatMap((value) => value.split(",").map(trim))
    .filter((element) => element !== "");
}

/** Behind the LF, or the end of the text. */
function endOfLine(text: string, at: number): number {
  const feed = text.indexOf("\n", at);
  return feed === -1 ? text.length : feed + 1;
}

function trim(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}

class Reader {
  at = 0;
  /** An interim answer said close, after which a client sends no more requests (RFC 9112, 9.6). */
  interimClose = false;
  readonly #text: string;
  readonly #limits: AnswerLimits;
  #extensionBytes = 0;

  constructor(text: string, limits: AnswerLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  finalHead(): Head {
    for (let interims = 0; ; interims += 1) {
      const head = this.#head(interims === this.#limits.interimMax);
      if (head.status >= 200) return head;
      if (listOf(head, "connection").some((option) => option.toLowerCase() === "close")) this.interimClose = true;
    }
  }

  body(head: Head, bodiless: boolean): Body {
    const coding = codingOf(head);
    const length = lengthOf(head);
    if (coding !== undefined && length !== undefined) throw new Stop("refused", "length and coding");
    if (bodiless || head.status === 204 || head.status === 304) return { text: "", toEnd: false };
    if (coding === "chunked") return { text: this.#chunks(), toEnd: false };
    if (length !== undefined) return { text: this.#counted(length), toEnd: false };
    const text = this.#text.slice(this.at);
    if (text.length > this.#limits.bodyBytesMax) throw new Stop("refused", "body too long");
    return { text, toEnd: true };
  }

  #head(isLast: boolean): Head {
    const end = this.at + this.#limits.headBytesMax;
    const start = this.#line(STATUS_LINE, [STATUS_LINE_START.slice(this.#text.length - this.at)], end);
    const [, minor, status] = start as unknown as [string, string, string];
    if (status === "101") throw new Stop("refused", "upgrade");
    if (status < "200" && isLast) throw new Stop("refused", "too many interim answers");
    return { minor: Number(minor), status: Number(status), fields: this.#fields(end, true) };
  }

  /** Up to the empty line. */
  #fields(end: number, isHead: boolean): [string, string][] {
    const fields: [string, string][] = [];
    for (;;) {
      if (this.#text.startsWith("\r\n", this.at) && this.at + 2 <= end) {
        this.at += 2;
        return fields;
      }
      if (this.#text.slice(this.at) === "\r" && this.at + 1 < end) throw new Stop("incomplete", "in the empty line");
      // What is wrong with a value is known before the line's LF has come.
      if (isHead && this.#text.endsWith("\r")) checkField(FIELD_LINE.exec(`${this.#text.slice(this.at)}\n`), fields);
      const line = this.#line(FIELD_LINE, FIELD_LINE_ENDS, end);
      if (isHead) checkField(line, fields);
      fields.push([(line[1] as string).toLowerCase(), trim(line[2] as string)]);
    }
  }

  #chunks(): string {
    let body = "";
    for (;;) {
      const size = this.#chunkSize();
      if (size === 0) break;
      if (size > this.#limits.bodyBytesMax - body.length) throw new Stop("refused", "body too long");
      body += this.#counted(size);
      const end = this.#text.slice(this.at, this.at + 2);
      if (!"\r\n".startsWith(end)) throw new Stop("refused", "no end of the chunk");
      if (end !== "\r\n") throw new Stop("incomplete", "in the end of a chunk");
      this.at += 2;
    }
    this.#fields(this.at + this.#limits.headBytesMax, false);
    return body;
  }

  #chunkSize(): number {
    const line = this.#text.slice(this.at, endOfLine(this.#text, this.at));
    const digits = /^[0-9A-Fa-f]*/.exec(line)?.[0] ?? "";
    const size = Number.parseInt(digits, 16);
    if (digits.length > 16 || size > Number.MAX_SAFE_INTEGER) throw new Stop("refused", "chunk size out of range");
    const extension = /^[^\r\n]*/.exec(line.slice(digits.length))?.[0] ?? "";
    // The first byte of an extension counts when the next one comes.
    const counted = extension.length - (line.length === digits.length + extension.length ? 1 : 0);
    if (this.#extensionBytes + counted > EXTENSION_BYTES_MAX) throw new Stop("refused", "extensions too long");
    this.#line(CHUNK_LINE, CHUNK_LINE_ENDS, Number.POSITIVE_INFINITY);
    this.#extensionBytes += extension.length;
    return size;
  }

  #counted(length: number): string {
    if (length > this.#limits.bodyBytesMax) throw new Stop("refused", "body too long");
    const body = this.#text.slice(this.at, this.at + length);
    if (body.length < length) throw new Stop("incomplete", "in the body");
    this.at += length;
    return body;
  }

  /** A whole line before `end`; else it stops: incomplete when one of the ends would make one of what is there. */
  #line(pattern: RegExp, ends: readonly string[], end: number): RegExpExecArray {
    const feed = this.#text.indexOf("\n", this.at);
    if (feed >= end || (feed === -1 && this.#text.length >= end)) throw new Stop("refused", "line too long");
    const line = this.#text.slice(this.at, feed === -1 ? undefined : feed + 1);
    const match = pattern.exec(line);
    if (match !== null) {
      this.at += line.length;
      return match;
    }
    const goesOn = feed === -1 && [...LINE_ENDS, ...ends].some((rest) => pattern.test(line + rest));
    throw new Stop(goesOn || line === "" ? "incomplete" : "refused", "line against the grammar");
  }
}

/** @param fields those before. */
function checkField(line: RegExpExecArray | null, fields: readonly (readonly [string, string])[]): void {
  if (line === null) return;
  const name = (line[1] as string).toLowerCase();
  const value = trim(line[2] as string);
  if (name === "content-length") {
    if (!/^[0-9]+$/.test(value) || Number(value) > Number.MAX_SAFE_INTEGER) throw new Stop("refused", "length");
    if (fields.some(([other]) => other === name)) throw new Stop("refused", "lengths");
  }
  if (name === "transfer-encoding") {
    const before = fields.filter(([other]) => other === name).map(([, earlier]) => earlier);
    checkCodings(before, value);
  }
}

/** At most one chunked, and that at the end (RFC 9112, 6.1). */
function checkCodings(before: readonly string[], value: string): void {
  const all = [...before, value].flatMap((text) => text.split(",").map(trim));
  for (const [index, coding] of all.entries()) {
    if (!CODING.test(coding)) throw new Stop("refused", "coding against the grammar");
    if (coding.toLowerCase() === "chunked" && index < all.length - 1) throw new Stop("refused", "chunked not last");
  }
}

function codingOf(head: Head): "chunked" | "other" | undefined {
  const last = listOf(head, "transfer-encoding").at(-1);
  if (last === undefined) return undefined;
  if (head.minor === 0) throw new Stop("refused", "coding in HTTP/1.0");
  return last.toLowerCase() === "chunked" ? "chunked" : "other";
}

function lengthOf(head: Head): number | undefined {
  const [length] = valuesOf(head, "content-length");
  return length === undefined ? undefined : Number(length);
}
