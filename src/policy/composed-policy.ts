/** A policy made of parts, asked in the order in which they stand between a call and the wire. */

import {
  type Backoff,
  type Breaker,
  type ConcurrencyLimiter,
  DENIED,
  type Evidence,
  type EvidenceRule,
  type Pacer,
  REFUSED,
  type RetryBudget,
  type Throttle,
} from "./parts.ts";
import type { Admission, AttemptVerdict, Clock, LocalReject, NextStep, Policy, PolicyCall, Random } from "./policy.ts";

/** The parts of a policy; what is absent lets everything pass. */
export interface PolicyParts {
  readonly breaker?: Breaker | undefined;
  readonly throttle?: Throttle | undefined;
  readonly pacer?: Pacer | undefined;
  readonly limiter?: ConcurrencyLimiter | undefined;
  readonly budget?: RetryBudget | undefined;
  readonly backoff?: Backoff | undefined;
  /** Attempts of one call, the first included. */
  readonly maxAttempts: number;
  /** The outcome of a call whose retry the budget denies. Default `budget`. */
  readonly denial?: LocalReject | undefined;
  /** What breaker and limiter learn from an attempt. Default {@link plainEvidence}. */
  readonly evidence?: EvidenceRule | undefined;
}

/**
 * Where a call stands with the policy: `waiting` for the pacer with a breaker's ticket, `sent`, or `retrying`, that is in its
 * backoff with a retry withdrawn.
 */
type Stage = "idle" | "waiting" | "sent" | "retrying";

/** What is remembered of a call: what it holds, so that every exit releases it. */
class CallNotes {
  stage: Stage = "idle";
  ticket = REFUSED;
  inFlight = 0;
  sentSeconds = 0;
  /** What was withdrawn for the present retry; {@link DENIED} while there is none. */
  held = DENIED;
  /** See {@link Backoff.carry}. */
  backoffCarry = 0;
}

/** An accept is a success, an overload or another fault of the backend a failure; our own faults say nothing. */
export function plainEvidence(call: PolicyCall, verdict: AttemptVerdict): Evidence {
  if (verdict === "accepted") return "success";
  return call.fault === "client" || call.fault === "stale" ? "ignored" : "failure";
}

/**
 * Composes parts in the order breaker -> throttle -> pacer -> concurrency limiter -> wire. The retry loop is outside of all of
 * them: each retry passes them again. The budget is inside the loop: it is asked when an attempt was overloaded, before the
 * backoff. What one part takes and a later one refuses is given back (but a
 * pacer's permit, which is spent); a local reject is never retried, and no breaker
 * learns from it.
 *
 * Attempts that end late or twice change nothing: only a call whose attempt is under way can be settled.
 */
export class ComposedPolicy implements Policy {
  private readonly clock: Clock;
  private readonly jitter: Random;
  private readonly parts: PolicyParts;
  private readonly evidenceOf: EvidenceRule;

  constructor(clock: Clock, jitter: Random, parts: PolicyParts) {
    this.clock = clock;
    this.jitter = jitter;
    this.parts = parts;
    this.evidenceOf = parts.evidence ?? plainEvidence;
  }

  admit(call: PolicyCall): Admission {
    const { breaker, throttle, pacer, limiter } = this.parts;
    const now = this.clock.now();
    const notes = notesOf(call);
    if (notes.stage !== "waiting") {
      if (call.attempt === 0) this.begin(notes, now);
      notes.ticket = breaker === undefined ? REFUSED : breaker.enter(now);
      if (breaker !== undefined && notes.ticket === REFUSED) return this.refuse(notes, "broken", now);
      if (throttle !== undefined && !throttle.admit(now, call.criticality)) {
        this.leaveBreaker(notes, "ignored", 0, now);
        return this.refuse(notes, "throttled", now);
      }
    }
    const waitSeconds = pacer === undefined ? 0 : pacer.acquire(now);
    if (waitSeconds > 0) {
      notes.stage = "waiting";
      call.delaySeconds = waitSeconds;
      return "wait";
    }
    if (limiter !== undefined) {
      notes.inFlight = limiter.acquire(now);
      if (notes.inFlight === 0) {
        throttle?.abandon(call, now);
        this.leaveBreaker(notes, "ignored", 0, now);
        return this.refuse(notes, "limited", now);
      }
    }
    notes.stage = "sent";
    notes.sentSeconds = now;
    return "send";
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    const { throttle, pacer, budget, backoff, maxAttempts, denial } = this.parts;
    const now = this.clock.now();
    const notes = notesOf(call);
    if (notes.stage !== "sent") return "done";
    this.leaveWire(notes, this.evidenceOf(call, verdict), now);
    pacer?.settle(call, verdict, now);
    throttle?.settle(call, verdict, now);
    budget?.attemptEnded(call, verdict, Math.max(0, notes.held), now);
    if (verdict !== "overloaded" || call.attempt + 1 >= maxAttempts) {
      this.end(notes, now);
      return "done";
    }
    this.endRetry(notes, now);
    if (budget !== undefined) {
      notes.held = budget.withdraw(call, now);
      if (notes.held === DENIED) {
        this.end(notes, now);
        return denial ?? "budget";
      }
    }
    if (backoff !== undefined) {
      const retry = Math.max(0, call.attempt - call.backoffFrom);
      call.delaySeconds = backoff.delaySeconds(retry, retry === 0 ? 0 : notes.backoffCarry, this.jitter);
      notes.backoffCarry = backoff.carry ?? call.delaySeconds;
    }
    notes.stage = "retrying";
    return "retry";
  }

  abandon(call: PolicyCall): void {
    const now = this.clock.now();
    const notes = notesOf(call);
    const { stage } = notes;
    if (stage === "idle") return;
    if (stage === "sent") this.leaveWire(notes, "ignored", now);
    else if (stage === "waiting") this.leaveBreaker(notes, "ignored", 0, now);
    if (stage !== "retrying") this.parts.throttle?.abandon(call, now);
    this.end(notes, now);
  }

  private begin(notes: CallNotes, now: number): void {
    notes.held = DENIED;
    this.parts.budget?.callStarted(now);
  }

  private refuse(notes: CallNotes, reject: LocalReject, now: number): LocalReject {
    this.end(notes, now);
    return reject;
  }

  private leaveWire(notes: CallNotes, evidence: Evidence, now: number): void {
    const tookSeconds = Math.max(0, now - notes.sentSeconds);
    this.parts.limiter?.release(notes.inFlight, tookSeconds, evidence, now);
    this.leaveBreaker(notes, evidence, tookSeconds, now);
  }

  private leaveBreaker(notes: CallNotes, evidence: Evidence, tookSeconds: number, now: number): void {
    if (notes.ticket !== REFUSED) this.parts.breaker?.leave(notes.ticket, evidence, tookSeconds, now);
    notes.ticket = REFUSED;
  }

  private endRetry(notes: CallNotes, now: number): void {
    if (notes.held !== DENIED) this.parts.budget?.retryEnded(notes.held, now);
    notes.held = DENIED;
  }

  private end(notes: CallNotes, now: number): void {
    this.endRetry(notes, now);
    this.parts.budget?.callEnded(now);
    notes.stage = "idle";
  }
}

function notesOf(call: PolicyCall): CallNotes {
  if (call.notes instanceof CallNotes) return call.notes;
  const notes = new CallNotes();
  call.notes = notes;
  return notes;
}
