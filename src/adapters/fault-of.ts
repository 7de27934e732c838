/** From the errors of undici and of the three runtimes' `fetch` to a policy's kinds of fault. */

import type { Fault } from "../policy/policy.ts";

const BY_CODE: Readonly<Record<string, Fault>> = {
  ECONNREFUSED: "refused",
  ConnectionRefused: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  ConnectionReset: "reset",
  UND_ERR_SOCKET: "reset",
  HPE_INVALID_EOF_STATE: "reset",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  EMFILE: "client",
  ENFILE: "client",
  EADDRNOTAVAIL: "client",
  EADDRINUSE: "client",
  ENOBUFS: "client",
  ENOMEM: "client",
  EACCES: "client",
  EPERM: "client",
  ENOTFOUND: "client",
  EAI_AGAIN: "client",
  ERR_INVALID_URL: "client",
  UND_ERR_INVALID_ARG: "client",
  UND_ERR_NOT_SUPPORTED: "client",
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: "client",
  UND_ERR_DESTROYED: "client",
  UND_ERR_CLOSED: "client",
};

/** Deno's `fetch` has no codes: its errors are told apart by what they say. */
const BY_MESSAGE: readonly (readonly [RegExp, Fault])[] = [
  [/Connection refused|No route to host|Network is unreachable/, "refused"],
  [/Connection reset|connection closed before|Broken pipe|error reading a body from connection/, "reset"],
  [/timed out/i, "timeout"],
  [/dns error|Too many open files|Cannot assign requested address/, "client"],
];

/** Errors wrap errors: `fetch failed` tells in its cause why, and of several addresses each has an error of its own. */
const DEPTH_MAX = 5;

interface ErrorFacts {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** The kind of fault that an attempt met which brought no answer. */
export function faultOf(error: unknown): Fault {
  let inner = error;
  for (let depth = 0; depth < DEPTH_MAX && typeof inner === "object" && inner !== null; depth++) {
    const facts = inner as ErrorFacts;
    const fault = faultOfOne(facts);
    if (fault !== undefined) return fault;
    inner = Array.isArray(facts.errors) && facts.errors.length > 0 ? facts.errors[0] : facts.cause;
  }
  return "other";
}

function faultOfOne({ name, code, message }: ErrorFacts): Fault | undefined {
  if (name === "TimeoutError") return "timeout";
  const text = typeof message === "string" ? message : "";
  if (typeof code === "string") {
    // undici has one code for a connection that broke and for an answer that it did not like.
    if (code === "UND_ERR_SOCKET" && text.startsWith("bad ")) return "other";
    if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
  }
  return BY_MESSAGE.find(([pattern]) => pattern.test(text))?.[1];
}
