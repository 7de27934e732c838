/**
 * One connection: an undici `Client` with at most one request under way, and the handler of that request. Lanes are kept
 * in a free list of our own, which costs less than undici's pool and shows what a pool would hide: the wait for a socket.
 */

import type { Dispatcher } from "undici/index.js";
import { Client } from "undici/index.js";
import type { Call } from "../../engine/call.ts";
import { type Connector, DEADLINE } from "./connector.ts";
import { monotonicSeconds } from "./monotonic.ts";

/**
 * A reused connection that breaks before the first byte of an answer is `stale` only when the peer can have closed it for
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
  /** The request is on its connection. */
  started(call: Call): void;
  /** The call's attempt ended with an answer. */
  answered(call: Call, status: number): void;
  /** The call's attempt ended without an answer. */
  broke(call: Call, error: Error, stale: boolean): void;
  /** The lane can take another request. */
  free(lane: Lane): void;
  connected(): void;
}

export class Lane implements Dispatcher.DispatchHandler {
  readonly #owner: LaneOwner;
  readonly #connector: Connector;
  readonly #client: Client;
  #call: Call | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  /** Requests answered on the present connection. */
  #served = 0;
  #freedSeconds = 0;
  #startedSeconds = 0;
  #idleSeconds = 0;

  constructor(owner: LaneOwner, origin: string, options: Client.Options, connector: Connector) {
    this.#owner = owner;
    this.#connector = connector;
    this.#client = new Client(origin, { ...options, connect: connector.open });
    this.#client.on("connect", () => {
      this.#served = 0;
      owner.connected();
    });
  }

  dispatch(call: Call, request: Dispatcher.DispatchOptions): void {
    this.#call = call;
    this.#status = 0;
    this.#controller = undefined;
    this.#client.dispatch(request, this);
  }

  /** Gives the request up. The lane is reported free when undici has let go of it. */
  cancel(): void {
    this.#call = undefined;
    if (!this.#connector.abandon()) this.#controller?.abort(DEADLINE);
  }

  async close(): Promise<void> {
    this.#call = undefined;
    await this.#client.destroy().catch(ignore);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#startedSeconds = monotonicSeconds();
    this.#idleSeconds = this.#startedSeconds - this.#freedSeconds;
    if (this.#call === undefined) controller.abort(DEADLINE);
    else this.#owner.started(this.#call);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    this.#status = statusCode;
  }

  onResponseData(): void {}

  onResponseEnd(): void {
    this.#served += 1;
    const call = this.#release();
    this.#owner.free(this);
    if (call !== undefined) this.#owner.answered(call, this.#status);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const stale = this.#wasStale();
    const call = this.#release();
    // undici is still emptying this client's queue (it asserts as much): nothing may be dispatched on it before it has.
    queueMicrotask(() => this.#owner.free(this));
    if (call !== undefined) this.#owner.broke(call, error, stale);
  }

  #wasStale(): boolean {
    return (
      this.#controller !== undefined &&
      this.#served > 0 &&
      this.#status === 0 &&
      this.#idleSeconds >= STALE_IDLE_SECONDS &&
      monotonicSeconds() - this.#startedSeconds <=
        Math.max(STALE_BREAK_SECONDS, STALE_BREAK_CONNECTS * this.#connector.connectSeconds)
    );
  }

  #release(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#controller = undefined;
    this.#freedSeconds = monotonicSeconds();
    return call;
  }
}

/** A client that is being thrown away has nothing left to tell. */
function ignore(): void {}
