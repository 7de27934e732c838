/** A policy with the modifiers around it. */

import { NO_RETRY, pushbackSeconds } from "../hint/pushback.ts";
import { retryAfterSeconds } from "../hint/retry-after.ts";
import type { Admission, AttemptVerdict, Clock, LocalReject, NextStep, Policy, PolicyCall, Random } from "../policy.ts";
import { Hold } from "./hold.ts";
import type { ModifierRules } from "./modifier-rules.ts";
import { ReconnectGate } from "./reconnect-gate.ts";
import { deadlineValue } from "./request-header.ts";

/**
 * Where a call stands with the policy inside: it is `waiting` for its admission, has an attempt `sent`, or is `retrying`, that
 * is between an attempt and the next. In these three it is owed an answer; `starting` calls have not come to it yet.
 */
type Stage = "idle" | "starting" | "waiting" | "sent" | "retrying";

/** What is remembered of a call, beside the notes of the policy inside, which come back whenever that is asked. */
class ModifierNotes {
  inner: object | undefined = undefined;
  stage: Stage = "idle";
  /** An attempt of it has been sent before. */
  isRetry = false;
  backoffCarry = 0;
  /** The gate's epoch when the present attempt was sent. */
  epoch = 0;
  /** The present attempt has as much time as the call has left. */
  endsAtDeadline = false;
}

/** A wait ends this much after what it waits for, so that rounding cannot make it wait again and again. */
const ROUNDING_SECONDS = 1e-6;

/**
 * Does for each call, around the questions to the policy inside:
 *
 * - before an attempt, in this order: no time left, `deadline`; the user's first call waits for its start; a connection is
 *   backed off from, `broken`; the user is held back by a Retry-After: a new call is `throttled`, a retry waits. Only then is
 *   the policy asked. What it lets pass gets no more time than the call has left, and its headers;
 * - after an attempt, once the policy has answered: its delay is replaced by the chosen backoff, raised to the Retry-After
 *   with its jitter, or is the server's pushback, which counts alone. A delay that would outlast the deadline ends the call
 *   as `deadline`, and so does an attempt that timed out at it.
 *
 * When it ends a call whose answer the policy still expects, it tells it once, by {@link Policy.abandon}. It knows nothing of
 * the policy inside, which may be the user's own or shared with others. Delays are drawn from the jitter alone: the policy's
 * decisions get the same numbers as without modifiers.
 *
 * About 150 bytes of a user, 300 with the hold and the gate, and 100 of a call under way, whatever their number.
 */
export class ModifiedPolicy implements Policy {
  private readonly inner: Policy;
  private readonly clock: Clock;
  private readonly jitter: Random;
  private readonly rules: ModifierRules;
  private readonly hold: Hold | undefined;
  private readonly gate: ReconnectGate | undefined;
  private hasStarted: boolean;

  constructor(inner: Policy, clock: Clock, jitter: Random, rules: ModifierRules) {
    this.inner = inner;
    this.clock = clock;
    this.jitter = jitter;
    this.rules = rules;
    this.hold = rules.holdsUser ? new Hold() : undefined;
    this.gate = rules.backsOffConnections ? new ReconnectGate() : undefined;
    this.hasStarted = rules.startJitter === 0;
  }

  admit(call: PolicyCall): Admission {
    const now = this.clock.now();
    const notes = notesOf(call);
    if (notes.stage === "idle" || (call.attempt === 0 && notes.stage !== "starting" && notes.stage !== "waiting")) {
      begin(notes);
    }
    const left = call.intendedSeconds + this.rules.deadline - now;
    if (left <= 0) return this.refuse(call, notes, "deadline");
    if (!this.hasStarted) {
      this.hasStarted = true;
      const delay = this.rules.startJitter * this.jitter.random();
      if (delay > 0) return this.letWait(call, notes, "starting", delay, left);
    }
    if (this.gate !== undefined && this.gate.remainingSeconds(now) > 0) return this.refuse(call, notes, "broken");
    if (this.hold !== undefined) {
      const held = this.hold.remainingSeconds(now);
      if (held > 0) {
        if (!notes.isRetry) return this.refuse(call, notes, "throttled");
        return this.letWait(call, notes, notes.stage, held + ROUNDING_SECONDS, left);
      }
    }
    call.notes = notes.inner;
    const admission = this.inner.admit(call);
    notes.inner = call.notes;
    call.notes = notes;
    if (admission === "wait") return this.letWait(call, notes, "waiting", call.delaySeconds, left);
    if (admission === "send") this.prepareAttempt(call, notes, left);
    else notes.stage = "idle";
    return admission;
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    const notes = notesOf(call);
    if (notes.stage !== "sent") return "done";
    call.notes = notes.inner;
    const step = this.inner.settle(call, verdict);
    notes.inner = call.notes;
    call.notes = notes;
    notes.stage = step === "retry" ? "retrying" : "idle";
    const now = this.clock.now();
    this.gate?.attemptEnded(call.fault, notes.epoch, now, this.jitter);
    const hint = this.hintSeconds(call, step);
    const spread = hint > 0 ? hint * this.rules.retryAfterJitter * this.jitter.random() : 0;
    if (hint > 0) this.hold?.extend(now, hint + spread);
    if (call.fault === "timeout" && notes.endsAtDeadline) return this.refuse(call, notes, "deadline");
    if (step !== "retry") return step;
    const pushback = this.rules.obeysPushback ? pushbackSeconds(call.answerHeaders) : undefined;
    if (pushback === NO_RETRY) return this.refuse(call, notes, "done");
    if (pushback === undefined) this.delayRetry(call, notes, hint, spread);
    else {
      call.delaySeconds = pushback;
      call.backoffFrom = call.attempt + 1;
    }
    if (call.delaySeconds >= call.intendedSeconds + this.rules.deadline - now) {
      return this.refuse(call, notes, "deadline");
    }
    notes.isRetry = true;
    return "retry";
  }

  abandon(call: PolicyCall): void {
    const notes = notesOf(call);
    if (notes.stage !== "idle" && notes.stage !== "starting") this.abandonInner(call, notes);
    notes.stage = "idle";
  }

  private letWait(
    call: PolicyCall,
    notes: ModifierNotes,
    stage: Stage,
    seconds: number,
    left: number,
  ): "wait" | LocalReject {
    notes.stage = stage;
    if (seconds >= left) return this.refuse(call, notes, "deadline");
    call.delaySeconds = seconds;
    return "wait";
  }

  private refuse<Answer extends LocalReject | "done">(call: PolicyCall, notes: ModifierNotes, answer: Answer): Answer {
    if (notes.stage === "waiting" || notes.stage === "retrying") this.abandonInner(call, notes);
    notes.stage = "idle";
    return answer;
  }

  private abandonInner(call: PolicyCall, notes: ModifierNotes): void {
    if (this.inner.abandon === undefined) return;
    call.notes = notes.inner;
    this.inner.abandon(call);
    notes.inner = call.notes;
    call.notes = notes;
  }

  private prepareAttempt(call: PolicyCall, notes: ModifierNotes, left: number): void {
    notes.stage = "sent";
    notes.endsAtDeadline = left < call.timeoutSeconds;
    if (notes.endsAtDeadline) call.timeoutSeconds = left;
    if (this.gate !== undefined) notes.epoch = this.gate.epoch;
    const { deadlineHeader, attemptHeader } = this.rules;
    if (attemptHeader !== undefined) addHeader(call, attemptHeader.field(call.attempt));
    if (deadlineHeader !== "" && call.timeoutSeconds < Number.POSITIVE_INFINITY) {
      addHeader(call, [deadlineHeader, deadlineValue(deadlineHeader, call.timeoutSeconds)]);
    }
  }

  /** @returns 0 when the answer has no Retry-After, or nobody is to wait for it. */
  private hintSeconds(call: PolicyCall, step: NextStep): number {
    if (!this.rules.readsRetryAfter || (call.status !== 429 && call.status !== 503)) return 0;
    if (this.hold === undefined && step !== "retry") return 0;
    return retryAfterSeconds(call.answerHeaders, this.rules.retryAfterCap) ?? 0;
  }

  private delayRetry(call: PolicyCall, notes: ModifierNotes, hint: number, spread: number): void {
    const { backoff } = this.rules;
    if (backoff !== undefined) {
      const retry = Math.max(0, call.attempt - call.backoffFrom);
      call.delaySeconds = backoff.delaySeconds(retry, retry === 0 ? 0 : notes.backoffCarry, this.jitter);
      notes.backoffCarry = backoff.carry ?? call.delaySeconds;
    }
    if (hint > 0) call.delaySeconds = Math.max(call.delaySeconds, hint) + spread;
  }
}

function begin(notes: ModifierNotes): void {
  notes.stage = "idle";
  notes.isRetry = false;
}

function addHeader(call: PolicyCall, field: readonly string[]): void {
  call.requestHeaders = call.requestHeaders === undefined ? field : [...call.requestHeaders, ...field];
}

function notesOf(call: PolicyCall): ModifierNotes {
  if (call.notes instanceof ModifierNotes) return call.notes;
  const notes = new ModifierNotes();
  call.notes = notes;
  return notes;
}
