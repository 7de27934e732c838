/** What is tried, and what a parser makes of it. */

import type { AnswerLimits } from "../../src/world/real/wire/answer-parser.ts";

/** The bytes that a target sends in answer to one request before it ends the connection in order. */
export interface FuzzCase {
  readonly bytes: Uint8Array;
  /** The request was a HEAD. */
  readonly bodiless: boolean;
  /** Where the bytes are cut into pieces: ascending, each above 0 and below their number. */
  readonly cuts: readonly number[];
}

/** What a parser makes of a case. What only a complete answer has is 0, "" or empty in others, and not compared. */
export interface Verdict {
  /** When all bytes were read, before the connection ended. */
  readonly open: "complete" | "refused" | "incomplete";
  /** When the connection had ended. A cut is a refusal. */
  readonly ended: "complete" | "refused";
  /** Why it was refused, in the parser's words. */
  readonly reason: string;
  /** Of the final answer. */
  readonly status: number;
  readonly bodyBytes: number;
  /** In latin1; undefined when the parser only counts. */
  readonly body: string | undefined;
  /** Whether the connection may carry another request; meant for an answer with nothing behind it. */
  readonly persistent: boolean;
  /** Bytes behind the answer in the piece with its end; undefined when the parser does not tell. */
  readonly excessBytes: number | undefined;
  /** {@link WANTED} in the order of the final answer: name in lower case, value, ... */
  readonly headers: readonly string[];
}

/** The headers that are read. Not `date`: without one, the parser puts the present in. */
export const WANTED: readonly string[] = ["retry-after", "x-load"];

/** As the wire has them, but for the body. */
export const LIMITS: AnswerLimits = { headBytesMax: 16_384, interimMax: 16, bodyBytesMax: 1_000_000 };

/** So small that generated answers meet them. */
export const SMALL_LIMITS: AnswerLimits = { headBytesMax: 160, interimMax: 1, bodyBytesMax: 40 };

/** Refused from the first byte on, or before any came. */
export function refusedVerdict(open: "refused" | "incomplete", reason: string): Verdict {
  return {
    open,
    ended: "refused",
    reason,
    status: 0,
    bodyBytes: 0,
    body: undefined,
    persistent: false,
    excessBytes: undefined,
    headers: [],
  };
}

/** The pieces in their order. */
export function piecesOf({ bytes, cuts }: FuzzCase): Uint8Array[] {
  const ends = [...cuts, bytes.length];
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
