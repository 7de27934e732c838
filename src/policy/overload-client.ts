/** Adaptive client-side throttling with a retry budget: a client that stops adding to an overload. */

import { maxAttemptsOption, type NumberSpec, resolveOption } from "./option.ts";
import type { AttemptVerdict, Clock, NextStep, Policy, PolicyCall, Random } from "./policy.ts";
import { rejectProbability } from "./reject-probability.ts";
import { SecondWindow } from "./second-window.ts";

/** What one attempt gives: the backend took the work, or it had too much of it. */
export type SendResult = "ok" | "overloaded";

/** How a call through an {@link OverloadClient} ends. */
export type OverloadOutcome = "ok" | "throttled" | "budget" | "failed";

/** What {@link OverloadClient.call} returns for a `send` that returns `Answer`: a promise for a promise. */
export type CallResult<Answer> = [Answer] extends [never]
  ? OverloadOutcome
  : Answer extends PromiseLike<unknown>
    ? Promise<OverloadOutcome>
    : OverloadOutcome;

/** Options of {@link OverloadClient}. What is missing or `undefined` has its default. */
export interface OverloadClientOptions {
  /** K, at least 1: how many requests the client attempts per accepted one before it rejects. Default 2. */
  readonly k?: number | undefined;
  /** Length of the window in seconds, 1 to 604,800. Default 120. */
  readonly window?: number | undefined;
  /** Retries are allowed while they are fewer than this share of all requests; 0 forbids them. Default 0.1. */
  readonly retryRatio?: number | undefined;
  /** Attempts of one call, the first included. Default 3. */
  readonly maxAttempts?: number | undefined;
}

/** The options' defaults and bounds. */
export const overloadClientOptions = {
  k: {
    default: 2,
    kind: "number",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "K: requests attempted per accepted one before the client rejects locally; lower is stricter",
  },
  window: {
    default: 120,
    kind: "number",
    min: 1,
    max: 604_800,
    unit: "seconds",
    doc: "How far back requests and accepts are counted",
  },
  retryRatio: {
    default: 0.1,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "ratio",
    doc: "Retries are allowed while they are fewer than this share of requests",
  },
  maxAttempts: maxAttemptsOption,
} as const satisfies Record<string, NumberSpec>;

const REQUESTS = 0;
const ACCEPTS = 1;
const RETRIES = 2;

/**
 * One client's overload control, after "Handling Overload" (chapter 21 of Site Reliability Engineering, Google/O'Reilly
 * 2016, https://sre.google/sre-book/handling-overload/). Before each attempt, with the counts of the last `window` seconds:
 *
 * 1. a retry is allowed only if `retries < retryRatio x requests`; else the call ends as `budget`, with nothing counted;
 * 2. `p = max(0, (requests - k x accepts) / (requests + 1))`;
 * 3. the attempt counts as a request, and as a retry if it is one, even when it is about to be rejected;
 * 4. one number u is drawn, also when p is 0; if `u < p` the call ends as `throttled`, without sending;
 * 5. the attempt is sent. An accept counts in the second in which its answer arrives and ends the call as `ok`; an overload
 *    leads to the next attempt, and after `maxAttempts` of them the call ends as `failed`.
 *
 * The constants are the chapter's. K = 2 lets half of what is sent be rejected: a waste of backend resources that lets
 * clients see the recovery sooner; where a rejection costs the backend about as much as the work, K nearer to 1 is better.
 * Two minutes smooth the counts of a client that calls seldom. Ten percent keeps all attempts within
 * `1 / (1 - retryRatio)`, 1.11 times the first ones, and three attempts bound what one call may cost.
 *
 * What follows from the rule (W the window, for a client that makes many requests in W):
 * - local rejects count as requests, so in a lasting overload the client sends K times what is accepted, whatever it is
 *   offered: the share (K - 1) / K of what is sent is refused, and nothing is throttled below that share;
 * - a total outage after a healthy window goes unnoticed for W (1 - 1/K): 60 s with the defaults. After one that fills the
 *   window about one attempt per W is sent, and recovery takes several windows;
 * - counts start empty, and a request counts when it is attempted but its accept only when the answer arrives. Calls that
 *   overlap on a cold client therefore throttle themselves against a healthy backend, the more the greater rate x
 *   latency; once a window is warm they do not.
 *
 * The memory is bounded whatever the rate and the run time; a clock that steps back is survived as {@link SecondWindow} says.
 *
 * @example
 * ```ts
 * const clock = { now: () => performance.now() / 1000 };
 * const client = new OverloadClient(clock, { random: Math.random });
 * const outcome = await client.call(async () => ((await fetch(url)).status === 503 ? "overloaded" : "ok"));
 * ```
 */
export class OverloadClient implements Policy {
  private readonly clock: Clock;
  private readonly counts: SecondWindow;
  private readonly rng: Random;
  private readonly k: number;
  private readonly retryRatio: number;
  private readonly maxAttempts: number;
  private sendsPromises = false;

  /**
   * @param clock seconds; see {@link Clock}.
   * @param rng uniform in [0, 1); drawn from once per attempt that the retry budget allows.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(clock: Clock, rng: Random, options: OverloadClientOptions = {}) {
    this.clock = clock;
    this.rng = rng;
    this.k = read("k", options.k);
    const windowSeconds = read("window", options.window);
    this.retryRatio = read("retryRatio", options.retryRatio);
    this.maxAttempts = read("maxAttempts", options.maxAttempts);
    this.counts = new SecondWindow(3, windowSeconds);
  }

  /**
   * Makes one call, of up to `maxAttempts` immediate attempts.
   *
   * A synchronous `send` gives a synchronous outcome, a promise gives a promise; a call whose later `send` is the first to
   * return a promise turns into one there. A call that is throttled before its first `send` takes the form of the client's
   * last `send`: since an empty client never throttles, one whose sends are all promises always gives promises.
   *
   * @param send makes one attempt. What it throws or rejects with is passed on; the attempt stays counted as a request.
   * @throws {TypeError} when `send` gives anything but `"ok"` or `"overloaded"`.
   */
  call<const Answer extends SendResult | PromiseLike<SendResult>>(send: () => Answer): CallResult<Answer>;
  call(send: () => SendResult | PromiseLike<SendResult>): OverloadOutcome | Promise<OverloadOutcome> {
    for (let attempt = 0; ; attempt++) {
      const admission = this.admitAttempt(attempt);
      if (admission !== "send") return attempt === 0 && this.sendsPromises ? Promise.resolve(admission) : admission;
      const answer = send();
      this.sendsPromises = isPromiseLike(answer);
      if (isPromiseLike(answer)) return this.finish(send, attempt, answer);
      const outcome = this.outcomeOf(attempt, answer);
      if (outcome !== "retry") return outcome;
    }
  }

  admit(call: PolicyCall): "send" | "throttled" | "budget" {
    return this.admitAttempt(call.attempt);
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    return this.settleAttempt(call.attempt, verdict);
  }

  /** Attempts in the window, those rejected locally included. */
  requests(): number {
    return this.total(REQUESTS);
  }

  /** Accepted attempts in the window. */
  accepts(): number {
    return this.total(ACCEPTS);
  }

  /** Attempts in the window that were retries, those throttled included. */
  retries(): number {
    return this.total(RETRIES);
  }

  /** The probability with which the next attempt would be throttled. */
  rejectProbability(): number {
    this.counts.moveTo(this.clock.now());
    return this.probability();
  }

  private async finish(
    send: () => SendResult | PromiseLike<SendResult>,
    attemptUnderWay: number,
    firstAnswer: PromiseLike<SendResult>,
  ): Promise<OverloadOutcome> {
    let answer = await firstAnswer;
    for (let attempt = attemptUnderWay; ; attempt++) {
      const outcome = this.outcomeOf(attempt, answer);
      if (outcome !== "retry") return outcome;
      const admission = this.admitAttempt(attempt + 1);
      if (admission !== "send") return admission;
      answer = await send();
    }
  }

  private admitAttempt(attempt: number): "send" | "throttled" | "budget" {
    const counts = this.counts;
    counts.moveTo(this.clock.now());
    if (attempt > 0 && !(counts.total(RETRIES) < this.retryRatio * counts.total(REQUESTS))) return "budget";
    const probability = this.probability();
    counts.add(REQUESTS);
    if (attempt > 0) counts.add(RETRIES);
    return this.rng.random() < probability ? "throttled" : "send";
  }

  private settleAttempt(attempt: number, verdict: AttemptVerdict): NextStep {
    if (verdict === "accepted") {
      this.counts.moveTo(this.clock.now());
      this.counts.add(ACCEPTS);
    }
    return verdict === "overloaded" && attempt + 1 < this.maxAttempts ? "retry" : "done";
  }

  private outcomeOf(attempt: number, answer: SendResult): "ok" | "failed" | "retry" {
    if (answer === "ok") {
      this.settleAttempt(attempt, "accepted");
      return "ok";
    }
    if (answer === "overloaded") return this.settleAttempt(attempt, "overloaded") === "retry" ? "retry" : "failed";
    throw new TypeError(
      `Cannot settle the attempt as 'send' must give "ok" or "overloaded": it gave ${String(answer)}`,
    );
  }

  private probability(): number {
    return rejectProbability(this.counts.total(REQUESTS), this.counts.total(ACCEPTS), this.k);
  }

  private total(kind: number): number {
    this.counts.moveTo(this.clock.now());
    return this.counts.total(kind);
  }
}

function read(name: keyof typeof overloadClientOptions, value: unknown): number {
  return resolveOption("create OverloadClient", name, overloadClientOptions[name], value);
}

function isPromiseLike(answer: SendResult | PromiseLike<SendResult>): answer is PromiseLike<SendResult> {
  return typeof answer === "object" && answer !== null && typeof answer.then === "function";
}
