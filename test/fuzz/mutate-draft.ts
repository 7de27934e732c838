/** Changes of a draft's parts, each an error (or nearly one) that servers, proxies and attackers are known for. */

import { type Chunk, type Draft, type DraftHead, finalHead, textOf, validDraft } from "./draft.ts";
import type { Draws } from "./draws.ts";

const STATUS_LINES = [
  "HTTP/0.9 200 OK",
  "HTTP/2.0 200 OK",
  "HTTP/1.2 200 OK",
  "HTTP/1.10 200 OK",
  "HTTP/01.1 200 OK",
  "HTTP/1 200 OK",
  "HTTP/2 200",
  "HTTP/1.1 200",
  "HTTP/1.1 200 ",
  "HTTP/1.1  200 OK",
  "HTTP/1.1\t200 OK",
  "HTTP/1.1 200\tOK",
  "HTTP/1.1 20 OK",
  "HTTP/1.1 2000 OK",
  "HTTP/1.1 099 OK",
  "HTTP/1.1 600 OK",
  "HTTP/1.1 999 OK",
  "HTTP/1.1 000 OK",
  "HTTP/1.1 +20 OK",
  "HTTP/1.1 2x0 OK",
  "HTTP/1.1 45X",
  "HTTP/1.1 101 Switching Protocols",
  "HTTP/1.1 100 Continue",
  "HTTP/1.1 204 No Content",
  "HTTP/1.1 304 Not Modified",
  "HTTP/1.0 200 OK",
  "http/1.1 200 OK",
  "Http/1.1 200 OK",
  " HTTP/1.1 200 OK",
  "HTTP/1.1 200 O\x00K",
  "HTTP/1.1 200 O\x7fK",
  "HTTP/1.1 200 O\rK",
  "ICY 200 OK",
  "RTSP/1.0 200 OK",
  "HTTPS/1.1 200 OK",
  "GET / HTTP/1.1",
  "",
];
const LENGTHS = [
  "",
  "+5",
  "-5",
  "-0",
  "0x5",
  "05",
  "0000000000000000000005",
  "5,5",
  "5, 5",
  "5 5",
  "5;a",
  "5.0",
  "5e0",
  "1e3",
  "\x0b5",
  "5\x00",
  "\u00b2",
  "0",
  "1",
  "3",
  "5",
  "5\t",
  "9007199254740991",
  "9007199254740993",
  "18446744073709551615",
  "18446744073709551616",
  "18446744073709551621",
  "99999999999999999999999999",
];
const CODINGS = [
  "",
  "chunked",
  "CHUNKED",
  "identity",
  "gzip",
  "gzip, chunked",
  "gzip,chunked",
  "chunked, chunked",
  "chunked,chunked",
  "chunked, gzip",
  "chunked, identity",
  "chunked;q=1",
  "gzip;q=1, chunked",
  'gzip;a="b,chunked',
  'gzip;a=",", chunked',
  ",chunked",
  "chunked,",
  "chunked , ",
  "chunked ",
  "\x0bchunked",
  "chunked\x00",
  '"chunked"',
  "xchunked",
  "x chunked",
  "chunkedx",
  "chun ked",
  "chunke",
];
const SIZES = [
  "",
  "-1",
  "+1",
  "0x1",
  "1_0",
  " 1",
  "1 ",
  "1\t",
  "1 2",
  "g",
  "00000000000000001",
  "0000000000000001",
  "fffffffffffffff",
  "ffffffffffffffff",
  "10000000000000000",
  "10000000000000001",
  "20000000000000",
  "1fffffffffffff",
  "1;",
  "1; ",
  "1;a=",
  "1;a ",
  "1;=b",
  '1;a="b',
  '1;a="b"c',
  "1;a=b c",
  "1;a\x00",
  '1;a="\x00"',
  '1;a="\\',
  "1;a\rb",
  '1;a="\r"',
  "1\r",
  "0",
  "1",
  "5",
  "a",
  "F",
];
const FIELDS = [
  "Content-Length : 5",
  "Content-Length\t: 5",
  "Content Length: 5",
  "Content-Length",
  "Content-Length:5:5",
  ": empty name",
  ":",
  "\x00: nul",
  "X\x80: high name",
  "X(: delimiter",
  "X: nul \x00",
  "X: bell \x07",
  "X: delete \x7f",
  "X: bare \r CR",
  "X: a\r",
  "X: feed \n Y: b",
  "X: \x0b vertical",
  " Content-Length: 5",
  "\tfolded",
  "Transfer-Encoding : chunked",
  "Transfer_Encoding: chunked",
  "X-Load: 1\r\n 2",
  "Connection: close",
  "Connection: keep-alive",
  'Connection: "close"',
  "Connection: close;a",
  "Connection: x close",
  "Connection: keep-alive,close,",
  "Connection: ,",
  "Connection:",
  "Proxy-Connection: close",
  "Upgrade: websocket",
  "Connection: upgrade",
  "Connection: Upgrade, close",
];
const RESTS = [
  "x",
  "\r\n",
  "\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  "HTTP/1.1 ",
  "0\r\n\r\n",
  "\x00",
];
const CHUNK_ENDS = ["", "\n", "\r", "\n\r", "x\r\n", "\r\r\n", "\r\n\r\n", " \r\n"];

const CHUNK_DATA = ["", "x", "hello", "hello\r\n", "\r", "\n"];
const TRAILERS = [...FIELDS, "Content-Length: 3", "Transfer-Encoding: x"];
const INTERIM_LINES = ["100 Continue", "102 Processing", "103 Early Hints"];
const INTERIM_FIELDS = ["Link: </a>", "Content-Length: 5", "Transfer-Encoding: chunked", "Connection: close"];
/** Around the bound of the wire too. */
const INTERIM_COUNTS = [1, 1, 1, 2, 3, 16, 17, 18];

type DraftMutation = (draws: Draws, draft: Draft) => void;

const MUTATIONS: readonly DraftMutation[] = [
  changeStatusLine,
  (draws, draft) => insert(draws, finalHead(draft).fields, `Content-Length: ${draws.pick(LENGTHS)}`),
  (draws, draft) => replaceValue(draft, "content-length", draws.pick(LENGTHS)),
  (draws, draft) => insert(draws, finalHead(draft).fields, `Transfer-Encoding: ${draws.pick(CODINGS)}`),
  (draws, draft) => replaceValue(draft, "transfer-encoding", draws.pick(CODINGS)),
  (draws, draft) => insert(draws, anyHead(draws, draft).fields, draws.pick(FIELDS)),
  (draws, draft) => duplicateOne(draws, anyHead(draws, draft).fields),
  (draws, draft) => dropOne(draws, anyHead(draws, draft).fields),
  (draws, draft) => moveOne(draws, anyHead(draws, draft).fields),
  (draws, draft) => changeChunk(draws, draft, "size", draws.pick(SIZES)),
  (draws, draft) => changeChunk(draws, draft, "end", draws.pick(CHUNK_ENDS)),
  (draws, draft) => changeChunk(draws, draft, "data", draws.pick(CHUNK_DATA)),
  (draws, draft) => insert(draws, draft.trailers, draws.pick(TRAILERS)),
  (draws, draft) => addRest(draft, draws.pick(RESTS)),
  (draws, draft) => addRest(draft, textOf(validDraft(draws))),
  (draws, draft) => addInterims(draws, draft, draws.pick(INTERIM_COUNTS)),
];

/** Changes a draft, once or a few times. */
export function mutateDraft(draws: Draws, draft: Draft): void {
  do draws.pick(MUTATIONS)(draws, draft);
  while (draws.chance(0.35));
}

function addInterims(draws: Draws, draft: Draft, count: number): void {
  for (let more = count; more > 0; more -= 1) {
    const fields = draws.chance(0.3) ? [draws.pick(INTERIM_FIELDS)] : [];
    draft.heads.unshift({ statusLine: `HTTP/1.1 ${draws.pick(INTERIM_LINES)}`, fields });
  }
}

/** Mostly the final one. */
function anyHead(draws: Draws, draft: Draft): DraftHead {
  return draws.chance(0.7) ? finalHead(draft) : draws.pick(draft.heads);
}

function changeStatusLine(draws: Draws, draft: Draft): void {
  anyHead(draws, draft).statusLine = draws.pick(STATUS_LINES);
}

function changeChunk(draws: Draws, { body }: Draft, part: keyof Chunk, value: string): void {
  if (typeof body === "string" || body.length === 0) return;
  draws.pick(body)[part] = value;
}

function addRest(draft: Draft, rest: string): void {
  draft.rest += rest;
}

function insert(draws: Draws, lines: string[], line: string): void {
  lines.splice(draws.below(lines.length + 1), 0, line);
}

function replaceValue(draft: Draft, name: string, value: string): void {
  const { fields } = finalHead(draft);
  const at = fields.findIndex((field) => field.toLowerCase().startsWith(`${name}:`));
  if (at !== -1) fields[at] = `${name}: ${value}`;
}

function dropOne(draws: Draws, lines: string[]): void {
  lines.splice(draws.below(lines.length + 1), 1);
}

function duplicateOne(draws: Draws, lines: string[]): void {
  if (lines.length > 0) insert(draws, lines, draws.pick(lines));
}

function moveOne(draws: Draws, lines: string[]): void {
  if (lines.length < 2) return;
  const [line] = lines.splice(draws.below(lines.length), 1);
  insert(draws, lines, line as string);
}
