/**
 * Drives one call through its policy: the waiting, the timers and the bookkeeping that the policy leaves to its driver.
 */

import { CallRecord } from "../policy/call-record.ts";
import type { ClientOutcome, LocalReject, PolicyCall } from "../policy/policy.ts";
import { collectHeaders, type HeaderReader } from "./answer-headers.ts";
import type { ControlledOutcome } from "./events.ts";
import { faultOf } from "./fault-of.ts";
import type { KeyedPolicy } from "./keyed-policies.ts";
import { AttemptTimeoutError, OverloadControlError } from "./overload-control-error.ts";
import { obstacleTo, type Resendable } from "./resend.ts";
import type { OutgoingRequest, Settings } from "./settings.ts";

/** What a driver asks of its transport. All but `send` are called at most once for the thing that they are about. */
export interface Sender {
  /**
   * Sends the next attempt, and lets the answer in hand go if there is one. How it ended is told by
   * {@link CallDriver.answered}, {@link CallDriver.faulted} or {@link CallDriver.misfired}, also before this returns.
   * What it throws is a misfire.
   */
  send(call: PolicyCall): void;
  /** Gives up the attempt under way: what becomes of it is told to nobody. */
  cancel(reason: unknown): void;
  /** The answer in hand is not wanted: its body is to be read away, or cut off. */
  letGo(): void;
  /** The call ends with the answer in hand. */
  deliver(): void;
  /** The call ends with an error. */
  fail(error: unknown): void;
}

/** `settling` is the time between an attempt's end and what follows from it. */
type Phase = "new" | "waiting" | "sent" | "settling" | "ended";

/** Longer ones overflow, and would fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

/**
 * An attempt ends for the policy when the headers of its answer are there: then it is decided whether the caller gets
 * that answer, and the caller reads the body as it comes. So an answer is in hand, with its body unread, until the next
 * attempt is sent or a wait begins; if the policy refuses the next attempt before that, or denies it, the caller gets
 * the answer in hand. The same goes for the error of an attempt, which nothing needs to let go of.
 */
export class CallDriver {
  private readonly settings: Settings;
  private readonly keyed: KeyedPolicy;
  private readonly request: Resendable;
  private readonly sender: Sender;
  private readonly call = new CallRecord();
  private phase: Phase = "new";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private inHand: "nothing" | "answer" | "error" = "nothing";
  private error: unknown;
  /** The attempt under way ended by a misfire: the next one would too. */
  private hasMisfired = false;
  private sent = 0;
  private sentSeconds = 0;

  constructor(settings: Settings, keyed: KeyedPolicy, outgoing: OutgoingRequest, request: Resendable, sender: Sender) {
    this.settings = settings;
    this.keyed = keyed;
    this.request = request;
    this.sender = sender;
    this.call.criticality = settings.criticalityOf?.(outgoing) ?? 1;
    this.call.intendedSeconds = settings.clock.now();
  }

  get isOver(): boolean {
    return this.phase === "ended";
  }

  start(): void {
    if (this.phase === "new") this.admit();
  }

  /** The headers of the answer to the attempt under way are there. */
  answered(status: number, read: HeaderReader): void {
    if (this.phase !== "sent") return;
    this.call.status = status;
    this.call.fault = "none";
    this.call.answerHeaders = collectHeaders(this.settings.readsHeaders, read);
    this.inHand = "answer";
    this.settle();
  }

  /** The attempt under way ended without an answer. */
  faulted(error: unknown): void {
    if (this.phase !== "sent") return;
    this.call.status = 0;
    this.call.fault = faultOf(error);
    this.call.answerHeaders = undefined;
    this.inHand = "error";
    this.error = error;
    this.settle();
  }

  /** The attempt under way could not be made, or its answer not be read: no doing of the backend's. Not made again. */
  misfired(error: unknown): void {
    if (this.phase !== "sent") return;
    this.call.status = 0;
    this.call.fault = "client";
    this.call.answerHeaders = undefined;
    this.inHand = "error";
    this.error = error;
    this.hasMisfired = true;
    this.settle();
  }

  /** The caller wants the call no more. Without effect once it has ended. */
  abort(reason: unknown): void {
    const { phase } = this;
    if (phase === "ended") return;
    this.finish("aborted");
    if (phase === "sent") this.sender.cancel(reason);
    else if (this.inHand === "answer") this.sender.letGo();
    if (phase !== "new") this.abandon();
    this.sender.fail(reason);
  }

  private admit(): void {
    const { call } = this;
    call.prepareAdmission(this.settings.timeoutSeconds);
    let admission: ReturnType<KeyedPolicy["policy"]["admit"]>;
    try {
      admission = this.keyed.policy.admit(call);
      if (typeof admission !== "string") {
        throw new TypeError(`A policy must admit by a string: current value is ${String(admission)}`);
      }
    } catch (error) {
      this.breakOff(error);
      return;
    }
    if (admission === "send") this.send();
    else if (admission === "wait") this.sleep(call.delaySeconds);
    else this.end(admission);
  }

  private send(): void {
    const { call } = this;
    this.phase = "sent";
    this.sent += 1;
    this.inHand = "nothing";
    try {
      this.sentSeconds = this.settings.clock.now();
      if (call.timeoutSeconds < Number.POSITIVE_INFINITY) {
        this.timer = setTimeout(this.expire, milliseconds(call.timeoutSeconds));
      }
      this.sender.send(call);
    } catch (error) {
      if (this.isOver) throw error; // The caller's own handler threw it.
      this.misfired(error);
    }
  }

  private readonly expire = (): void => {
    this.fire(() => {
      const error = new AttemptTimeoutError(this.call.timeoutSeconds);
      this.sender.cancel(error);
      this.faulted(error);
    });
  };

  private settle(): void {
    const { call, settings, keyed } = this;
    clearTimeout(this.timer);
    this.phase = "settling";
    const verdict = settings.signs.verdictOf(call.status, call.fault);
    call.delaySeconds = 0;
    call.lastAttempt = call.attempt;
    let step: ReturnType<KeyedPolicy["policy"]["settle"]>;
    try {
      step = keyed.policy.settle(call, verdict);
    } catch (error) {
      this.breakOff(error);
      return;
    }
    const { attempt, status, fault } = call;
    keyed.observer?.attemptEnded(attempt, verdict, status, fault, this.since(this.sentSeconds));
    if (this.isOver) return; // Whoever was told has aborted the call.
    if (step === "done") this.end(verdict === "accepted" ? "ok" : "failed");
    else if (step === "retry") this.retry();
    else this.end(step);
  }

  private retry(): void {
    const { call, settings, keyed } = this;
    const obstacle = obstacleTo(this.request, call.status, call.fault, settings.retryUnsafe);
    call.attempt += 1;
    if (this.hasMisfired) {
      this.abandon();
      this.end("failed");
    } else if (obstacle !== undefined) {
      keyed.observer?.notResent(call.attempt, obstacle);
      if (this.isOver) return;
      this.abandon();
      this.end("failed");
    } else if (call.delaySeconds > 0) {
      this.sleep(call.delaySeconds);
    } else {
      this.admit();
    }
  }

  private sleep(seconds: number): void {
    if (this.inHand === "answer") {
      this.inHand = "nothing";
      this.sender.letGo();
    }
    this.phase = "waiting";
    this.timer = setTimeout(this.wake, milliseconds(seconds));
    this.keyed.observer?.waits(this.call.attempt, seconds);
  }

  private readonly wake = (): void => this.fire(() => this.admit());

  /** What a timer does: nobody above it could catch anything. */
  private fire(task: () => void): void {
    try {
      task();
    } catch (error) {
      try {
        this.breakOff(error);
      } catch {
        // The call has ended: the transport threw it, or the caller's own handler.
      }
    }
  }

  /** @param outcome as the policy has it. */
  private end(outcome: ClientOutcome): void {
    const { inHand } = this;
    this.finish(outcome);
    if (inHand === "answer") this.sender.deliver();
    else if (inHand === "error") this.sender.fail(this.error);
    else this.sender.fail(this.refusal(outcome as LocalReject));
  }

  /** The policy threw, which none may: the call ends with what it threw. Without effect once it has ended. */
  private breakOff(error: unknown): void {
    const { phase } = this;
    if (phase === "ended") return;
    this.finish("failed");
    try {
      if (phase === "sent") this.sender.cancel(error);
      else if (this.inHand === "answer") this.sender.letGo();
    } finally {
      this.abandon();
      this.sender.fail(error);
    }
  }

  private finish(outcome: ControlledOutcome): void {
    clearTimeout(this.timer);
    this.phase = "ended";
    this.keyed.observer?.callEnded(outcome, this.sent, this.since(this.call.intendedSeconds));
  }

  private abandon(): void {
    try {
      this.keyed.policy.abandon?.(this.call);
    } catch {
      // The call ends as it does all the same.
    }
  }

  private refusal(outcome: LocalReject): OverloadControlError {
    return new OverloadControlError(outcome, this.keyed.key, this.sent, this.call.status);
  }

  private since(seconds: number): number {
    try {
      return Math.max(0, this.settings.clock.now() - seconds);
    } catch {
      return 0; // For metrics only: a clock that throws keeps no call from its end.
    }
  }
}

/** At least 1: a policy that asks to be asked again at once would keep the processor for itself. */
function milliseconds(seconds: number): number {
  const whole = Math.ceil(seconds * 1000);
  return whole >= 1 ? Math.min(whole, TIMER_MAX_MS) : 1;
}
