/** The errors that overload control itself makes; all others are the transport's own. */

import type { LocalReject } from "../policy/policy.ts";

/**
 * The policy refused the call, so this client did not send it, or not again. What the backend said last, if it said
 * anything, is in `status`.
 */
export class OverloadControlError extends Error {
  override readonly name = "OverloadControlError";
  /** Stable: `OVERLOAD_CONTROL_THROTTLED`, `_BUDGET`, `_BROKEN`, `_LIMITED` or `_DEADLINE`. */
  readonly code: `OVERLOAD_CONTROL_${Uppercase<LocalReject>}`;
  readonly outcome: LocalReject;
  /** Whose policy refused it: the origin, or what `keyOf` gave. */
  readonly key: string;
  /** Attempts that were sent before. */
  readonly attempts: number;
  /** Of the last answer; 0 when there was none. */
  readonly status: number;

  constructor(outcome: LocalReject, key: string, attempts: number, status: number) {
    const before = attempts === 0 ? "not sent" : `no further attempt after ${attempts}`;
    super(`Overload control of ${key}: ${before}, ${outcome}`);
    this.outcome = outcome;
    this.code = `OVERLOAD_CONTROL_${outcome.toUpperCase() as Uppercase<LocalReject>}`;
    this.key = key;
    this.attempts = attempts;
    this.status = status;
  }
}

/** No answer began within the time that the attempt had. Its name is that of the error of `AbortSignal.timeout()`. */
export class AttemptTimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "OVERLOAD_CONTROL_TIMEOUT";
  readonly timeoutSeconds: number;

  constructor(timeoutSeconds: number) {
    super(`No answer within ${timeoutSeconds} s`);
    this.timeoutSeconds = timeoutSeconds;
  }
}
