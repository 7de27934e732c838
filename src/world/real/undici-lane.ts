/**
 * A lane over an undici `Client`, which is also the handler of its requests. The import is `undici/index.js`, because Bun puts
 * a stub without `dispatch` in the place of plain `undici`.
 *
 * The handler has the older of undici 7's two forms (`onConnect`, `onHeaders`, ...): with the newer one, undici wraps it and
 * parses the headers of each answer into an object, which nobody reads, and a request costs a tenth more.
 */

import { setImmediate } from "node:timers";
import type { Dispatcher } from "undici/index.js";
import { Client } from "undici/index.js";
import type { Call } from "../../engine/call.ts";
import type { RealWorldSpec } from "../../engine/trial-spec.ts";
import { type AnswerHeaders, answerHeaders } from "./answer-headers.ts";
import { AttemptHeaders } from "./attempt-headers.ts";
import { ConnectionUse } from "./connection-use.ts";
import { type ConnectionFactory, type Connector, DEADLINE } from "./connector.ts";
import { endedByPeer, errorCodeOf, faultOf } from "./faults.ts";
import { HEAD_BYTES_MAX } from "./head-limit.ts";
import type { Lane, LaneMaker, LaneOwner } from "./lane.ts";
import { monotonicSeconds } from "./monotonic.ts";
import { basicAuthorization } from "./request-facts.ts";

/** Broken connections are reset before undici's own clocks matter: the engine's deadline is the only time-out. */
const NO_TIMEOUT = 0;
/** Idle connections are kept as long as the target keeps them. It may say how long: then we end them a little before. */
const KEEP_ALIVE_MS = 3_600_000;
const KEEP_ALIVE_MARGIN_MS = 500;

/** What all lanes of a transport have in common. */
interface UndiciOptions {
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

/** The lanes of a trial. */
export function undiciLanes(spec: RealWorldSpec, factory: ConnectionFactory): LaneMaker {
  const options = undiciOptions(spec);
  return (owner) => new UndiciLane(owner, options, factory.connector());
}

class UndiciLane implements Lane, Dispatcher.DispatchHandler {
  readonly #owner: LaneOwner;
  readonly #options: UndiciOptions;
  readonly #connector: Connector;
  readonly #client: Client;
  readonly #use = new ConnectionUse();
  #call: Call | undefined;
  /** Undici's way to give the request up, once it is on its connection. */
  #abort: ((error: Error) => void) | undefined;
  #status = 0;
  #headers: readonly string[] | undefined;

  constructor(owner: LaneOwner, options: UndiciOptions, connector: Connector) {
    this.#owner = owner;
    this.#options = options;
    this.#connector = connector;
    this.#client = new Client(options.origin, { ...options.client, connect: connector.open });
    this.#client.on("disconnect", (_origin, _targets, error) => this.#disconnected(error));
  }

  /**
   * The first request then finds the connection ready in undici: undici gets a request to connect for, and drops it unsent
   * when its handler throws at the start.
   */
  openAhead(opened: (success: boolean) => void): void {
    this.#client.dispatch(this.#options.request, {
      onRequestStart: () => {
        this.#use.openedAhead(monotonicSeconds());
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
    if (this.#use.isUntried) setImmediate(this.#dispatch);
    else this.#dispatch();
  }

  /** The lane is reported free when undici has let go of the request. */
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
    const reused = this.#use.started(monotonicSeconds());
    if (this.#call === undefined) abort(DEADLINE);
    else this.#owner.started(this.#call, reused);
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
    this.#use.answered(monotonicSeconds());
    const call = this.#release();
    this.#owner.free(this);
    if (call !== undefined) this.#owner.answered(call, this.#status, this.#headers);
  }

  onError(error: Error): void {
    const now = monotonicSeconds();
    const stale =
      this.#abort !== undefined && this.#status === 0 && this.#use.isStale(now, this.#connector.connectSeconds);
    this.#use.freed(now);
    const call = this.#release();
    // undici is still emptying this client's queue (it asserts as much): nothing may be dispatched on it before it has.
    queueMicrotask(() => this.#owner.free(this));
    if (call === undefined) return;
    const code = errorCodeOf(error);
    this.#owner.broke(call, code, faultOf(code, error.message), stale);
  }

  readonly #dispatch = (): void => {
    if (this.#call === undefined) {
      this.#owner.free(this);
      return;
    }
    const { maxRequests, request, lastRequest } = this.#options;
    this.#use.plan(maxRequests);
    const own = this.#use.isClosing ? lastRequest : request;
    const headers = this.#options.attemptHeaders.of(this.#call);
    this.#client.dispatch(headers === undefined ? own : withHeaders(own, headers), this);
  };

  #disconnected(error: Error): void {
    if (!this.#connector.abandoned && endedByPeer(error, this.#use.isEndAsked)) this.#owner.closedByPeer();
    this.#use.ended();
  }

  #release(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#abort = undefined;
    return call;
  }
}

function undiciOptions(spec: RealWorldSpec): UndiciOptions {
  const url = new URL(spec.url);
  const request: Dispatcher.DispatchOptions = {
    path: `${url.pathname}${url.search}`,
    method: spec.method,
    headers: requestHeaders(url, spec.headers),
    body: spec.body ?? null,
    // Undici would close the connection after each HEAD, and after each GET with a body.
    reset: false,
  };
  return {
    origin: url.origin,
    client: {
      pipelining: 1,
      headersTimeout: NO_TIMEOUT,
      bodyTimeout: NO_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      maxHeaderSize: HEAD_BYTES_MAX,
      maxResponseSize: spec.connections.maxResponseBytes,
    },
    request,
    // Not by undici's `maxRequestsPerClient`, which lets one request more pass than it says.
    lastRequest: { ...request, reset: true },
    maxRequests: spec.connections.maxRequests ?? Number.POSITIVE_INFINITY,
    attemptHeaders: new AttemptHeaders(spec.criticalityHeader),
    answerHeaders: answerHeaders(spec.answerHeaders),
  };
}

/** undici takes headers as a flat list, the cheapest form; a user and password in the URL become Basic authorization. */
function requestHeaders(url: URL, headers: RealWorldSpec["headers"]): string[] {
  const flat = headers.flat();
  const authorization = basicAuthorization(url);
  const named = headers.some(([name]) => name.toLowerCase() === "authorization");
  if (authorization !== undefined && !named) flat.push("authorization", authorization);
  return flat;
}

/** The request of one attempt. Headers are a flat list. */
function withHeaders(request: Dispatcher.DispatchOptions, headers: readonly string[]): Dispatcher.DispatchOptions {
  return { ...request, headers: [...(request.headers as string[]), ...headers] };
}

/** Thrown to undici instead of sending anything: its connection is open. */
const OPENED: Error = new Error("The connection is open");

/** A client that is being thrown away has nothing left to tell. */
function ignore(): void {}
