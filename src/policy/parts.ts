/**
 * The parts of which {@link ComposedPolicy} makes a policy. A part holds no clock: it is told the time, in seconds, with each
 * question. Time may step backwards or jump; a part survives both without throwing, and recovers.
 */

import type { AttemptVerdict, Criticality, PolicyCall, Random } from "./policy.ts";

/**
 * What the end of an attempt says of the backend: `ignored` is no evidence (a local reject further on, a caller that left, a
 * fault of our own).
 */
export type Evidence = "success" | "failure" | "ignored";

/** What {@link Breaker.enter} answers when it is open. */
export const REFUSED = -1;

/** Cuts all attempts off for a time once too many failed. */
export interface Breaker {
  /** @returns a ticket of at least 0 that is to be given back once, or {@link REFUSED}. */
  enter(nowSeconds: number): number;

  /**
   * The attempt of that ticket ended. Evidence from before the present state began is not counted, unless the breaker's source
   * does so; the place of a probe is free again in any case.
   *
   * @param tookSeconds from `enter` to the end of the attempt.
   */
  leave(ticket: number, evidence: Evidence, tookSeconds: number, nowSeconds: number): void;
}

/** Refuses attempts with a probability that grows as the backend refuses more. */
export interface Throttle {
  /** Whether the attempt may pass. One that does is followed by one `settle` or `abandon`. */
  admit(nowSeconds: number, criticality: Criticality): boolean;

  settle(call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void;

  /** The attempt that passed was not sent after all, or its end is not known. */
  abandon(call: PolicyCall, nowSeconds: number): void;

  /** The probability with which the next attempt would be refused. */
  rejectProbability(nowSeconds: number, criticality: Criticality): number;
}

/** Spreads attempts over time: it lets them wait. */
export interface Pacer {
  /** @returns 0: it may go now, and its permit is taken; above 0: to be asked again after that many seconds. */
  acquire(nowSeconds: number): number;

  settle(call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void;
}

/** Bounds the attempts under way at once. */
export interface ConcurrencyLimiter {
  /** @returns the attempts under way, this one included; 0 when the limit is reached. */
  acquire(nowSeconds: number): number;

  /**
   * The attempt ended, and its place is free.
   *
   * @param inFlight what `acquire` gave.
   * @param tookSeconds from `acquire` to the end.
   * @param evidence `failure`: it was dropped for overload.
   */
  release(inFlight: number, tookSeconds: number, evidence: Evidence, nowSeconds: number): void;

  /** The present limit; it need not be whole. */
  readonly limit: number;
}

/** What {@link RetryBudget.withdraw} answers when there is nothing left. */
export const DENIED = -1;

/** Bounds how many retries are made. */
export interface RetryBudget {
  /** A call is about to make its first attempt. Followed by one {@link callEnded}. */
  callStarted(nowSeconds: number): void;

  /**
   * An attempt ended. Told before {@link withdraw} is asked for a retry of it, and before {@link retryEnded}.
   *
   * @param held what the call withdrew for this attempt; 0 for a first attempt.
   */
  attemptEnded(call: PolicyCall, verdict: AttemptVerdict, held: number, nowSeconds: number): void;

  /**
   * Asks for a retry of the attempt that just ended.
   *
   * @returns what was withdrawn, at least 0, or {@link DENIED}.
   */
  withdraw(call: PolicyCall, nowSeconds: number): number;

  /** The retry for which `held` was withdrawn has ended, or will not be made. */
  retryEnded(held: number, nowSeconds: number): void;

  callEnded(nowSeconds: number): void;
}

/** How long to wait before a retry. */
export interface Backoff {
  /**
   * @param retry 0 for the first retry.
   * @param previousSeconds the delay before, of the same call; 0 before the first retry.
   * @returns finite and at least 0 for any retry number; at most the cap, unless the source adds its jitter after it.
   */
  delaySeconds(retry: number, previousSeconds: number, jitter: Random): number;

  /**
   * What to hand in as `previousSeconds` next, to be read right after `delaySeconds`. Absent where it is the delay itself.
   */
  readonly carry?: number;
}

/** What an attempt's end says of the backend, to breakers and limiters. */
export type EvidenceRule = (call: PolicyCall, verdict: AttemptVerdict) => Evidence;
