/** From the errors of sockets and of undici, as the three runtimes name them, to the engine's kinds of fault. */

import type { Fault } from "../../engine/call.ts";

const REFUSED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);
const RESET: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "UND_ERR_SOCKET",
  "ConnectionReset",
]);
const TIMEOUT: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
/** Limits of this machine, and requests that we built wrong: never the target's doing. */
const CLIENT: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "EADDRNOTAVAIL",
  "EADDRINUSE",
  "ENOBUFS",
  "ENOMEM",
  "EACCES",
  "EPERM",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_DESTROYED",
  "UND_ERR_CLOSED",
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

/** A certificate that we do not trust, in the words of OpenSSL and of the runtimes: a matter of our settings. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UnknownIssuer/;

/**
 * The kind of fault behind a code of {@link errorCodeOf}.
 *
 * @param message the error's text: undici has one code for a connection that broke and for an answer it did not like.
 */
export function faultOf(errorCode: string, message = ""): Fault {
  if (errorCode === "UND_ERR_SOCKET" && message.startsWith("bad ")) return "other";
  if (CERTIFICATE.test(errorCode)) return "client";
  if (REFUSED.has(errorCode)) return "refused";
  if (RESET.has(errorCode)) return "reset";
  if (TIMEOUT.has(errorCode)) return "timeout";
  if (CLIENT.has(errorCode)) return "client";
  return "other";
}
