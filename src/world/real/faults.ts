/** From the errors of sockets and of undici, as the three runtimes name them, to the engine's kinds of fault. */

import { faultTold } from "../../policy/fault-codes.ts";
import type { Fault } from "../../policy/policy.ts";

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

/** The kind of fault behind a code of {@link errorCodeOf}, with the error's text where that matters. */
export function faultOf(errorCode: string, message = ""): Fault {
  return faultTold(errorCode, message) ?? "other";
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
