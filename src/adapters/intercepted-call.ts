/** One call through the interceptor. */

import type { PolicyCall } from "../policy/policy.ts";
import { CallDriver, type Sender } from "./call-driver.ts";
import { type AttemptOwner, InterceptedAttempt } from "./intercepted-attempt.ts";
import { RelayController } from "./relay-controller.ts";
import { isIdempotentMethod, isRepeatableBody } from "./resend.ts";
import type { OutgoingRequest, Settings } from "./settings.ts";
import type { AnswerHeaders, Dispatch, DispatchHandler, DispatchOptions } from "./undici-types.ts";
import { withHeaders } from "./with-headers.ts";

export class InterceptedCall implements Sender, AttemptOwner {
  private readonly dispatch: Dispatch;
  private readonly options: DispatchOptions;
  private readonly above: DispatchHandler;
  private readonly driver: CallDriver;
  private readonly relay: RelayController;
  /** What undici tells the handler above of how the request went; attempts add to it. */
  private readonly context: object = {};
  private attempt: InterceptedAttempt | undefined;
  /** Hands the answer in hand over. */
  private handOver: (() => void) | undefined;
  private wantsMore = true;

  /** @param origin where `options` names none. */
  constructor(
    settings: Settings,
    dispatch: Dispatch,
    options: DispatchOptions,
    above: DispatchHandler,
    origin: string,
  ) {
    this.dispatch = dispatch;
    this.options = options;
    this.above = above;
    this.relay = new RelayController((reason) => this.driver.abort(reason));
    const { method, path, body, idempotent } = options;
    const outgoing: OutgoingRequest = { origin, method, path };
    const keyed = settings.policies.of(settings.keyOf(outgoing));
    this.driver = new CallDriver(
      settings,
      keyed,
      outgoing,
      { hasRepeatableBody: isRepeatableBody(body), isIdempotent: idempotent ?? isIdempotentMethod(method) },
      this,
    );
  }

  /** @returns what `dispatch` is to return: whether it takes more. */
  run(): boolean {
    // Before anything is sent: the call can be aborted while it waits.
    this.above.onRequestStart?.(this.relay, this.context);
    this.driver.start();
    return this.wantsMore;
  }

  send(call: PolicyCall): void {
    this.letGo();
    const options = withHeaders(this.options, call.requestHeaders);
    const before = this.attempt;
    const attempt = new InterceptedAttempt(this, this.above, this.relay);
    this.attempt = attempt;
    if (before === undefined) this.go(attempt, options);
    else before.whenDrained(() => this.go(attempt, options));
  }

  cancel(reason: unknown): void {
    this.attempt?.cancel(reason as Error);
  }

  letGo(): void {
    if (this.handOver === undefined) return;
    this.handOver = undefined;
    this.attempt?.drain();
  }

  deliver(): void {
    const controller = this.attempt?.controller;
    this.attempt?.pass();
    if (controller !== undefined) this.relay.aim(controller);
    this.handOver?.();
  }

  fail(error: unknown): void {
    this.above.onResponseError?.(this.relay, error as Error);
  }

  attemptStarted(context: unknown): void {
    Object.assign(this.context, context);
  }

  informed(status: number, headers: AnswerHeaders, message: string | undefined): void {
    this.above.onResponseStart?.(this.relay, status, headers, message);
  }

  attemptAnswered(status: number, headers: AnswerHeaders, message: string | undefined): void {
    this.handOver = () => this.above.onResponseStart?.(this.relay, status, headers, message);
    this.driver.answered(status, (name) => headers[name]);
  }

  attemptUpgraded(status: number, headers: AnswerHeaders, socket: unknown): void {
    this.handOver = () => this.above.onRequestUpgrade?.(this.relay, status, headers, socket);
    this.driver.answered(status, (name) => headers[name]);
  }

  attemptFaulted(error: Error): void {
    this.driver.faulted(error);
  }

  private go(attempt: InterceptedAttempt, options: DispatchOptions): void {
    if (attempt.isOver) return;
    try {
      this.wantsMore = this.dispatch(options, attempt);
    } catch (error) {
      attempt.onResponseError(undefined, error as Error);
    }
  }
}
