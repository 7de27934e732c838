/** What undici tells of one attempt of an intercepted call. */

import { DRAIN_BYTES_MAX, DRAIN_MS_MAX } from "./drain-body.ts";
import type { AnswerHeaders, DispatchController, DispatchHandler } from "./undici-types.ts";

/** The call that an attempt belongs to. */
export interface AttemptOwner {
  /** It is on its way. */
  attemptStarted(context: unknown): void;
  /** An informational answer (1xx). */
  informed(status: number, headers: AnswerHeaders, message: string | undefined): void;
  /** Calls {@link InterceptedAttempt.pass} or {@link InterceptedAttempt.drain} before it returns. */
  attemptAnswered(status: number, headers: AnswerHeaders, message: string | undefined): void;
  attemptUpgraded(status: number, headers: AnswerHeaders, socket: unknown): void;
  attemptFaulted(error: Error): void;
}

/**
 * `open`: there is no answer yet; `passing`: the answer is the caller's; `draining`: it is nobody's, and read away;
 * `over`: nothing is to come, or nothing that anybody wants.
 */
type Stage = "open" | "passing" | "draining" | "over";

export class InterceptedAttempt implements DispatchHandler {
  private readonly owner: AttemptOwner;
  private readonly above: DispatchHandler;
  private readonly relay: DispatchController;
  private stage: Stage = "open";
  private own: DispatchController | undefined;
  private cancelReason: Error | undefined;
  private drainedBytes = 0;
  private drainTimer: ReturnType<typeof setTimeout> | undefined;
  private onDrained: (() => void) | undefined;

  /**
   * @param above who gets the answer, if it is the caller's.
   * @param relay the controller for `above`.
   */
  constructor(owner: AttemptOwner, above: DispatchHandler, relay: DispatchController) {
    this.owner = owner;
    this.above = above;
    this.relay = relay;
  }

  /** Undefined until the attempt is on its way. */
  get controller(): DispatchController | undefined {
    return this.own;
  }

  get isOver(): boolean {
    return this.stage === "over";
  }

  /** The answer is the caller's. */
  pass(): void {
    this.stage = "passing";
  }

  /** The answer is nobody's: it is read away, within bounds. */
  drain(): void {
    this.stage = "draining";
    this.drainTimer = setTimeout(() => this.cutOff(), DRAIN_MS_MAX);
  }

  /** Calls `next` when the answer has been read away: at once if there is none to read. */
  whenDrained(next: () => void): void {
    if (this.stage === "draining") this.onDrained = next;
    else next();
  }

  /** Nothing of the attempt is wanted any more. */
  cancel(reason: Error): void {
    this.stage = "over";
    this.cancelReason = reason;
    this.own?.abort(reason);
  }

  onRequestStart(controller: DispatchController, context: unknown): void {
    this.own = controller;
    if (this.cancelReason === undefined) this.owner.attemptStarted(context);
    else controller.abort(this.cancelReason);
  }

  onRequestUpgrade(_controller: DispatchController, status: number, headers: AnswerHeaders, socket: unknown): void {
    if (this.stage === "open") this.owner.attemptUpgraded(status, headers, socket);
  }

  onResponseStart(_controller: DispatchController, status: number, headers: AnswerHeaders, message?: string): void {
    if (this.stage !== "open") return;
    if (status < 200) this.owner.informed(status, headers, message);
    else this.owner.attemptAnswered(status, headers, message);
  }

  onResponseData(_controller: DispatchController, chunk: { readonly byteLength: number }): void {
    if (this.stage === "passing") {
      this.above.onResponseData?.(this.relay, chunk);
      return;
    }
    this.drainedBytes += chunk.byteLength;
    if (this.stage === "draining" && this.drainedBytes > DRAIN_BYTES_MAX) this.cutOff();
  }

  onResponseEnd(_controller: DispatchController, trailers: AnswerHeaders): void {
    if (this.stage === "passing") this.above.onResponseEnd?.(this.relay, trailers);
    else this.drained();
  }

  onResponseError(_controller: DispatchController | undefined, error: Error): void {
    const { stage } = this;
    if (stage === "draining") {
      this.drained();
      return;
    }
    this.stage = "over";
    if (stage === "open") this.owner.attemptFaulted(error);
    else if (stage === "passing") this.above.onResponseError?.(this.relay, error);
  }

  private cutOff(): void {
    this.own?.abort(new Error("The answer of an attempt that is made again was too long to be read"));
    this.drained();
  }

  private drained(): void {
    clearTimeout(this.drainTimer);
    if (this.stage !== "draining") return;
    this.stage = "over";
    this.onDrained?.();
  }
}
