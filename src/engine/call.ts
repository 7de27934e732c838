/**
 * The record of one call: one arrival's operation, of one or more attempts. Records are pooled; a record belongs to the
 * engine from its arrival to its outcome, and to nobody after.
 */

import type { PolicyCall } from "../policy/policy.ts";

/** How an attempt ended, in full: see DESIGN section "Contracts" in the README's guide. */
export type AttemptClass = "accepted" | "overloaded" | "failed" | "clientFault" | "staleConnection";

/** Where a call stands. `sending` is the instant inside {@link Transport.send}, so that a synchronous answer is seen. */
export type CallPhase = "idle" | "sending" | "inFlight" | "answered" | "waiting";

/** @see {@link PolicyCall} for `attempt` and `delaySeconds`. All times are seconds since the start of the trial. */
export class Call implements PolicyCall {
  attempt = 0;
  delaySeconds = 0;

  /** Index of the virtual user, 0-based. */
  user = 0;
  /** When the plan wanted the call to start. */
  intendedSeconds = 0;
  phase: CallPhase = "idle";
  /** Distinguishes the uses of a pooled record, and the attempts of a call: grows with every attempt handed over. */
  serial = 0;

  /** When the engine handed the current attempt to the transport. */
  handedSeconds = 0;
  /** When the transport put it on a connection; negative until then. Filled by the transport. */
  startedSeconds = -1;
  /** HTTP status, or 0 when there was no answer. Filled by the transport. */
  status = 0;
  /** Stable code of a transport fault (`ECONNREFUSED`, `timeout`, ...), or "" when there was none. Filled by the transport. */
  errorCode = "";
  /** Class of the ended attempt. Filled by the transport. */
  attemptClass: AttemptClass = "accepted";
  /** True while the attempt repeats one that met a stale connection. */
  resent = false;
  /** Slot for the transport's own bookkeeping (its connection, its timer); undefined between attempts. */
  lane: unknown = undefined;
}
