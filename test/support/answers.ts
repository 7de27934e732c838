/**
 * Valid answers of HTTP/1.1 at random (RFC 9112), each with what a client must make of it: interim answers before it, fields of
 * all kinds, bodies by length, in chunks with extensions and trailers, up to the end of the connection, or none.
 */

import fc from "fast-check";
import { Choices } from "./choices.ts";
import { chunkedBody } from "./chunked-answers.ts";

export interface Answer {
  /** All of it, interim answers first. */
  readonly bytes: Uint8Array;
  /** It is the answer to HEAD. */
  readonly bodiless: boolean;
  /** Only the end of the connection completes it. */
  readonly endsWithConnection: boolean;
  readonly expected: AnswerExpected;
}

export interface AnswerExpected {
  readonly status: number;
  /** Of the version: HTTP/1.minor. */
  readonly minor: number;
  /** How many interim answers come before it. */
  readonly interims: number;
  /** Without what frames chunks. */
  readonly body: Uint8Array;
  /** The connection may carry another request (RFC 9112, 9.3). */
  readonly persistent: boolean;
  /** Of the hint `Keep-Alive: timeout=5`; Infinity without. */
  readonly keepAliveSeconds: number;
  /** The fields of the final answer in their order: name in lower case, value without the blanks around it. */
  readonly fields: readonly Field[];
}

export type Field = readonly [name: string, value: string];

/** What delimits a body, if there is one: an answer without may still say how long it would have been. */
type Framing =
  | { readonly kind: "nothing" | "chunks" | "end"; readonly fields: readonly Field[] }
  | { readonly kind: "length"; readonly fields: readonly Field[]; readonly length: number };

const STATUSES = [200, 503, 429, 404, 500, 201, 206, 205, 301, 599, 299];
const STATUSES_WITHOUT_BODY = [204, 304];
const INTERIM_STATUSES = [100, 103, 102, 199];
const REASONS = ["OK", "", "Not Found", "Service \tUnavailable ", "na\u00efve \u00ff", 'a:b, "c"'];
const BODY_LENGTHS = [0, 2, 15, 16, 17, 100, 1000];

const TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_!#$%&'*+.^`|~";
const VISIBLE = `${TOKEN}"(),/:;<=>?@[\\]{}`;
const OBSOLETE = "\u0080\u0085\u00a0\u00e9\u00ff";
const ANY_BYTE = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join("");
const BLANKS = [" ", "", "\t", "  ", " \t "];
const BLANKS_BEHIND = ["", " ", "\t "];

const USUAL_FIELDS: readonly Field[] = [
  ["Date", "Tue, 01 Dec 2026 09:00:00 GMT"],
  ["Server", "nginx/1.27.3"],
  ["Content-Type", "application/json; charset=utf-8"],
  ["Cache-Control", "no-cache, no-store, must-revalidate"],
  ["Retry-After", "120"],
  ["Set-Cookie", "session=5f2b; Path=/; HttpOnly; SameSite=Lax"],
  ["ETag", '"33a64df551425fcc55e4d42a148795d9f25f89d4"'],
  ["X-RateLimit-Remaining", "0"],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"],
];

const CHUNKED: readonly (readonly Field[])[] = [
  [["Transfer-Encoding", "chunked"]],
  [["Transfer-Encoding", "Chunked"]],
  [["Transfer-Encoding", "gzip, chunked"]],
  [["Transfer-Encoding", "gzip \t,deflate,\tCHUNKED"]],
  [
    ["Transfer-Encoding", "gzip"],
    ["Transfer-Encoding", "chunked"],
  ],
];

const CONNECTIONS: readonly { readonly fields: readonly Field[]; readonly says: "nothing" | "close" | "keep-alive" }[] =
  [
    { fields: [], says: "nothing" },
    { fields: [["Connection", "keep-alive"]], says: "keep-alive" },
    { fields: [["Connection", "close"]], says: "close" },
    { fields: [["Connection", "Keep-Alive, X-Hop"]], says: "keep-alive" },
    { fields: [["Connection", "x-hop \t,CLOSE"]], says: "close" },
    { fields: [["Connection", "x-close, closed, keep-alive-not"]], says: "nothing" },
    {
      fields: [
        ["Connection", "close"],
        ["Connection", "keep-alive"],
      ],
      says: "close",
    },
  ];

const HINTS: readonly { readonly fields: readonly Field[]; readonly seconds: number }[] = [
  { fields: [], seconds: Number.POSITIVE_INFINITY },
  { fields: [["Keep-Alive", "timeout=5"]], seconds: 5 },
  { fields: [["Keep-Alive", "timeout=15, max=100"]], seconds: 15 },
  { fields: [["Keep-Alive", "max=3,Timeout=72"]], seconds: 72 },
  { fields: [["Keep-Alive", "timeout=0"]], seconds: 0 },
  { fields: [["Keep-Alive", "max=1000"]], seconds: Number.POSITIVE_INFINITY },
  { fields: [["Keep-Alive", "timeout=soon"]], seconds: Number.POSITIVE_INFINITY },
];

/**
 * An answer.
 *
 * @param random gives numbers in [0, 1); zeros give the plainest answer.
 */
export function answerOf(random: () => number): Answer {
  const choices = new Choices(random);
  const minor = choices.chance(0.15) ? 0 : 1;
  const bodiless = choices.chance(0.1);
  const status = choices.of(choices.chance(0.15) ? STATUSES_WITHOUT_BODY : STATUSES);
  const withoutBody = bodiless || STATUSES_WITHOUT_BODY.includes(status);
  const interims = minor === 1 && choices.chance(0.2) ? 1 + choices.below(3) : 0;
  const framing = framingOf(choices, { minor, status, withoutBody });
  const connection = choices.of(CONNECTIONS);
  const hint = choices.of(HINTS);
  const fields = choices.merged([...framing.fields, ...connection.fields, ...hint.fields], otherFields(choices));
  const { text, body } = withoutBody ? { text: "", body: "" } : bodyOf(choices, framing);
  const head = `HTTP/1.${minor} ${status} ${choices.of(REASONS)}\r\n${linesOf(choices, fields)}\r\n`;
  const before = Array.from({ length: interims }, () => interimText(choices)).join("");
  const endsWithConnection = !withoutBody && (framing.kind === "end" || framing.kind === "nothing");
  const kept = minor === 0 ? connection.says === "keep-alive" : connection.says !== "close";
  return {
    bytes: Buffer.from(before + head + text, "latin1"),
    bodiless,
    endsWithConnection,
    expected: {
      status,
      minor,
      interims,
      body: Buffer.from(body, "latin1"),
      persistent: kept && !endsWithConnection,
      keepAliveSeconds: hint.seconds,
      fields: fields.map(([name, value]) => [name.toLowerCase(), value] as const),
    },
  };
}

/** Answers for properties: one that fails is made plainer until nothing more can be left out. */
export function answers(): fc.Arbitrary<Answer> {
  const draws = fc.array(fc.nat(0xffff), { maxLength: 1500, size: "max" });
  return draws.map((numbers) => {
    let at = 0;
    return answerOf(() => {
      const number = numbers[at] ?? 0;
      at += 1;
      return number / 0x10000;
    });
  });
}

function framingOf(
  choices: Choices,
  answer: { readonly minor: number; readonly status: number; readonly withoutBody: boolean },
): Framing {
  const length = choices.of(BODY_LENGTHS);
  const kinds: Framing["kind"][] = ["length", "end", "nothing"];
  // Not in HTTP/1.0, and not with 204 (RFC 9112, 6.1).
  if (answer.minor === 1 && answer.status !== 204) kinds.push("chunks", "chunks");
  const kind = choices.of(kinds);
  switch (kind) {
    case "length":
      return { kind, fields: [["Content-Length", `${choices.of(["", "0", "000"])}${length}`]], length };
    case "chunks":
      return { kind, fields: choices.of(CHUNKED) };
    case "end":
      // A coding other than chunked (RFC 9112, 6.3).
      return { kind, fields: kinds.includes("chunks") ? [["Transfer-Encoding", "gzip"]] : [] };
    case "nothing":
      return { kind, fields: [] };
    default:
      return kind satisfies never;
  }
}

function bodyOf(choices: Choices, framing: Framing): { readonly text: string; readonly body: string } {
  switch (framing.kind) {
    case "length": {
      const body = choices.text(ANY_BYTE, framing.length);
      return { text: body, body };
    }
    case "chunks": {
      const chunks = Array.from({ length: choices.below(4) }, () =>
        choices.text(ANY_BYTE, 1 + choices.of(BODY_LENGTHS)),
      );
      const trailers = choices.chance(0.3) ? linesOf(choices, otherFields(choices)) : "";
      return { text: chunkedBody(choices, chunks, trailers), body: chunks.join("") };
    }
    case "end":
    case "nothing": {
      const body = choices.text(ANY_BYTE, choices.of(BODY_LENGTHS));
      return { text: body, body };
    }
    default:
      return framing satisfies never;
  }
}

/** Fields that say nothing of the message. */
function otherFields(choices: Choices): readonly Field[] {
  return Array.from({ length: choices.below(9) }, () =>
    choices.chance(0.3)
      ? ([`x-${choices.text(TOKEN, choices.below(40))}`, fieldValue(choices)] as const)
      : choices.of(USUAL_FIELDS),
  );
}

function fieldValue(choices: Choices): string {
  const characters = choices.of([VISIBLE, `${VISIBLE}   \t`, VISIBLE + OBSOLETE]);
  return choices.text(characters, choices.below(60)).replace(/^[ \t]+|[ \t]+$/g, "");
}

function linesOf(choices: Choices, fields: readonly Field[]): string {
  const line = ([name, value]: Field): string =>
    `${choices.inSomeCase(name)}:${choices.of(BLANKS)}${value}${choices.of(BLANKS_BEHIND)}\r\n`;
  return fields.map(line).join("");
}

function interimText(choices: Choices): string {
  const status = choices.of(INTERIM_STATUSES);
  return `HTTP/1.1 ${status} ${choices.of(REASONS)}\r\n${linesOf(choices, otherFields(choices))}\r\n`;
}
