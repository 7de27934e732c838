/**
 * The record of one call: one arrival's operation, of one or more attempts. Records are pooled; a record belongs to the
 * engine from its arrival to its outcome, and to nobody after.
 */

import type { ClientOutcome, Policy, PolicyCall } from "../policy/policy.ts";
import type { Task } from "./ports.ts";

/** How a call ended: as its policy's client would see it, or cut short by the harness itself. */
export type Outcome = ClientOutcome | "dropped" | "unfinished";

/** How an attempt ended. */
export type AttemptClass = "accepted" | "overloaded" | "failed" | "clientFault" | "staleConnection";

/**
 * Why an attempt brought no answer, as the transport saw it.
 *
 * - `timeout`: the deadline passed; `refused`: no connection was taken; `reset`: a connection broke;
 * - `stale`: a connection kept alive had been closed by the peer before the request reached it;
 * - `client`: our own limits (file descriptors, ports, an invalid request), never the target's doing;
 * - `other`: any other transport or protocol fault.
 */
export type Fault = "none" | "timeout" | "refused" | "reset" | "stale" | "client" | "other";

/**
 * Where a call stands. `sending` is the instant inside {@link Transport.send}: an answer that comes before `send` returns
 * makes it `answered`, and the engine goes on in its loop instead of recursing.
 */
export type CallPhase = "idle" | "sending" | "inFlight" | "answered" | "waiting";

/** See {@link PolicyCall} for `attempt` and `delaySeconds`. All times are seconds since the start of the trial. */
export class Call implements PolicyCall {
  attempt = 0;
  delaySeconds = 0;

  /** Index of the virtual user, 0-based. */
  user = 0;
  /** The user's own overload control. */
  policy: Policy | undefined = undefined;
  /** When the plan wanted the call to start. */
  intendedSeconds = 0;
  phase: CallPhase = "idle";
  /** Where the call stands in the engine's list of calls under way. */
  slot = 0;
  /** The neighbours in the list of deadlines while the attempt is in flight, see {@link Deadlines}. */
  watchedBefore: Call | undefined = undefined;
  watchedAfter: Call | undefined = undefined;
  /** Wakes the call up when it waits before a retry; made once, when it first does. */
  wake: Task | undefined = undefined;
  /** True while the attempt repeats one that met a stale connection. */
  resent = false;

  /** When the engine handed the current attempt to the transport. */
  handedSeconds = 0;
  /** When the transport had a connection for it; negative until then. Filled by the transport. */
  startedSeconds = -1;
  /** HTTP status, or 0 when there was no answer. Filled by the transport. */
  status = 0;
  /** Filled by the transport; `none` when there was an answer. */
  fault: Fault = "none";
  /** Stable code of the fault (`ECONNREFUSED`, `UND_ERR_SOCKET`, `timeout`, ...). Filled by the transport. */
  errorCode = "";
  /** The transport's own bookkeeping for the attempt under way (its connection); undefined between attempts. */
  lane: unknown = undefined;
}
