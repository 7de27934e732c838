/** What the codes and the words of errors say went wrong: one reading for transports, adapters and verdict. */

import type { Fault } from "./policy.ts";

/** Codes of the system, of undici and of the runtimes, and the names of errors that have no code. */
const CODES: Readonly<Record<"refused" | "reset" | "timeout" | "client", readonly string[]>> = {
  refused: [
    "ECONNREFUSED",
    "ConnectionRefused",
    "EHOSTUNREACH",
    "ENETUNREACH",
    // Of a Unix socket: there is none at this path, or its backlog is full.
    "ENOENT",
    "EAGAIN",
  ],
  reset: [
    "ECONNRESET",
    "ECONNABORTED",
    "EPIPE",
    "ConnectionReset",
    "UND_ERR_SOCKET",
    // The connection ended, in order, before the answer did.
    "HPE_INVALID_EOF_STATE",
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
    "H1_NO_ANSWER",
    "H1_CUT_HEAD",
    "H1_CUT_BODY",
  ],
  timeout: ["ETIMEDOUT", "TimeoutError", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
  // Limits of this machine, and requests or connections that we asked for wrongly: never the target's doing.
  client: [
    "EMFILE",
    "ENFILE",
    "EADDRNOTAVAIL",
    "EADDRINUSE",
    "EAFNOSUPPORT",
    "ENOBUFS",
    "ENOMEM",
    "EACCES",
    "EPERM",
    "ERR_INVALID_URL",
    "ERR_INVALID_ARG_VALUE",
    "ERR_NO_H2",
    "UND_ERR_INVALID_ARG",
    "UND_ERR_NOT_SUPPORTED",
    "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
    "UND_ERR_DESTROYED",
    "UND_ERR_CLOSED",
    "H1_REQUEST_FIELD",
  ],
};

const FAULT_OF: ReadonlyMap<string, Fault> = new Map(
  Object.entries(CODES).flatMap(([fault, codes]) => codes.map((code) => [code, fault as Fault] as const)),
);

/** A certificate that we do not trust, in the words of OpenSSL and of the runtimes: a matter of our settings. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UnknownIssuer/;
/** The TLS alerts (RFC 8446, 6.2) by which the target says that it wants another certificate from us, or one at all. */
const OWN_CERTIFICATE = /ALERT_(\w*CERT|UNKNOWN_CA)/;
/** The codes of getaddrinfo and of DNS. */
const NAME = /^(DNS_)?(ENOTFOUND|ENODATA|ESERVFAIL|EAI_[A-Z]+)$/;

/**
 * Deno's `fetch` has no codes, nor has what `fetch` of any runtime says of some addresses. The first that fits counts: a
 * name that was not looked up in time is ours too. An address in a text has no blanks, so it fits none by accident.
 */
const TEXTS: readonly (readonly [RegExp, Fault])[] = [
  [/invalid peer certificate|fatal alert: (?:\w*Certificate|UnknownCA)/i, "client"],
  [/dns error|Too many open files|Cannot assign requested address/, "client"],
  [/^(?:Invalid URL|Url scheme |unknown scheme|bad port)|Requests to port \d+ are blocked/, "client"],
  [/Connection refused|No route to host|Network is unreachable/, "refused"],
  [/Connection reset|connection closed before|Broken pipe|error reading a body from connection/, "reset"],
  [/timed out/i, "timeout"],
];

/**
 * The kind of fault behind an error.
 *
 * @param code the error's code, or its name when it has none.
 * @param message undici has one code for a connection that broke and for an answer it did not like, and another for an
 *   answer that is no HTTP and for one that the connection's end cut short.
 * @returns `undefined` when neither says anything.
 */
export function faultTold(code: string, message: string): Fault | undefined {
  if (code === "UND_ERR_SOCKET" && message.startsWith("bad ")) return "other";
  if (code === "HTTPParserError" && message.includes("Invalid EOF state")) return "reset";
  const fault = FAULT_OF.get(code);
  if (fault !== undefined) return fault;
  if (isCertificateCode(code) || isOwnCertificateCode(code) || isNameCode(code)) return "client";
  return TEXTS.find(([pattern]) => pattern.test(message))?.[1];
}

/** Whether the target's certificate did not verify. */
export function isCertificateCode(code: string): boolean {
  return CERTIFICATE.test(code) && !isOwnCertificateCode(code);
}

/** Whether the target did not take our certificate, or the lack of one. */
export function isOwnCertificateCode(code: string): boolean {
  return OWN_CERTIFICATE.test(code);
}

/** Whether no address could be found for the target's name. */
export function isNameCode(code: string): boolean {
  return NAME.test(code);
}
