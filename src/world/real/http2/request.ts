/**
 * The one request of a trial, as HTTP/2 sends it. Its header block is made once and used for every stream: static entries
 * and literals only (HPACK, RFC 7541), no dynamic table, so that it means the same whatever went before.
 */

import type { RealWorldSpec } from "../../../engine/trial-spec.ts";
import { type AnswerHeaders, answerHeaders } from "../answer-headers.ts";
import { AttemptHeaders } from "../attempt-headers.ts";
import { basicAuthorization } from "../request-facts.ts";
import { FLAG, FRAME, FRAME_BYTES_MAX, frame, HEADER_BYTES } from "./frames.ts";

export interface H2HeaderFrames {
  /** HEADERS and, for a long header block, CONTINUATION frames; see {@link forStream}. */
  readonly headers: Buffer;
  /** The same for the first request of a connection: it also tells the peer that we use no dynamic table. */
  readonly firstHeaders: Buffer;
}

export interface H2Request extends H2HeaderFrames {
  /** The header block, uncut. */
  readonly block: Buffer;
  readonly body: Buffer | undefined;
  readonly attemptHeaders: AttemptHeaders;
  /** What is to be read of the headers of answers; undefined: nothing. */
  readonly answerHeaders: AnswerHeaders | undefined;
}

/** Headers that belong to a connection of HTTP/1.1 and must not appear (RFC 9113, 8.2.2). */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
/** Never to be put in a table by whoever forwards them (RFC 7541, 7.1.3). */
const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Indexes of the static table (RFC 7541, appendix A): the name alone, or name and value with the top bit set. */
const AUTHORITY = 1;
const METHOD = 2;
const PATH = 4;
const WHOLE = { GET: 0x82, POST: 0x83, "/": 0x84, "http:": 0x86, "https:": 0x87 } as const;
/** A literal field without indexing has its name's index in four bits, 0 for a name given as a string. */
const NEVER_INDEXED = 0x10;
/** An update of the dynamic table's size, to 0. */
const NO_DYNAMIC_TABLE = Buffer.from([0x20]);

export function h2Request(spec: RealWorldSpec): H2Request {
  const url = new URL(spec.url);
  const fields = headerFields(url, spec);
  const block = Buffer.concat([...pseudoFields(url, spec.method, fields), ...fields.map(literal)]);
  const body = spec.body === undefined || spec.body.length === 0 ? undefined : Buffer.from(spec.body);
  return {
    ...framesOf(block, body === undefined),
    block,
    body,
    attemptHeaders: new AttemptHeaders(spec.criticalityHeader),
    answerHeaders: answerHeaders(spec.answerHeaders),
  };
}

/** The frames of one attempt, with headers of its own: name, value, ... */
export function withHeaders({ block, body }: H2Request, headers: readonly string[]): H2HeaderFrames {
  const fields: Buffer[] = [block];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    fields.push(literal([(headers[index] as string).toLowerCase(), headers[index + 1] as string]));
  }
  return framesOf(Buffer.concat(fields), body === undefined);
}

function framesOf(block: Buffer, endStream: boolean): H2HeaderFrames {
  return {
    headers: headerFrames(block, endStream),
    firstHeaders: headerFrames(Buffer.concat([NO_DYNAMIC_TABLE, block]), endStream),
  };
}

/** A copy of `headers` for a stream. */
export function forStream(headers: Buffer, streamId: number): Buffer {
  const bytes = Buffer.allocUnsafe(headers.length);
  headers.copy(bytes);
  for (let at = 0; at < bytes.length; at += HEADER_BYTES + bytes.readUIntBE(at, 3))
    bytes.writeUInt32BE(streamId, at + 5);
  return bytes;
}

/** Names in lower case; `host` stays in the list, as the authority to ask for. */
function headerFields(url: URL, spec: RealWorldSpec): [string, string][] {
  const fields = spec.headers
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim()])
    .filter(([name]) => !CONNECTION_HEADERS.has(name));
  const named = (wanted: string): boolean => fields.some(([name]) => name === wanted);
  const authorization = basicAuthorization(url);
  if (authorization !== undefined && !named("authorization")) fields.push(["authorization", authorization]);
  if (spec.body !== undefined && !named("content-length")) fields.push(["content-length", String(spec.body.length)]);
  return fields;
}

/** The pseudo-header fields (RFC 9113, 8.3.1). Takes `host` out of the fields. */
function pseudoFields(url: URL, method: string, fields: [string, string][]): Buffer[] {
  const path = `${url.pathname}${url.search}`;
  const host = fields.findIndex(([name]) => name === "host");
  const authority = host === -1 ? url.host : (fields.splice(host, 1)[0] as [string, string])[1];
  return [
    method === "GET" || method === "POST" ? Buffer.from([WHOLE[method]]) : indexedName(METHOD, method),
    Buffer.from([WHOLE[url.protocol as "http:" | "https:"]]),
    path === "/" ? Buffer.from([WHOLE["/"]]) : indexedName(PATH, path),
    indexedName(AUTHORITY, authority),
  ];
}

function indexedName(index: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([index]), string(value)]);
}

function literal([name, value]: readonly [string, string]): Buffer {
  return Buffer.concat([Buffer.from([SECRET_HEADERS.has(name) ? NEVER_INDEXED : 0]), string(name), string(value)]);
}

/** A string literal, not Huffman coded (RFC 7541, 5.1 and 5.2): its length has seven bits in the first byte. */
function string(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  if (bytes.length < 0x7f) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [0x7f];
  let rest = bytes.length - 0x7f;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) length.push((rest % 0x80) + 0x80);
  length.push(rest);
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** The block cut into frames; a trial without a body ends its streams with them. */
function headerFrames(block: Buffer, endStream: boolean): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += FRAME_BYTES_MAX) {
    const part = block.subarray(at, at + FRAME_BYTES_MAX);
    const last = at + FRAME_BYTES_MAX >= block.length ? FLAG.endHeaders : 0;
    const first = at === 0;
    const end = first && endStream ? FLAG.endStream : 0;
    frames.push(frame(first ? FRAME.headers : FRAME.continuation, end | last, 0, part));
  }
  return Buffer.concat(frames);
}
