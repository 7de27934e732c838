/**
 * The contract between a client-side overload-control policy and whoever drives it: the open loop of this harness, the
 * simulation, or an HTTP client in production.
 *
 * A policy is a synchronous decision machine. It decides, it never waits and never sends: it is asked before each attempt
 * ({@link Policy.admit}) and told how each attempt that was sent ended ({@link Policy.settle}). Time and chance are
 * handed in ({@link Clock}, {@link Random}), so a policy is a table of numbers in a test.
 *
 * What a driver does for each call, with one {@link PolicyCall}:
 *
 * 1. `attempt` is 0; `admit`.
 *    - `"send"`: the attempt is sent.
 *    - `"wait"`: after `delaySeconds`, `admit` is asked again for the same attempt.
 *    - anything else: the call has ended, with that outcome.
 * 2. The attempt ended: the facts about its answer are put into the call; `settle`.
 *    - `"done"`: the call has ended, `ok` or `failed`.
 *    - `"retry"`: `attempt` grows by one, and after `delaySeconds` comes `admit` again.
 *    - anything else: the retry was denied, and the call has ended with that outcome.
 * 3. A call that ends in any other way (its caller left, another copy of it was answered) while an attempt of it is under
 *    way, or while it waits: {@link Policy.abandon}.
 *
 * So every `"send"` is followed by exactly one `settle` or `abandon`, every `"wait"` and `"retry"` by `admit` or `abandon`.
 */

/** A clock in seconds. Monotonic where the world allows it; a policy must survive one that steps backwards. */
export interface Clock {
  /** Seconds since an arbitrary but fixed origin, which may lie ahead: readings are below 0 in the past of an aged client. */
  now(): number;
}

/** A source of uniform random numbers. */
export interface Random {
  /** The next number, uniform in [0, 1). */
  random(): number;
}

/**
 * Why a policy refused an attempt without sending it. It is also the outcome of the call.
 *
 * - `throttled`: the probability of an admission throttle; `budget`: no retry was left to spend;
 * - `broken`: a breaker is open; `limited`: a concurrency or rate limiter is full; `deadline`: no time is left.
 */
export type LocalReject = "throttled" | "budget" | "broken" | "limited" | "deadline";

/** What a policy answers before an attempt. `wait`: ask again after `call.delaySeconds`, which is above 0. */
export type Admission = "send" | "wait" | LocalReject;

/**
 * How an attempt that was sent ended, as a policy sees it.
 *
 * - `accepted`: the backend took the work (also a 404 or an application's own 500);
 * - `overloaded`: the backend, or the way to it, said that it had too much (429, 503, time-out, refused, reset);
 * - `failed`: any other fault. It is neither an accept nor a reason to retry.
 */
export type AttemptVerdict = "accepted" | "overloaded" | "failed";

/**
 * Why an attempt brought no answer.
 *
 * - `timeout`: the deadline passed; `refused`: no connection was taken; `reset`: a connection broke;
 * - `stale`: a connection kept alive had been closed by the peer before the request reached it;
 * - `client`: our own limits (file descriptors, ports, an invalid request), never the target's doing;
 * - `other`: any other transport or protocol fault.
 */
export type Fault = "none" | "timeout" | "refused" | "reset" | "stale" | "client" | "other";

/**
 * What a policy wants after an attempt: `retry` comes back as an {@link Policy.admit} with the next attempt number. A
 * {@link LocalReject} is a retry that was due and is denied; it ends the call with that outcome.
 */
export type NextStep = "done" | "retry" | LocalReject;

/** How a call through a client ended. */
export type ClientOutcome = "ok" | "failed" | LocalReject;

/**
 * How much a call matters, from 0: `CRITICAL_PLUS`, `CRITICAL` (the usual), `SHEDDABLE_PLUS`, `SHEDDABLE`.
 *
 * Source: Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, "Criticality".
 */
export type Criticality = 0 | 1 | 2 | 3;

/**
 * The state of one call that a policy may read and write. The driver owns the record and may reuse it for another call
 * once the call has ended, so a policy never keeps a reference to it. {@link CallRecord} is one with all its defaults.
 */
export interface PolicyCall {
  /** The number of the attempt in question: 0 is the first, 1 the first retry. Set by the driver. */
  attempt: number;
  /** For `settle`: the highest attempt number of the call so far. It is `attempt`, unless the call was hedged. Set by the driver. */
  lastAttempt: number;
  /** When the call was to start, on the policy's clock. Set by the driver. */
  intendedSeconds: number;
  /** Set by the driver. */
  criticality: Criticality;

  /**
   * The attempt from which a backoff counts its retries: 0, or later when a server's hint made it start anew. Set to 0 by the
   * driver when the call begins.
   */
  backoffFrom: number;

  /** Facts about the answer, for `settle`. The HTTP status, 0 when there was no answer. */
  status: number;
  /** `none` when there was an answer. */
  fault: Fault;
  /**
   * The headers of the answer that the policy declared to read, as they came: name in lower case, value, name, value, ...;
   * `undefined` when there was none of them. A driver whose answer has no `date` header puts its own wall time there
   * (RFC 9110, 6.6.1) when another of them is there.
   */
  answerHeaders: readonly string[] | undefined;

  /** Seconds to wait before the admission or the retry. The driver sets it to 0 before `admit` and `settle`. */
  delaySeconds: number;
  /** The time that the attempt may take. The driver sets it to its own bound before `admit`; a policy may lower it. */
  timeoutSeconds: number;
  /**
   * Hedging: after this time without an answer, the driver asks `admit` for another copy of the call, with the next attempt
   * number and a record of its own. The driver sets it to `Infinity` before `admit`: no copy. The first copy that is
   * accepted ends the call; one that is overloaded ends nothing while others are under way.
   */
  hedgeSeconds: number;
  /** Headers to be sent with this attempt, name, value, ... The driver sets it to `undefined` before `admit`. */
  requestHeaders: readonly string[] | undefined;

  /**
   * What the policy wants to remember of the call from step to step. The driver leaves it alone: a reused record still holds
   * the object of an earlier call, which was another user's perhaps, but of a policy of the same make. To be set anew
   * at attempt 0.
   */
  notes: object | undefined;
}

/** One client's overload control. See the file's comment for the protocol. */
export interface Policy {
  /**
   * Decides whether the attempt `call.attempt` may be sent.
   *
   * @returns `"send"`, `"wait"`, or why not: that ends the call with that outcome.
   */
  admit(call: PolicyCall): Admission;

  /**
   * Takes note of how an admitted attempt ended.
   *
   * @returns `"retry"` to have {@link admit} asked for attempt `call.attempt + 1` after `call.delaySeconds`.
   */
  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep;

  /**
   * The call ended without the policy's doing, see the file's comment: what it holds is to be released, and nothing is to
   * be learnt from it. Absent in policies that hold nothing.
   */
  abandon?(call: PolicyCall): void;
}

/**
 * Builds the policy of one virtual user.
 *
 * @param random for decisions: how many numbers are drawn is part of a policy's contract.
 * @param jitter for delays. A stream of its own, so that a change of backoff leaves the decisions' numbers alone.
 */
export type PolicyFactory = (clock: Clock, random: Random, jitter: Random) => Policy;
