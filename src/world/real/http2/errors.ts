/** The errors with which a connection of HTTP/2 ends, by code, and what they say of the calls that were on it. */

import type { Fault } from "../../../policy/policy.ts";
import { errorCodeOf, faultOf } from "../faults.ts";
import { H2ProtocolError } from "./frame-reader.ts";
import type { H2ErrorName } from "./frames.ts";

/** The target does not speak what we were told to use. */
const NO_H2 = "ERR_NO_H2";
/** What codes begin with that tell how the peer ended a stream or the connection; those of sockets have none of it. */
const TOLD = "H2_";
/** The peer closed the connection and did not say why. */
const CLOSED = "H2_CLOSED";

export function noH2(): H2ProtocolError {
  return Object.assign(new H2ProtocolError("PROTOCOL_ERROR", "The target does not speak HTTP/2"), { code: NO_H2 });
}

export function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

export function protocolError(message: string): H2ProtocolError {
  return new H2ProtocolError("PROTOCOL_ERROR", message);
}

/** The code of a breach of the protocol by the peer. */
export function breachCode(name: H2ErrorName): string {
  return `ERR_H2_${name}`;
}

/** The code of a stream that the peer reset. */
export function resetCode(name: H2ErrorName): string {
  return `${TOLD}${name}`;
}

/** The code of a stream that the peer did not begin with, by its GOAWAY. */
export function goawayCode(name: H2ErrorName): string {
  return `${TOLD}GOAWAY_${name}`;
}

/**
 * Why a connection ended: what the peer said counts more than how the socket broke.
 *
 * @param goaway what its GOAWAY said, when there was one.
 */
export function endOf(error: Error | undefined, goaway: H2ErrorName | undefined): { code: string; fault: Fault } {
  if (goaway !== undefined && goaway !== "NO_ERROR") return { code: goawayCode(goaway), fault: "reset" };
  if (error === undefined) return { code: CLOSED, fault: "reset" };
  const code = errorCodeOf(error);
  // The TLS alert (RFC 7301, 3.2) of a server that speaks nothing of what we offer.
  const told = code.endsWith("NO_APPLICATION_PROTOCOL") ? NO_H2 : code;
  return { code: told, fault: faultOf(told, error.message) };
}
