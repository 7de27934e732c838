/** Why ours takes what llhttp refuses, or reads it otherwise: only where the standard says that a reader must, or may. */

import { type Explanation, LLHTTP, OUTCOMES, UNDICI_LENGTH_REASON } from "./explanation.ts";

/** Ours takes what llhttp refuses with such a reason. */
function laxer(name: string, sentence: string, source: string, theirReason: RegExp, text: RegExp): Explanation {
  return {
    name,
    sentence,
    source,
    right: "ours",
    references: LLHTTP,
    aspects: OUTCOMES,
    lax: true,
    holds: ({ theirs, text: bytes }) =>
      (theirReason.test(theirs.reason) || theirs.reason === UNDICI_LENGTH_REASON) && text.test(bytes),
  };
}

export const LAXER: readonly Explanation[] = [
  laxer(
    "close in an interim answer",
    "llhttp refuses all bytes behind an interim answer that says close, or that is of HTTP/1.0 and does not say keep-alive. A client must be able to read interim answers that it did not expect, up to the final one.",
    "RFC 9110, 15.2",
    /^Data after `Connection: close`$/,
    /^HTTP\/1\.[01] 1/,
  ),
  laxer(
    "length beside coding in an interim answer",
    "llhttp refuses an interim answer that has both. It ends with its head, always and whatever its fields say, so that neither can move its end.",
    "RFC 9112, 6.3, rule 1",
    /^(?:Content-Length|Transfer-Encoding) can't be present with/,
    /^HTTP\/1\.[01] 1/,
  ),
  laxer(
    "blanks in a chunk's line",
    "llhttp refuses blanks around the semicolon and the equals sign of a chunk extension. They are bad whitespace, which a recipient must parse and take away.",
    "RFC 9112, 7.1.1; RFC 9110, 5.6.3",
    /^Invalid character in chunk (?:size|extensions)/,
    /\r\n[0-9a-f]+(?:[ \t]|[^\r\n]*;[^\r\n]*[ \t])/i,
  ),
  laxer(
    "tab behind the length",
    "llhttp takes blanks behind the value of Content-Length, but no tab. Both are optional whitespace, which is no part of the value.",
    "RFC 9112, 5.1; RFC 9110, 5.6.3",
    /^Invalid character in Content-Length$/,
    /content-length:[ \t]*\d+ *\t/i,
  ),
];

/** Where llhttp reads another body: the one class of its kind, kept because the standard leaves a reader no choice. */
export const OTHER_BODY: readonly Explanation[] = [
  {
    name: "tab behind chunked",
    sentence:
      "llhttp does not know chunked with a tab behind it, and reads to the end of the connection. A tab is optional whitespace, which must be left out of a value before it is looked at.",
    source: "RFC 9110, 5.5 and 5.6.3; RFC 9112, 5.1",
    right: "ours",
    references: LLHTTP,
    aspects: ["state", "outcome", "length", "excess", "persistence"],
    lax: true,
    holds: ({ text }) => /transfer-encoding:[^\r\n]*chunked *\t[ \t]*\r\n/i.test(text),
  },
];

export const FIELDS_BEHIND: readonly Explanation[] = [
  {
    name: "later in the head",
    sentence:
      "Neither takes it, but llhttp refuses a value at its first wrong byte, and lengths beside codings as they come; ours judges a value when it is whole, and the fields together at the end of the head.",
    source: "RFC 9112, 6.3",
    right: "both",
    references: LLHTTP,
    aspects: ["state"],
    lax: true,
    holds: ({ ours, theirs }) =>
      ours.reason === "H1_CUT_HEAD" &&
      theirs.ended === "refused" &&
      /Content-Length|content-length/.test(theirs.reason),
  },
  laxer(
    "framing fields in trailers",
    "llhttp refuses a Content-Length in a trailer section. A recipient may discard the fields there, and ours discards them all.",
    "RFC 9112, 7.1.2; RFC 9110, 6.5.1",
    /^(?:Content-Length|Transfer-Encoding) can't be present with|^Invalid character in Content-Length$/,
    /\r\n0+[^\r\n]*\r\n(?:[^\r\n]+\r\n)*(?:content-length|transfer-encoding)/i,
  ),
  {
    name: "fields of the connection in trailers",
    sentence:
      "llhttp heeds Connection and Transfer-Encoding in a trailer section when it decides whether the connection stays; ours discards the fields there.",
    source: "RFC 9112, 7.1.2; RFC 9110, 6.5.1",
    right: "both",
    references: LLHTTP,
    aspects: ["persistence"],
    lax: true,
    holds: ({ text }) => /\r\n0+[^\r\n]*\r\n(?:[^\r\n]+\r\n)*(?:(?:proxy-)?connection|transfer-encoding):/i.test(text),
  },
];
