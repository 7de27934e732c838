/** From the errors of undici and of the three runtimes' `fetch` to a policy's kinds of fault. */

import { faultTold } from "../policy/fault-codes.ts";
import type { Fault } from "../policy/policy.ts";

/** Errors wrap errors: `fetch failed` tells in its cause why, and of several addresses each has an error of its own. */
const DEPTH_MAX = 5;

interface ErrorFacts {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** The kind of fault that an attempt met which brought no answer: the outermost error that tells one. */
export function faultOf(error: unknown): Fault {
  let inner = error;
  for (let depth = 0; depth < DEPTH_MAX && typeof inner === "object" && inner !== null; depth++) {
    const { name, code, message, cause, errors } = inner as ErrorFacts;
    const text = textOf(message);
    const fault = faultTold(textOf(code), text) ?? faultTold(textOf(name), text);
    if (fault !== undefined) return fault;
    inner = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  }
  return "other";
}

/** A DOMException, for one, has numbers for codes. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
