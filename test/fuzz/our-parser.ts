/** The parser under test, with what must hold of it whatever it reads. */

import { answerHeaders } from "../../src/world/real/answer-headers.ts";
import { type AnswerLimits, AnswerParser } from "../../src/world/real/wire/answer-parser.ts";
import { type FuzzCase, latin1, piecesOf, type Verdict, WANTED } from "./fuzz-case.ts";

/** Bytes around a piece in its buffer, which must not be read. */
const MARGIN = 16;
const MARGIN_BYTE = 0x41;

/** Reads a case with a parser that has read others before, as on a connection that carries request after request. */
export class OurParser {
  readonly #parser: AnswerParser;
  readonly #limits: AnswerLimits;
  #buffer = new Uint8Array(4096);

  /** @param wanted names of the headers that are read. */
  constructor(limits: AnswerLimits, wanted: readonly string[] = WANTED) {
    this.#parser = new AnswerParser(limits, answerHeaders(wanted));
    this.#limits = limits;
  }

  /** @throws Error when the parser contradicts itself. */
  read(tried: FuzzCase): Verdict {
    const parser = this.#parser;
    parser.begin(tried.bodiless);
    this.#check(!parser.begun && parser.status === 0 && parser.refusal === "", "begin() leaves something of before");
    let open = "reading";
    for (const piece of piecesOf(tried)) {
      open = this.#readPiece(piece);
      if (open !== "reading") break;
    }
    this.#check(parser.begun === tried.bytes.length > 0, "'begun' is wrong");
    const excessBytes = parser.excessBytes;
    const ended = parser.end();
    this.#check(ended !== "reading", "end() leaves it reading");
    this.#check(open === "reading" || ended === open, "end() changes what was decided");
    this.#checkBounds(tried, ended);
    const complete = ended === "complete";
    return {
      open: open === "reading" ? "incomplete" : (open as "complete" | "refused"),
      ended: complete ? "complete" : "refused",
      reason: parser.refusal,
      status: complete ? parser.status : 0,
      bodyBytes: complete ? parser.bodyBytes : 0,
      body: undefined,
      persistent: complete && parser.persistent,
      excessBytes,
      headers: complete ? (parser.headers ?? []) : [],
    };
  }

  /** Hands a piece over in the middle of a buffer, as the shared one of the sockets does. */
  #readPiece(piece: Uint8Array): string {
    const parser = this.#parser;
    const end = MARGIN + piece.length;
    if (this.#buffer.length < end + MARGIN) this.#buffer = new Uint8Array(2 * (end + MARGIN));
    const buffer = this.#buffer;
    buffer.fill(MARGIN_BYTE, 0, MARGIN).set(piece, MARGIN);
    buffer.fill(MARGIN_BYTE, end, end + MARGIN);
    const state = parser.read(buffer, MARGIN, end);
    // What it keeps must be its own: the next piece comes in the same buffer.
    buffer.fill(MARGIN_BYTE, MARGIN, end);
    if (state === "reading") return state;
    const before = describe(parser);
    this.#check(parser.read(buffer, MARGIN, MARGIN) === state, "read() of nothing changes what was decided");
    this.#check(describe(parser) === before, "read() of nothing changes a field");
    return state;
  }

  #checkBounds(tried: FuzzCase, ended: string): void {
    const parser = this.#parser;
    const { bodyBytesMax, interimMax } = this.#limits;
    this.#check((parser.refusal !== "") === (ended === "refused"), "'refusal' does not tell whether it refused");
    this.#check(parser.interims <= interimMax, "'interims' is above its bound");
    // The piece that goes beyond the bound may be counted before it is refused.
    this.#check(ended === "refused" || parser.bodyBytes <= bodyBytesMax, "'bodyBytes' is above its bound");
    this.#check(parser.bodyBytes + parser.excessBytes <= tried.bytes.length, "more bytes are counted than came");
    const { status, keepAliveSeconds } = parser;
    this.#check(keepAliveSeconds >= 0, "'keepAliveSeconds' is no time");
    this.#check(status === 0 || (status >= 200 && status <= 999), "'status' is none of a final answer");
    this.#check(status === 0 || hasStatusLine(tried, status), "'status' stands in no status line that was read");
    this.#check(ended === "refused" || status !== 0, "a complete answer has no status");
  }

  #check(holds: boolean, message: string): void {
    if (!holds) throw new Error(`${message}: ${describe(this.#parser)}`);
  }
}

function hasStatusLine({ bytes }: FuzzCase, status: number): boolean {
  return latin1(bytes).includes(` ${status}`);
}

/** Of the headers their number: an answer without a date has the present one, which goes on. */
function describe(parser: AnswerParser): string {
  const { status, begun, persistent, interims, bodyBytes, excessBytes, refusal } = parser;
  const headers = parser.headers?.length;
  return JSON.stringify({ status, begun, persistent, interims, bodyBytes, excessBytes, refusal, headers });
}
