/**
 * Reads answers of HTTP/1.1 (RFC 9112), one after the other, from bytes that come in pieces which may end anywhere. Strict: what
 * breaks the rules is refused at its first wrong byte, with a code of its own, for a lenient reading of one message is how two
 * readers come to see different ones. Everything has a bound. Bodies are counted where they lie, nothing is copied but values
 * that somebody reads, and nothing is allocated for an answer without them.
 */

import type { AnswerHeaders } from "../answer-headers.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { FieldLines } from "./field-lines.ts";
import { FieldNames, type KnownField } from "./field-names.ts";
import { MessageFraming } from "./message-framing.ts";
import { PickedHeaders } from "./picked-headers.ts";
import type { RefusalCode } from "./refusals.ts";
import { StatusLine } from "./status-line.ts";

/** How far an answer has been read. */
export type AnswerState = "reading" | "complete" | "refused";

export interface AnswerLimits {
  /** Bytes of a head (status line, fields, the empty line), of an interim answer's too, and of a trailer section. */
  readonly headBytesMax: number;
  /** Interim answers (1xx) before the final one. */
  readonly interimMax: number;
  /** Bytes of the body, chunks taken together. */
  readonly bodyBytesMax: number;
}

type Stage = "status-line" | "fields" | "length" | "chunks" | "end" | "over";

const SWITCHING_PROTOCOLS = 101;
const OK = 200;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

export class AnswerParser {
  readonly #limits: AnswerLimits;
  readonly #line = new StatusLine();
  readonly #fields: FieldLines;
  readonly #framing = new MessageFraming();
  readonly #chunks: ChunkedBody;
  #stage: Stage = "over";
  #state: AnswerState = "refused";
  #refusal: RefusalCode | "" = "";
  #bodiless = false;
  #headBytesLeft = 0;
  #begun = false;
  #interims = 0;
  #bodyBytes = 0;
  #excessBytes = 0;
  readonly #picked: PickedHeaders;

  /** @param answerHeaders the headers that somebody reads; undefined: none. */
  constructor(limits: AnswerLimits, answerHeaders: AnswerHeaders | undefined) {
    this.#limits = limits;
    this.#picked = new PickedHeaders(answerHeaders);
    const names = new FieldNames(answerHeaders?.wanted ?? []);
    this.#fields = new FieldLines(names, (field, bytes, from, to) => this.#take(field, bytes, from, to));
    // Fields behind the body say nothing of how it is delimited (RFC 9112, 7.1.2), and come too late for a policy.
    const trailers = new FieldLines(names, () => "");
    this.#chunks = new ChunkedBody(limits.bodyBytesMax, limits.headBytesMax, trailers);
  }

  /** Of the final answer; 0 before its status line was read. */
  get status(): number {
    return this.#line.done && this.#line.status >= OK ? this.#line.status : 0;
  }

  /** A byte of an answer, be it an interim one, was read. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether the connection may carry another request after the complete answer (RFC 9112, 9.3). */
  get persistent(): boolean {
    if (this.#state !== "complete" || this.#excessBytes > 0) return false;
    const delimited = this.#isBodiless || this.#framing.delimiter !== "end";
    return delimited && this.#framing.persists(this.#line.minor);
  }

  /** For how long the target says it keeps the connection when idle; Infinity when it does not say. */
  get keepAliveSeconds(): number {
    return this.#framing.keepAliveSeconds;
  }

  /** Interim answers (1xx) that came before the final one. */
  get interims(): number {
    return this.#interims;
  }

  /** Of the body so far; what frames chunks is left out. */
  get bodyBytes(): number {
    return this.#bodyBytes + this.#chunks.bodyBytes;
  }

  /** Bytes that came behind the complete answer. They are no answer to anything. */
  get excessBytes(): number {
    return this.#excessBytes;
  }

  /** The wanted headers of the final answer: name in lower case, value, ... */
  get headers(): readonly string[] | undefined {
    return this.#picked.all;
  }

  /** Why the bytes are refused. */
  get refusal(): RefusalCode | "" {
    return this.#refusal;
  }

  /**
   * A request was sent: its answer comes.
   *
   * @param bodiless whether the answer has no body whatever it says, as to HEAD.
   */
  begin(bodiless: boolean): void {
    this.#state = "reading";
    this.#refusal = "";
    this.#bodiless = bodiless;
    this.#begun = false;
    this.#interims = 0;
    this.#bodyBytes = 0;
    this.#chunks.bodyBytes = 0;
    this.#excessBytes = 0;
    this.#framing.begin();
    this.#beginHead();
  }

  /** Reads bytes[from .. to). Behind a complete or refused answer, nothing more is read until {@link begin}. */
  read(bytes: Uint8Array, from: number, to: number): AnswerState {
    let at = from;
    if (at < to && this.#state === "reading") this.#begun = true;
    while (at < to && this.#state === "reading") at = this.#readStage(bytes, at, to);
    if (this.#state === "complete") this.#excessBytes += to - at;
    return this.#state;
  }

  /** The connection has ended in order: complete when only that could end the body, else cut. */
  end(): AnswerState {
    if (this.#state !== "reading") return this.#state;
    if (this.#stage === "end") this.#complete();
    else if (!this.#begun) this.#refuse("H1_NO_ANSWER");
    else this.#refuse(this.#stage === "status-line" || this.#stage === "fields" ? "H1_CUT_HEAD" : "H1_CUT_BODY");
    return this.#state;
  }

  get #isBodiless(): boolean {
    const { status } = this.#line;
    return this.#bodiless || status === NO_CONTENT || status === NOT_MODIFIED;
  }

  #readStage(bytes: Uint8Array, at: number, to: number): number {
    switch (this.#stage) {
      case "status-line":
        return this.#readStatusLine(bytes, at, to);
      case "fields":
        return this.#readFields(bytes, at, to);
      case "length":
        return this.#countLength(at, to);
      case "chunks":
        return this.#readChunks(bytes, at, to);
      case "end":
        this.#bodyBytes += to - at;
        if (this.#bodyBytes > this.#limits.bodyBytesMax) this.#refuse("H1_BODY_SIZE");
        return to;
      case "over":
        return at;
      default:
        return this.#stage satisfies never;
    }
  }

  #beginHead(): void {
    this.#stage = "status-line";
    this.#headBytesLeft = this.#limits.headBytesMax;
    this.#picked.begin();
    this.#line.begin();
    this.#framing.beginHead();
  }

  #readStatusLine(bytes: Uint8Array, from: number, to: number): number {
    const line = this.#line;
    const at = line.read(bytes, from, this.#headEnd(from, to));
    this.#took(at - from, line.done, line.refusal);
    if (!line.done || this.#state === "refused") return at;
    if (line.status === SWITCHING_PROTOCOLS) this.#refuse("H1_UPGRADE");
    else if (line.status < OK && this.#interims === this.#limits.interimMax) this.#refuse("H1_INTERIMS");
    else {
      this.#stage = "fields";
      this.#fields.begin();
    }
    return at;
  }

  #readFields(bytes: Uint8Array, from: number, to: number): number {
    const fields = this.#fields;
    const at = fields.read(bytes, from, this.#headEnd(from, to));
    this.#took(at - from, fields.done, fields.refusal);
    if (fields.done) this.#afterHead();
    return at;
  }

  #headEnd(from: number, to: number): number {
    return Math.min(to, from + this.#headBytesLeft);
  }

  #took(bytes: number, done: boolean, refusal: RefusalCode | ""): void {
    this.#headBytesLeft -= bytes;
    if (refusal !== "") this.#refuse(refusal);
    else if (this.#headBytesLeft === 0 && !(done && this.#stage === "fields")) this.#refuse("H1_HEAD_SIZE");
  }

  #take(field: KnownField, bytes: Uint8Array, from: number, to: number): RefusalCode | "" {
    const refusal = this.#framing.take(field, bytes, from, to);
    if (field.wanted) this.#picked.take(field.name, bytes, from, to);
    return refusal;
  }

  #afterHead(): void {
    const { status, minor } = this.#line;
    // An interim answer ends with its head whatever its fields say (RFC 9112, 6.3), and is passed over (RFC 9110, 15.2).
    if (status < OK) {
      this.#interims += 1;
      this.#beginHead();
      return;
    }
    const refusal = this.#framing.refusalOf(minor);
    if (refusal !== "") this.#refuse(refusal);
    else if (this.#isBodiless) this.#complete();
    else this.#beginBody();
  }

  #beginBody(): void {
    const { delimiter, length } = this.#framing;
    this.#stage = delimiter;
    switch (delimiter) {
      case "length":
        if (length > this.#limits.bodyBytesMax) this.#refuse("H1_BODY_SIZE");
        else if (length === 0) this.#complete();
        return;
      case "chunks":
        this.#chunks.begin();
        return;
      case "end":
        return;
      default:
        unreachable(delimiter);
    }
  }

  #countLength(from: number, to: number): number {
    const bytes = Math.min(this.#framing.length - this.#bodyBytes, to - from);
    this.#bodyBytes += bytes;
    if (this.#bodyBytes === this.#framing.length) this.#complete();
    return from + bytes;
  }

  #readChunks(bytes: Uint8Array, from: number, to: number): number {
    const chunks = this.#chunks;
    const at = chunks.read(bytes, from, to);
    if (chunks.refusal !== "") this.#refuse(chunks.refusal);
    else if (chunks.done) this.#complete();
    return at;
  }

  #complete(): void {
    this.#state = "complete";
    this.#stage = "over";
  }

  #refuse(code: RefusalCode): void {
    this.#state = "refused";
    this.#stage = "over";
    this.#refusal = code;
  }
}

function unreachable(value: never): never {
  throw new Error(`Unknown delimiter: ${String(value)}`);
}
