/** Hedging after gRPC: a second copy of a call that is slow, before it is known to have failed. */

import { RetryTokens, type RetryTokensOptions, retryTokensOptions } from "../budget/retry-tokens.ts";
import { maxAttemptsOption, type NumberSpec, resolveOptions } from "../option.ts";
import type { AttemptVerdict, NextStep, Policy, PolicyCall } from "../policy.ts";

/** Options of {@link HedgePolicy}. What is missing or `undefined` has its default. */
export interface HedgePolicyOptions extends RetryTokensOptions {
  /** Copies of one call, the first included, 1 to 5. Default 4. */
  readonly maxAttempts?: number | undefined;
  /** Seconds without an answer after which the next copy is sent; 0 sends all at once. Default 0.5. */
  readonly hedgingDelay?: number | undefined;
}

/** The options' defaults, those of the examples in A6, and bounds. */
export const hedgePolicyOptions = {
  maxAttempts: {
    ...maxAttemptsOption,
    default: 4,
    max: 5,
    doc: "Copies of one call, the first included; 1 never hedges",
  },
  hedgingDelay: {
    default: 0.5,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "Time without an answer after which the next copy is sent",
  },
  ...retryTokensOptions,
} as const satisfies Record<string, NumberSpec>;

/** What is remembered of a copy: whether its end is still to be counted. */
class CopyNotes {
  underWay = false;
}

/**
 * Copy k of a call is sent `k x hedgingDelay` after the first one, until one is answered; the first success ends the call, and so
 * does the first fault that is no overload. A copy that is overloaded has the next one sent at once. All but the first pass
 * only while the {@link RetryTokens} suffice; none waits for them, and there are no retries besides. At most five copies,
 * the bound of A6: a service's owner cannot make its clients send more.
 *
 * Hedging buys a shorter tail with load. It is worth `1 + P(latency > hedgingDelay)` copies a call while the backend is well,
 * so the delay belongs near the p95; once the backend slows down past it, every call is sent `maxAttempts` times. Tokens fall
 * with failures only, so that they do not notice a slow backend.
 *
 * Memory: about 120 bytes.
 *
 * Source: grpc/proposal A6-client-retries.md, "Hedging Policy"; where grpc-java RetriableStream.java differs (it looks at the
 * tokens when a copy is scheduled, and waits out the delay after an overload), the proposal is followed.
 */
export class HedgePolicy implements Policy {
  private readonly maxAttempts: number;
  private readonly hedgingDelay: number;
  private readonly tokens: RetryTokens;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: HedgePolicyOptions = {}) {
    const { maxAttempts, hedgingDelay } = resolveOptions("create HedgePolicy", hedgePolicyOptions, options);
    this.maxAttempts = maxAttempts;
    this.hedgingDelay = hedgingDelay;
    this.tokens = new RetryTokens(options);
  }

  admit(call: PolicyCall): "send" | "budget" {
    const notes = notesOf(call);
    const isCopy = call.attempt > 0;
    notes.underWay = !isCopy || (call.attempt < this.maxAttempts && this.tokens.suffice);
    if (!notes.underWay) return "budget";
    if (call.attempt + 1 < this.maxAttempts) call.hedgeSeconds = this.hedgingDelay;
    return "send";
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    const notes = notesOf(call);
    if (!notes.underWay) return "done";
    notes.underWay = false;
    this.tokens.record(call, verdict);
    if (verdict !== "overloaded" || call.lastAttempt + 1 >= this.maxAttempts) return "done";
    return this.tokens.suffice ? "retry" : "budget";
  }

  abandon(call: PolicyCall): void {
    notesOf(call).underWay = false;
  }
}

function notesOf(call: PolicyCall): CopyNotes {
  if (call.notes instanceof CopyNotes) return call.notes;
  const notes = new CopyNotes();
  call.notes = notes;
  return notes;
}
