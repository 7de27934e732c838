/** From the errors of sockets and of undici, as the three runtimes name them, to the engine's kinds of fault. */

import { isCertificateCode, isNameCode, isOwnCertificateCode } from "../../engine/fault-codes.ts";
import type { Fault } from "../../policy/policy.ts";

const REFUSED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "EHOSTUNREACH",
  "ENETUNREACH",
  // Of a Unix socket: there is none at this path, or its backlog is full.
  "ENOENT",
  "EAGAIN",
]);
const RESET: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "UND_ERR_SOCKET",
  "ConnectionReset",
  // The connection ended, in order, before the answer did.
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
]);
const TIMEOUT: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
/** Limits of this machine, and requests or connections that we asked for wrongly: never the target's doing. */
const CLIENT: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "EADDRNOTAVAIL",
  "EADDRINUSE",
  "EAFNOSUPPORT",
  "ENOBUFS",
  "ENOMEM",
  "EACCES",
  "EPERM",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_DESTROYED",
  "UND_ERR_CLOSED",
  "ERR_NO_H2",
]);

/** The stable code of an error: its own, or that of the first address tried when several were. */
export function errorCodeOf(error: unknown): string {
  const { code, errors, cause, name } = error as {
    code?: unknown;
    errors?: unknown[];
    cause?: unknown;
    name?: unknown;
  };
  if (typeof code === "string" && code !== "") return code;
  if (Array.isArray(errors) && errors.length > 0) return errorCodeOf(errors[0]);
  if (cause !== undefined && cause !== null && cause !== error) return errorCodeOf(cause);
  return typeof name === "string" ? name : "unknown";
}

/**
 * The kind of fault behind a code of {@link errorCodeOf}.
 *
 * @param message the error's text: undici has one code for a connection that broke and for an answer it did not like, and
 *   another for an answer that is no HTTP and for one that the connection's end cut short.
 */
export function faultOf(errorCode: string, message = ""): Fault {
  if (errorCode === "UND_ERR_SOCKET" && message.startsWith("bad ")) return "other";
  if (errorCode === "HTTPParserError" && message.includes("Invalid EOF state")) return "reset";
  if (isCertificateCode(errorCode) || isOwnCertificateCode(errorCode) || isNameCode(errorCode)) return "client";
  if (REFUSED.has(errorCode)) return "refused";
  if (RESET.has(errorCode)) return "reset";
  if (TIMEOUT.has(errorCode)) return "timeout";
  if (CLIENT.has(errorCode)) return "client";
  return "other";
}

/**
 * Whether it was the target that ended a connection.
 *
 * @param error the one with which undici tells of the end.
 * @param asked whether the last request on it asked for the end (`Connection: close`).
 */
export function endedByPeer(error: Error, asked: boolean): boolean {
  const code = errorCodeOf(error);
  // undici's word for an end after a whole answer that said so, or that only the end could delimit.
  if (code === "UND_ERR_INFO") return error.message === "reset" && !asked;
  return faultOf(code, error.message) === "reset";
}
