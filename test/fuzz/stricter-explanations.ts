/** Why ours refuses what llhttp takes: the direction that costs an answer at worst. */

import type { Difference } from "./difference.ts";
import { type Explanation, LLHTTP, OUTCOMES } from "./explanation.ts";

/** What ours refuses by one of these codes, for a reason that the text shows. */
function stricter(
  name: string,
  sentence: string,
  source: string,
  holds: (difference: Difference) => boolean,
): Explanation {
  return {
    name,
    sentence,
    source,
    right: "ours",
    references: LLHTTP,
    aspects: OUTCOMES,
    lax: false,
    holds: (difference) => difference.ours.ended === "refused" && holds(difference),
  };
}

function refusedBy(...codes: readonly string[]): (difference: Difference) => boolean {
  return ({ ours }) => codes.includes(ours.reason);
}

export const STRICTER: readonly Explanation[] = [
  stricter(
    "version",
    "llhttp takes HTTP/0.9 and HTTP/2.0 for HTTP/1; a message of another major version is no HTTP/1.1.",
    "RFC 9112, 2.3; RFC 9110, 2.5",
    ({ ours, text }) => ours.reason === "H1_VERSION" && /HTTP\/(?![1]\.[01])/.test(text),
  ),
  stricter(
    "status out of range",
    "llhttp takes 000 to 099, which are no statuses. What lies above 599 is none either, and both hand it on.",
    "RFC 9110, 15",
    ({ ours, text }) => ours.reason === "H1_STATUS_LINE" && /HTTP\/1\.[01] 0/.test(text),
  ),
  stricter(
    "line ends before the status line",
    "llhttp passes over CR and LF before an answer; only a server may do so, before a request.",
    "RFC 9112, 2.2",
    ({ ours, text }) => ours.reason === "H1_STATUS_LINE" && /(?:^|\n)[\r\n]+(?:H|$)|^[\r\n]/.test(text),
  ),
  stricter(
    "control characters in the reason phrase",
    "llhttp takes any byte but CR and LF there.",
    "RFC 9112, 4",
    ({ ours, text }) =>
      ours.reason === "H1_STATUS_LINE" && /HTTP\/1\.[01] \d{3} [^\r\n]*[^\t\r\n\x20-\x7e\x80-\xff]/.test(text),
  ),
  stricter(
    "other protocols",
    "llhttp reads RTSP and ICE too.",
    "RFC 9112, 2.3",
    ({ ours, text }) => ours.reason === "H1_STATUS_LINE" && /(?:^|\n)(?:RTSP|ICE)\//.test(text),
  ),
  stricter(
    "transfer coding",
    "llhttp reads to the end of the connection what it takes for no chunked coding, and takes codings in HTTP/1.0. Ours refuses what is no list of codings with chunked at its end at most once, or comes in HTTP/1.0.",
    "RFC 9112, 6.1, 6.3 and 7",
    refusedBy("H1_CODING"),
  ),
  stricter(
    "length out of range",
    "llhttp counts to 2^64 - 1; ours to 2^53 - 1, beyond which JavaScript's integers are not exact.",
    "RFC 9110, 8.6 (integer overflow)",
    ({ ours, text }) => ours.reason === "H1_LENGTH" && /content-length:[ \t]*\d{16}/i.test(text),
  ),
  stricter(
    "bounds",
    "Heads, trailers, chunk extensions, digits of chunk sizes, interim answers and bodies have bounds here; in llhttp alone they have none.",
    "RFC 9112, 7.1 and 7.1.1; RFC 9110, 5.4",
    ({ ours, text }) =>
      ["H1_HEAD_SIZE", "H1_INTERIMS", "H1_BODY_SIZE"].includes(ours.reason) ||
      (ours.reason === "H1_CHUNK_SIZE" && /[0-9a-f]{14}/i.test(text)) ||
      (ours.reason === "H1_CHUNK_LINE" && text.length > 16_384),
  ),
  stricter(
    "chunk extension",
    "llhttp takes extensions without a name, with an empty value, and with text around the quotes.",
    "RFC 9112, 7.1.1",
    ({ ours, text }) => ours.reason === "H1_CHUNK_LINE" && /\r\n[0-9a-f]+[ \t]*;/i.test(text),
  ),
  stricter(
    "CR in the status line",
    "llhttp takes two CR for the end of a status line. A bare CR is no end of a line.",
    "RFC 9112, 2.2",
    ({ ours, text }) => ours.reason === "H1_BARE_CR" && /HTTP\/1\.[01] \d{3}[^\r\n]*\r\r/.test(text),
  ),
  stricter(
    "sooner",
    "Both refuse it, ours already while the connection is open: llhttp looks at some lines only when they are whole, or waits for more.",
    "none",
    ({ aspect, ours, theirs }) => aspect === "state" && ours.open === "refused" && theirs.ended === "refused",
  ),
];
