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
 * idleness: it lay idle for at least this long ...
 */
const STALE_IDLE_SECONDS = 0.01;
/** ... and the break showed within about a round trip. Later, the peer had the request and dropped it: a reset. */
const STALE_BREAK_SECONDS = 0.1;

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
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #connector: Connector;
  #client: Client;
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
    this.#origin = origin;
    this.#connector = connector;
    this.#options = { ...options, connect: connector.open };
    this.#client = this.#open();
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
    if (this.#connector.abandon()) return;
    if (this.#controller !== undefined) {
      this.#controller.abort(DEADLINE);
      return;
    }
    // Still connecting: there is no request to abort yet, so the client goes as a whole.
    const client = this.#client;
    this.#client = this.#open();
    client.destroy(DEADLINE).catch(ignore);
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
      monotonicSeconds() - this.#startedSeconds <= STALE_BREAK_SECONDS
    );
  }

  #release(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#controller = undefined;
    this.#freedSeconds = monotonicSeconds();
    return call;
  }

  #open(): Client {
    const client = new Client(this.#origin, this.#options);
    client.on("connect", () => {
      this.#served = 0;
      this.#owner.connected();
    });
    return client;
  }
}

/** A client that is being thrown away has nothing left to tell. */
function ignore(): void {}
