/** What whole clients do with an answer beyond reading it, and whether a connection stays. */

import { type Explanation, LLHTTP, OUTCOMES, UNDICI_LENGTH_REASON } from "./explanation.ts";

export const CLIENT_CHECKS: readonly Explanation[] = [
  {
    name: "100 that was not asked for",
    sentence: "undici refuses every 100; a client must be able to read interim answers that it did not expect.",
    source: "RFC 9110, 15.2",
    right: "ours",
    references: ["undici"],
    aspects: OUTCOMES,
    lax: true,
    holds: ({ theirs, text }) => theirs.reason === "bad response" && /^HTTP\/1\.[01] 1/.test(text),
  },
  {
    name: "length of no body",
    sentence:
      "undici holds the Content-Length of a 204 or a 304 against the body, which those never have: a 304 tells what a 200 would have had.",
    source: "RFC 9110, 8.6 and 15.4.5; RFC 9112, 6.3",
    right: "ours",
    references: ["undici"],
    aspects: OUTCOMES,
    lax: true,
    holds: ({ ours, theirs }) =>
      theirs.reason === UNDICI_LENGTH_REASON && ours.bodyBytes === 0 && (ours.status === 204 || ours.status === 304),
  },
  {
    name: "HEAD without a length",
    sentence:
      "Both clients ask llhttp whether to keep the connection before they tell it that HEAD has no body, and give a connection up that is fine.",
    source: "RFC 9112, 6.3 and 9.3",
    right: "ours",
    references: ["undici", "node"],
    aspects: ["persistence"],
    lax: true,
    holds: ({ tried }) => tried.bodiless,
  },
  {
    name: "bytes behind the answer",
    sentence:
      "node:http reports what is wrong with bytes behind a complete answer as an error of the answer. Ours counts them, reads none of them, and gives the connection up.",
    source: "RFC 9112, 9.2",
    right: "ours",
    references: ["node"],
    aspects: OUTCOMES,
    lax: true,
    holds: ({ ours, theirs }) =>
      ours.ended === "complete" && (ours.excessBytes ?? 0) > 0 && !ours.persistent && theirs.ended === "refused",
  },
  {
    name: "bounds counted otherwise",
    sentence:
      "Clients have bounds of about the same size but count other bytes: undici those of names and values, Deno's node:http a trailer section together with its head.",
    source: "RFC 9110, 5.4",
    right: "both",
    references: ["undici", "node"],
    aspects: OUTCOMES,
    lax: true,
    holds: ({ theirs, text }) => /^headers? overflow/i.test(theirs.reason) && text.length > 16_000,
  },
  {
    name: "101 without Upgrade",
    sentence:
      "node:http takes a 101 for a final answer when it has no Upgrade. Nobody asked for one, and it is no final answer.",
    source: "RFC 9110, 15.2.2 and 7.8",
    right: "ours",
    references: ["node"],
    aspects: OUTCOMES,
    lax: false,
    holds: ({ ours }) => ours.reason === "H1_UPGRADE",
  },
];

export const CONNECTIONS: readonly Explanation[] = [
  {
    name: "tab in Connection",
    sentence: "llhttp does not know an option of Connection with a tab beside it. A tab is optional whitespace.",
    source: "RFC 9110, 5.5, 5.6.1 and 5.6.3",
    right: "ours",
    references: LLHTTP,
    aspects: ["persistence"],
    lax: true,
    holds: ({ text }) => /\nconnection:[^\r\n]*\t/i.test(text),
  },
  {
    name: "Proxy-Connection",
    sentence: "llhttp reads Proxy-Connection as Connection; HTTP/1.1 knows no such field.",
    source: "RFC 9112, C.2.2",
    right: "ours",
    references: LLHTTP,
    aspects: ["persistence"],
    lax: true,
    holds: ({ text }) => /\nproxy-connection:/i.test(text),
  },
  {
    name: "keep-alive beside close",
    sentence: "llhttp keeps an HTTP/1.0 connection that says both; close goes first.",
    source: "RFC 9112, 9.3",
    right: "ours",
    references: LLHTTP,
    aspects: ["persistence"],
    lax: false,
    holds: ({ text }) => /connection:/i.test(text) && /keep-alive/i.test(text) && /close/i.test(text),
  },
];
