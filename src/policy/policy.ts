/**
 * The contract between a client-side overload-control policy and whoever drives it: the open loop of this harness, the
 * simulation, or an HTTP client in production.
 *
 * A policy is a synchronous decision machine. It decides, it never waits and never sends: it is asked before each attempt
 * ({@link Policy.admit}) and told how each attempt that was sent ended ({@link Policy.settle}). Time and chance are
 * handed in ({@link Clock}, {@link Random}), so a policy is a table of numbers in a test.
 */

/** A clock in seconds. Monotonic where the world allows it; a policy must survive one that steps backwards. */
export interface Clock {
  /** Seconds since an arbitrary but fixed origin. */
  now(): number;
}

/** A source of uniform random numbers. */
export interface Random {
  /** The next number, uniform in [0, 1). */
  random(): number;
}

/** Why a policy refused an attempt without sending it. It is also the outcome of the call. */
export type LocalReject = "throttled" | "budget" | "broken" | "limited" | "deadline";

/** What a policy answers before an attempt. */
export type Admission = "send" | LocalReject;

/**
 * How an attempt that was sent ended, as a policy sees it.
 *
 * - `accepted`: the backend took the work (also a 404 or an application's own 500);
 * - `overloaded`: the backend, or the way to it, said that it had too much (429, 503, time-out, refused, reset);
 * - `failed`: any other fault. It is neither an accept nor a reason to retry.
 */
export type AttemptVerdict = "accepted" | "overloaded" | "failed";

/** What a policy wants after an attempt. A `retry` comes back as an {@link Policy.admit} with the next attempt number. */
export type NextStep = "done" | "retry";

/** How a call through a client ended. */
export type ClientOutcome = "ok" | "failed" | LocalReject;

/**
 * The state of one call that a policy may read and write. The driver owns the record and may reuse it for another call
 * once the call has ended, so a policy never keeps a reference to it.
 */
export interface PolicyCall {
  /** The number of the attempt in question: 0 is the first, 1 the first retry. Set by the driver. */
  attempt: number;
  /** Seconds to wait before the retry that {@link Policy.settle} asked for. Reset to 0 by the driver before `settle`. */
  delaySeconds: number;
}

/** One client's overload control. See the file's comment for the protocol. */
export interface Policy {
  /**
   * Decides whether the attempt `call.attempt` may be sent.
   *
   * @returns `"send"`, or why not; anything but `"send"` ends the call with that outcome.
   */
  admit(call: PolicyCall): Admission;

  /**
   * Takes note of how an admitted attempt ended.
   *
   * @returns `"retry"` to have {@link admit} asked for attempt `call.attempt + 1` after `call.delaySeconds`.
   */
  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep;
}

/** Builds the policy of one virtual user from that user's clock and random stream. */
export type PolicyFactory = (clock: Clock, random: Random) => Policy;
