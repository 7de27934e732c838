/**
 * The record of one call: one arrival's operation, of one or more attempts. Records are pooled; a record belongs to the
 * engine from its arrival to its outcome, and to nobody after.
 */

import { CallRecord } from "../policy/call-record.ts";
import type { ClientOutcome, Policy } from "../policy/policy.ts";
import type { HedgeGroup } from "./hedge-group.ts";
import type { Task } from "./ports.ts";

/** How a call ended: as its policy's client would see it, or cut short by the harness itself. */
export type Outcome = ClientOutcome | "dropped" | "unfinished";

/** How an attempt ended by itself. */
export type SettledClass = "accepted" | "overloaded" | "failed" | "clientFault" | "staleConnection";

/** How an attempt ended; `cancelled`: given up because another copy of its call had ended it. */
export type AttemptClass = SettledClass | "cancelled";

/**
 * Where a call stands. `sending` is the instant inside {@link Transport.send}: an answer that comes before `send` returns
 * makes it `answered`, and the engine goes on in its loop instead of recursing. `hedged`: this attempt is over, other copies
 * of the call are under way.
 */
export type CallPhase = "idle" | "sending" | "inFlight" | "answered" | "waiting" | "hedged";

/**
 * What the policy reads and writes (see {@link PolicyCall}; `status`, `fault` and `answerHeaders` are filled by the
 * transport), and what the engine keeps of the call. All times are seconds since the start of the trial.
 */
export class Call extends CallRecord {
  /** Index of the virtual user, 0-based. */
  user = 0;
  /** The user's own overload control. */
  policy: Policy | undefined = undefined;
  phase: CallPhase = "idle";
  /** Where the call stands in the engine's list of calls under way. */
  slot = 0;
  /** The neighbours in the list of deadlines while the attempt is in flight, see {@link Deadlines}. */
  watchedBefore: Call | undefined = undefined;
  watchedAfter: Call | undefined = undefined;
  /** When an attempt that got less time than the usual is due, and what looks after it then; see {@link Deadlines}. */
  dueSeconds: number = Number.POSITIVE_INFINITY;
  dueTask: Task | undefined = undefined;
  /** Wakes the call up when it waits for its admission or for a retry; made once, when it first does. */
  wake: Task | undefined = undefined;
  /** When it is to wake up. A record that was cancelled while it waited has an earlier entry in the scheduler still. */
  wakeSeconds = 0;
  /** The copies of the call once there are several, and when the next one is due; see {@link HedgeGroup}. */
  group: HedgeGroup | undefined = undefined;
  hedgeDueSeconds: number = Number.POSITIVE_INFINITY;
  hedgeTask: Task | undefined = undefined;
  /** True while the attempt repeats one that met a stale connection. */
  resent = false;

  /** When the engine handed the current attempt to the transport. */
  handedSeconds = 0;
  /** When the transport had a connection for it; negative until then. Filled by the transport. */
  startedSeconds = -1;
  /** Stable code of the fault (`ECONNREFUSED`, `UND_ERR_SOCKET`, `timeout`, ...). Filled by the transport. */
  errorCode = "";
  /** The transport's own bookkeeping for the attempt under way (its connection); undefined between attempts. */
  lane: unknown = undefined;
}
