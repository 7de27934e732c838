/** One call of a wrapped `fetch`. */

import type { PolicyCall } from "../policy/policy.ts";
import { whenAborted } from "./abort-listeners.ts";
import { AttemptSignal } from "./attempt-signal.ts";
import { CallDriver, type Sender } from "./call-driver.ts";
import { cutOffBody, drainBody } from "./drain-body.ts";
import { type Fetch, type FetchAnswer, type FetchInit, isFetchRequest } from "./fetch-types.ts";
import { isIdempotentMethod, isRepeatableBody } from "./resend.ts";
import type { OutgoingRequest, Settings } from "./settings.ts";

/** One attempt: the fetch under way, and whether anybody still wants what comes of it. */
interface FetchAttempt {
  readonly own: AttemptSignal | undefined;
  isOver: boolean;
}

export class FetchCall<Input, Init, Answer extends FetchAnswer> implements Sender {
  private readonly fetch: Fetch<Input, Init, Answer>;
  private readonly input: Input;
  private readonly init: Init | undefined;
  private readonly signal: AbortSignal | undefined;
  private readonly driver: CallDriver;
  private resolve: (answer: Answer) => void = () => {};
  private reject: (error: unknown) => void = () => {};
  private unlink: (() => void) | undefined;
  private attempt: FetchAttempt | undefined;
  private answer: Answer | undefined;
  /** Pending while the body of an answer that was let go is read away. */
  private drained: Promise<void> | undefined;

  constructor(settings: Settings, fetch: Fetch<Input, Init, Answer>, input: Input, init: Init | undefined) {
    this.fetch = fetch;
    this.input = input;
    this.init = init;
    const given = (init ?? {}) as FetchInit;
    const request = isFetchRequest(input) ? input : undefined;
    this.signal = (given.signal === undefined ? request?.signal : given.signal) ?? undefined;
    const method = given.method ?? request?.method ?? "GET";
    const outgoing = outgoingRequest(request?.url ?? String(input), method);
    const keyed = settings.policies.of(settings.keyOf(outgoing));
    this.driver = new CallDriver(
      settings,
      keyed,
      outgoing,
      {
        // The body of a Request is a stream, whatever it was made of.
        hasRepeatableBody: isRepeatableBody(given.body ?? request?.body),
        isIdempotent: isIdempotentMethod(method),
      },
      this,
    );
  }

  run(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      const { signal } = this;
      if (signal?.aborted) {
        this.driver.abort(signal.reason);
        return;
      }
      if (signal !== undefined) this.unlink = whenAborted(signal, () => this.driver.abort(signal.reason));
      this.driver.start();
    });
  }

  send(call: PolicyCall): void {
    this.letGo();
    const isTimed = call.timeoutSeconds < Number.POSITIVE_INFINITY;
    const attempt: FetchAttempt = { own: isTimed ? new AttemptSignal(this.signal) : undefined, isOver: false };
    this.attempt = attempt;
    const init = this.initOf(attempt, call.requestHeaders);
    const { drained } = this;
    if (drained === undefined) void this.go(attempt, init);
    else void drained.then(() => (attempt.isOver ? undefined : this.go(attempt, init)));
  }

  cancel(reason: unknown): void {
    const { attempt } = this;
    if (attempt === undefined) return;
    attempt.isOver = true;
    attempt.own?.abort(reason);
  }

  letGo(): void {
    const body = this.answer?.body ?? undefined;
    this.answer = undefined;
    this.attempt?.own?.release();
    if (body === undefined) return;
    const drained = drainBody(body).then(() => {
      if (this.drained === drained) this.drained = undefined;
    });
    this.drained = drained;
  }

  deliver(): void {
    const { answer } = this;
    this.unlink?.();
    const own = this.attempt?.own;
    if (answer === undefined) return;
    // Looked at only where it must be: the body of an answer may cost something from then on.
    own?.releaseWith(answer.body);
    this.resolve(answer);
  }

  fail(error: unknown): void {
    this.unlink?.();
    this.attempt?.own?.release();
    this.reject(error);
  }

  /** Does not reject: what went wrong is told to the driver. */
  private async go(attempt: FetchAttempt, init: Init | undefined): Promise<void> {
    let answer: Answer;
    try {
      answer = await this.fetch(this.input, init);
    } catch (error) {
      if (attempt.isOver) return;
      attempt.own?.release();
      if (this.signal?.aborted) this.driver.abort(this.signal.reason);
      else this.driver.faulted(error);
      return;
    }
    try {
      if (attempt.isOver) {
        cutOffBody(answer?.body);
        return;
      }
      const { status } = answer;
      this.answer = answer;
      this.driver.answered(status, (name) => answer.headers?.get(name));
    } catch (error) {
      // It is no answer, or not one that can be read.
      this.driver.misfired(error);
      this.reject(error);
    }
  }

  /** The caller's own where nothing is to be added. */
  private initOf({ own }: FetchAttempt, requestHeaders: readonly string[] | undefined): Init | undefined {
    if (own === undefined && requestHeaders === undefined) return this.init;
    const init: Record<string, unknown> = { ...this.init };
    if (own !== undefined) init.signal = own.signal;
    if (requestHeaders !== undefined) {
      const given = (this.init as FetchInit | undefined)?.headers;
      const headers = new Headers(given ?? (isFetchRequest(this.input) ? this.input.headers : undefined));
      for (let i = 0; i + 1 < requestHeaders.length; i += 2) {
        headers.set(requestHeaders[i] as string, requestHeaders[i + 1] as string);
      }
      init.headers = headers;
    }
    return init as Init;
  }
}

/** A URL that is none is left to `fetch` to refuse. */
function outgoingRequest(address: string, method: string): OutgoingRequest {
  try {
    const { origin, pathname, search } = new URL(address);
    return { origin, method, path: `${pathname}${search}` };
  } catch {
    return { origin: "", method, path: address };
  }
}
