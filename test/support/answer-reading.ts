/** What an {@link AnswerParser} makes of bytes, by the pieces in which they come. */

import type { AnswerHeaders } from "../../src/world/real/answer-headers.ts";
import { type AnswerLimits, AnswerParser, type AnswerState } from "../../src/world/real/wire/answer-parser.ts";
import type { RefusalCode } from "../../src/world/real/wire/refusals.ts";

export const ROOMY: AnswerLimits = { headBytesMax: 16_384, interimMax: 16, bodyBytesMax: 1_000_000 };

export interface Reading {
  readonly state: AnswerState;
  readonly refusal: RefusalCode | "";
  readonly status: number;
  readonly begun: boolean;
  readonly persistent: boolean;
  readonly keepAliveSeconds: number;
  readonly interims: number;
  readonly bodyBytes: number;
  readonly excessBytes: number;
  readonly headers: readonly string[] | undefined;
}

export function readingOf(parser: AnswerParser, state: AnswerState): Reading {
  const { refusal, status, begun, persistent, keepAliveSeconds, interims, bodyBytes, excessBytes, headers } = parser;
  return { state, refusal, status, begun, persistent, keepAliveSeconds, interims, bodyBytes, excessBytes, headers };
}

/** How an answer comes. */
export interface Arrival {
  readonly bodiless?: boolean;
  /** Where a piece ends and the next one begins: indices into the bytes, in order. */
  readonly cuts?: readonly number[];
  /** Whether the connection ends behind the bytes. */
  readonly ends?: boolean;
}

/** Feeds the answer to the parser, each piece in a buffer that is used again for the next, as a socket does. */
export function feed(parser: AnswerParser, bytes: Uint8Array, arrival: Arrival = {}): Reading {
  const { bodiless = false, cuts = [], ends = false } = arrival;
  const buffer = new Uint8Array(bytes.length + 2);
  parser.begin(bodiless);
  let state: AnswerState = "reading";
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    buffer.fill(0x2a);
    buffer.set(bytes.subarray(from, to), 1);
    state = parser.read(buffer, 1, 1 + to - from);
    from = to;
  }
  return readingOf(parser, ends ? parser.end() : state);
}

/** Reads text (its characters are bytes) with a parser of its own. */
export function readText(
  text: string,
  arrival: Arrival & { readonly limits?: Partial<AnswerLimits>; readonly headers?: AnswerHeaders } = {},
): Reading {
  const { limits, headers, ...rest } = arrival;
  return feed(new AnswerParser({ ...ROOMY, ...limits }, headers), Buffer.from(text, "latin1"), rest);
}

/** Every place where a piece may end: byte by byte. */
export function everyCut(bytes: Uint8Array): readonly number[] {
  return Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1);
}

/**
 * The index of the byte at which text is refused, when it comes byte by byte.
 *
 * @returns -1 when it is not.
 */
export function refusedAt(
  text: string,
  arrival: { readonly bodiless?: boolean; readonly limits?: Partial<AnswerLimits> } = {},
): number {
  const bytes = Buffer.from(text, "latin1");
  const parser = new AnswerParser({ ...ROOMY, ...arrival.limits }, undefined);
  parser.begin(arrival.bodiless ?? false);
  return bytes.findIndex((_, index) => parser.read(bytes, index, index + 1) === "refused");
}
