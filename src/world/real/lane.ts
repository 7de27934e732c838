/**
 * One connection: an undici `Client` with at most one request under way, and the handler of that request. Lanes are kept
 * in a free list of our own, which costs less than undici's pool and shows what a pool would hide: the wait for a socket.
 *
 * The handler has the older of undici 7's two forms (`onConnect`, `onHeaders`, ...): with the newer one, undici wraps it and
 * parses the headers of each answer into an object, which nobody reads, and a request costs a tenth more.
 */

import { setImmediate } from "node:timers";
import type { Dispatcher } from "undici/index.js";
import { Client } from "undici/index.js";
import type { Call } from "../../engine/call.ts";
import type { AnswerHeaders } from "./answer-headers.ts";
import type { AttemptHeaders } from "./attempt-headers.ts";
import { type Connector, DEADLINE } from "./connector.ts";
import { endedByPeer } from "./faults.ts";
import { monotonicSeconds } from "./monotonic.ts";

/**
 * A kept connection that breaks before the first byte of an answer is `stale` only when the peer can have closed it for
 * idleness: it lay idle for at least this long (no server in use closes sooner) ...
 */
const STALE_IDLE_SECONDS = 0.04;
/**
 * ... and the break showed within a few round trips, for which the time to connect stands, or within what a busy event loop
 * may be late. Later, the peer had the request and dropped it: a reset.
 */
const STALE_BREAK_SECONDS = 0.02;
const STALE_BREAK_CONNECTS = 3;

/** What a lane reports to its transport. */
export interface LaneOwner {
  /** The request is on its connection, which may have carried others before. */
  started(call: Call, reused: boolean): void;
  /** The call's attempt ended with an answer. */
  answered(call: Call, status: number, headers: readonly string[] | undefined): void;
  /** The call's attempt ended without an answer. */
  broke(call: Call, error: Error, stale: boolean): void;
  /** The lane can take another request. */
  free(lane: Lane): void;
  /** The target closed or reset the lane's connection. */
  closedByPeer(): void;
}

/** What all lanes of a transport have in common. */
export interface LaneOptions {
  readonly origin: string;
  readonly client: Client.Options;
  readonly request: Dispatcher.DispatchOptions;
  /** The same, for a connection that is to be closed after it (`Connection: close`). */
  readonly lastRequest: Dispatcher.DispatchOptions;
  /** Requests that a connection may carry. */
  readonly maxRequests: number;
  readonly attemptHeaders: AttemptHeaders;
  /** What is to be read of the headers of answers; undefined: nothing. */
  readonly answerHeaders: AnswerHeaders | undefined;
}

export class Lane implements Dispatcher.DispatchHandler {
  readonly #owner: LaneOwner;
  readonly #options: LaneOptions;
  readonly #connector: Connector;
  readonly #client: Client;
  #call: Call | undefined;
  /** Undici's way to give the request up, once it is on its connection. */
  #abort: ((error: Error) => void) | undefined;
  #status = 0;
  #headers: readonly string[] | undefined;
  /** Requests that the present connection has carried, the one under way included. */
  #carried = 0;
  /** The present connection was opened ahead, so it may have grown stale before its first request. */
  #openedAhead = false;
  /** The request under way asks for the end of the connection. */
  #closing = false;
  /** The last answer ended a connection whose end we had asked for, and that end has not shown yet. */
  #endAsked = false;
  #freedSeconds = 0;
  #startedSeconds = 0;
  #idleSeconds = 0;

  constructor(owner: LaneOwner, options: LaneOptions, connector: Connector) {
    this.#owner = owner;
    this.#options = options;
    this.#connector = connector;
    this.#client = new Client(options.origin, { ...options.client, connect: connector.open });
    this.#client.on("disconnect", (_origin, _targets, error) => this.#disconnected(error));
  }

  /**
   * Opens the connection ahead of the first request, which then finds it ready in undici: undici gets a request to connect
   * for, and drops it unsent when its handler throws at the start. Nothing is sent to the target.
   *
   * @param opened called once; false when no connection could be opened, or {@link cancel} was called.
   */
  openAhead(opened: (success: boolean) => void): void {
    this.#client.dispatch(this.#options.request, {
      onRequestStart: () => {
        this.#openedAhead = true;
        this.#freedSeconds = monotonicSeconds();
        throw OPENED;
      },
      // Later: undici is still dealing with the request.
      onResponseError: (_controller, error) => queueMicrotask(() => opened(error === OPENED)),
    });
  }

  dispatch(call: Call): void {
    this.#call = call;
    this.#status = 0;
    this.#headers = undefined;
    this.#abort = undefined;
    // As undici does with a used connection: let the end of an idle one show before a request is written on it.
    if (this.#openedAhead && this.#carried === 0) setImmediate(this.#dispatch);
    else this.#dispatch();
  }

  /** Gives the request up. The lane is reported free when undici has let go of it. */
  cancel(): void {
    this.#call = undefined;
    if (!this.#connector.abandon()) this.#abort?.(DEADLINE);
  }

  async close(): Promise<void> {
    this.#call = undefined;
    // Undici would wait for it. One that is open is closed in order: the target has done nothing to be reset for.
    if (this.#connector.opening) this.#connector.abandon();
    await this.#client.destroy().catch(ignore);
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    this.#startedSeconds = monotonicSeconds();
    this.#idleSeconds = this.#startedSeconds - this.#freedSeconds;
    this.#carried += 1;
    if (this.#call === undefined) abort(DEADLINE);
    else this.#owner.started(this.#call, this.#carried > 1);
  }

  onHeaders(statusCode: number, rawHeaders: Buffer[]): boolean {
    this.#status = statusCode;
    this.#headers = this.#options.answerHeaders?.pick(rawHeaders);
    return true;
  }

  onData(): boolean {
    return true;
  }

  onComplete(): void {
    // Another request goes on another connection, also one that is dispatched before this one's end has shown.
    if (this.#closing) {
      this.#carried = 0;
      this.#endAsked = true;
    }
    const call = this.#release();
    this.#owner.free(this);
    if (call !== undefined) this.#owner.answered(call, this.#status, this.#headers);
  }

  onError(error: Error): void {
    const stale = this.#wasStale();
    const call = this.#release();
    // undici is still emptying this client's queue (it asserts as much): nothing may be dispatched on it before it has.
    queueMicrotask(() => this.#owner.free(this));
    if (call !== undefined) this.#owner.broke(call, error, stale);
  }

  readonly #dispatch = (): void => {
    if (this.#call === undefined) {
      this.#owner.free(this);
      return;
    }
    const { maxRequests, request, lastRequest } = this.#options;
    this.#closing = this.#carried + 1 >= maxRequests;
    const own = this.#closing ? lastRequest : request;
    const headers = this.#options.attemptHeaders.of(this.#call);
    this.#client.dispatch(headers === undefined ? own : withHeaders(own, headers), this);
  };

  #disconnected(error: Error): void {
    if (!this.#connector.abandoned && endedByPeer(error, this.#endAsked || this.#closing)) this.#owner.closedByPeer();
    this.#endAsked = false;
    this.#carried = 0;
    this.#openedAhead = false;
  }

  #wasStale(): boolean {
    return (
      this.#abort !== undefined &&
      (this.#carried > 1 || this.#openedAhead) &&
      this.#status === 0 &&
      this.#idleSeconds >= STALE_IDLE_SECONDS &&
      monotonicSeconds() - this.#startedSeconds <=
        Math.max(STALE_BREAK_SECONDS, STALE_BREAK_CONNECTS * this.#connector.connectSeconds)
    );
  }

  #release(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#abort = undefined;
    this.#freedSeconds = monotonicSeconds();
    return call;
  }
}

/** The request of one attempt. Headers are a flat list, see {@link LaneOptions.request}. */
function withHeaders(request: Dispatcher.DispatchOptions, headers: readonly string[]): Dispatcher.DispatchOptions {
  return { ...request, headers: [...(request.headers as string[]), ...headers] };
}

/** Thrown to undici instead of sending anything: its connection is open. */
const OPENED: Error = new Error("The connection is open");

/** A client that is being thrown away has nothing left to tell. */
function ignore(): void {}
