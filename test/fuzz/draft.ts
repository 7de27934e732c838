/** Answers as drafts, whose parts can be changed before they become bytes: text in latin1, lines with their ends. */

import type { Draws } from "./draws.ts";

export interface Chunk {
  size: string;
  data: string;
  end: string;
}

export interface DraftHead {
  statusLine: string;
  /** Without their ends. */
  fields: string[];
}

export interface Draft {
  /** Interim answers, and at the end the final one. */
  heads: DraftHead[];
  body: string | Chunk[];
  trailers: string[];
  /** What comes behind the answer. */
  rest: string;
}

const CRLF = "\r\n";

const STATUSES = [200, 200, 200, 200, 200, 201, 206, 204, 304, 301, 404, 429, 500, 503, 503, 599, 299];
const INTERIM_STATUSES = [100, 102, 103, 103, 199];
const REASONS = [" OK", " OK", " OK", " ", " Not Found", " \x80\xff", " a\tb  c ", ""];
const OTHER_FIELDS = [
  "Date: Tue, 01 Dec 2026 09:00:00 GMT",
  "Date: Tue, 01 Dec 2026 09:00:01 GMT",
  `Date: ${"d".repeat(65)}`,
  "Server: nginx",
  "Content-Type: text/plain; charset=utf-8",
  "Set-Cookie: a=b; Path=/",
  "Retry-After: 3",
  "RETRY-AFTER:\t120 ",
  "X-Load: 0.75",
  "X-Load:",
  "x-load: \xe9 \t \xff\t",
  "!#$%&'*+-.^_`|~9: odd name",
  "X-Empty:   ",
  "Upgrade: h2c",
  "Trailer: X-Sum",
  "A:b",
];
const CONNECTIONS = [
  "close",
  "keep-alive",
  "Keep-Alive",
  "CLOSE",
  "upgrade",
  "keep-alive, close",
  "X-Load, close",
  "closed",
  "keep-alive , x",
  ", close",
];
const HINTS = ["timeout=5", "timeout=5, max=100", "max=100", "Timeout = 7", "timeout=x"];
const SPACES = [" ", " ", " ", "", "  ", "\t", " \t "];
/** Seldom, for the bounds. */
const LONG = 0.002;
const EXTENSIONS = ["", "", "", "", ";a", ";a=b", ';a="q;\\"\xff"', "; a = b ;c", " ;a"];
const DATA = [
  "a",
  "hello",
  "\r\n",
  "0\r\n\r\n",
  "HTTP/1.1 200 OK\r\n\r\n",
  "\x00\xff\x80",
  "x".repeat(17),
  "y".repeat(300),
];

/** An answer that any strict reader takes. */
export function validDraft(draws: Draws): Draft {
  const minor = draws.chance(0.8) ? 1 : 0;
  const heads: DraftHead[] = [];
  while (draws.chance(0.15) && heads.length < 4) heads.push(headOf(draws, minor, draws.pick(INTERIM_STATUSES)));
  const final = headOf(draws, minor, draws.pick(STATUSES));
  heads.push(final);
  const framing = draws.pick(minor === 1 ? ["length", "length", "chunks", "chunks", "end"] : ["length", "end"]);
  const data = draws.chance(0.2) ? "" : draws.pick(DATA);
  const draft: Draft = { heads, body: data, trailers: [], rest: "" };
  if (framing === "length") addField(draws, final, `Content-Length${colon(draws)}${data.length}`);
  if (framing === "chunks") {
    addField(
      draws,
      final,
      `Transfer-Encoding${colon(draws)}${draws.pick(["chunked", "chunked", "Chunked", "gzip, chunked"])}`,
    );
    draft.body = chunksOf(draws, data);
    while (draws.chance(0.15)) draft.trailers.push(draws.pick(OTHER_FIELDS));
    if (draws.chance(10 * LONG)) draft.trailers.push(`X-Long: ${"t".repeat(draws.pick([100, 200, 16_370, 16_400]))}`);
  }
  if (hasBody(final)) return draft;
  draft.body = "";
  draft.trailers = [];
  return draft;
}

/** The bytes, in latin1. */
export function textOf(draft: Draft, lineEnd = CRLF): string {
  const heads = draft.heads.map(({ statusLine, fields }) => [statusLine, ...fields, ""].join(lineEnd) + lineEnd);
  return heads.join("") + bodyText(draft, lineEnd) + draft.rest;
}

export function finalHead(draft: Draft): DraftHead {
  return draft.heads[draft.heads.length - 1] as DraftHead;
}

function bodyText({ body, trailers }: Draft, lineEnd: string): string {
  if (typeof body === "string") return body;
  const chunks = body.map(({ size, data, end }) => size + lineEnd + data + end);
  return chunks.join("") + [...trailers, ""].join(lineEnd) + lineEnd;
}

function headOf(draws: Draws, minor: number, status: number): DraftHead {
  const head: DraftHead = { statusLine: `HTTP/1.${minor} ${status}${draws.pick(REASONS)}`, fields: [] };
  while (draws.chance(0.55) && head.fields.length < 8) addField(draws, head, draws.pick(OTHER_FIELDS));
  if (draws.chance(0.3)) addField(draws, head, `Connection${colon(draws)}${draws.pick(CONNECTIONS)}`);
  if (draws.chance(0.1)) addField(draws, head, `Keep-Alive${colon(draws)}${draws.pick(HINTS)}`);
  if (draws.chance(LONG)) addField(draws, head, `X-Long: ${"z".repeat(draws.pick([4000, 16_000, 16_300, 20_000]))}`);
  return head;
}

function addField(draws: Draws, head: DraftHead, field: string): void {
  head.fields.splice(draws.below(head.fields.length + 1), 0, draws.chance(0.2) ? otherCase(draws, field) : field);
}

/** Only the name's, since a value's may matter. */
function otherCase(draws: Draws, field: string): string {
  const end = field.indexOf(":");
  const name = field.slice(0, end);
  return (draws.chance(0.5) ? name.toLowerCase() : name.toUpperCase()) + field.slice(end);
}

function colon(draws: Draws): string {
  return `:${draws.pick(SPACES)}`;
}

function chunksOf(draws: Draws, data: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < data.length; ) {
    const length = 1 + draws.below(data.length - at);
    const hex = length.toString(16);
    const size = draws.pick([hex, hex, hex.toUpperCase(), `000${hex}`]) + draws.pick(EXTENSIONS);
    chunks.push({ size, data: data.slice(at, at + length), end: CRLF });
    at += length;
  }
  const extension = draws.chance(LONG)
    ? `;${"e".repeat(draws.pick([8190, 16_381, 16_382, 16_383, 16_384]))}`
    : draws.pick(EXTENSIONS);
  chunks.push({ size: draws.pick(["0", "0", "0", "000"]) + extension, data: "", end: "" });
  return chunks;
}

function hasBody({ statusLine }: DraftHead): boolean {
  return !/^HTTP\/1\.. (?:204|304)/.test(statusLine);
}
