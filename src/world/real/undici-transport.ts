/**
 * The transport over undici's `dispatch`, its cheapest request path. The import is `undici/index.js`, because Bun puts a
 * stub without `dispatch` in the place of plain `undici`.
 */

import type { Client, Dispatcher } from "undici/index.js";
import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import type { RealWorldSpec } from "../../engine/trial-spec.ts";
import type { Reason, TrialResult } from "../../result/schema.ts";
import type { AddressSources } from "./addresses.ts";
import { answerHeaders } from "./answer-headers.ts";
import { AttemptHeaders } from "./attempt-headers.ts";
import { connectionRemarks } from "./connection-remarks.ts";
import { ConnectionFactory } from "./connector.ts";
import { errorCodeOf, faultOf } from "./faults.ts";
import { Lane, type LaneOptions, type LaneOwner } from "./lane.ts";
import { openAhead, PREPARE_SECONDS } from "./open-ahead.ts";
import { lackOfFiles } from "./out-of-files.ts";
import { basicAuthorization, isIdempotent } from "./request-facts.ts";

/** Broken connections are reset before undici's own clocks matter: the engine's deadline is the only time-out. */
const NO_TIMEOUT = 0;
/** Idle connections are kept as long as the target keeps them. It may say how long: then we end them a little before. */
const KEEP_ALIVE_MS = 3_600_000;
const KEEP_ALIVE_MARGIN_MS = 500;
/** The limit that Node sets, made the same on all runtimes. */
const HEADER_BYTES_MAX = 16_384;

export class UndiciTransport implements Transport, LaneOwner {
  readonly #sink: AttemptSink;
  readonly #scheduler: Scheduler;
  readonly #idempotent: boolean;
  readonly #preopen: number;
  #notOpened = 0;
  readonly #factory: ConnectionFactory;
  readonly #laneOptions: LaneOptions;
  readonly #free: Lane[] = [];
  readonly #lanes: Set<Lane> = new Set();

  /** @throws RangeError when the TLS options hold no certificate or key where there should be one. */
  constructor(spec: RealWorldSpec, scheduler: Scheduler, sink: AttemptSink, sources: AddressSources = {}) {
    const url = new URL(spec.url);
    this.#sink = sink;
    this.#scheduler = scheduler;
    this.#idempotent = isIdempotent(spec.method);
    this.#preopen = spec.connections.preopen;
    this.#factory = new ConnectionFactory(url, spec.connections, sources);
    this.#laneOptions = laneOptions(url, spec);
  }

  /** What became of connections so far. */
  get connections(): NonNullable<TrialResult["connections"]> {
    return this.#factory.counters.toResult(this.#factory.addresses.opened);
  }

  /** What the trial's readers should know about its connections, beside their counts. */
  get remarks(): readonly Reason[] {
    const { addresses, counters } = this.#factory;
    return connectionRemarks(addresses.renewalsFailed, this.#notOpened, counters.lackedFiles);
  }

  /**
   * Looks the target's name up and opens the connections that are to stand ready, TLS and all. Nothing is sent on them.
   * What fails is counted; what takes longer than 5 s is given up.
   */
  async prepare(stopRequested: () => boolean = () => false, boundSeconds: number = PREPARE_SECONDS): Promise<void> {
    const { counters, addresses } = this.#factory;
    await addresses.knownWithin(boundSeconds);
    const open = (ended: () => void): (() => void) => {
      const lane = this.#newLane();
      lane.openAhead((success) => {
        if (success) {
          counters.preopened += 1;
          this.#free.push(lane);
        } else this.#discard(lane);
        ended();
      });
      return () => lane.cancel();
    };
    await openAhead({ count: this.#preopen, open, boundSeconds, stopRequested });
    if (!stopRequested()) this.#notOpened = this.#preopen - this.#factory.counters.preopened;
  }

  send(call: Call): void {
    // What met a stale connection goes on a new one: another that was kept alive may have been closed too.
    if (call.resent) this.#retireLongestIdle();
    const lane = (call.resent ? undefined : this.#free.pop()) ?? this.#newLane();
    call.lane = lane;
    lane.dispatch(call);
  }

  cancel(call: Call): void {
    const lane = call.lane as Lane;
    call.lane = undefined;
    lane.cancel();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes].map((lane) => lane.close()));
  }

  started(call: Call, reused: boolean): void {
    if (reused) this.#factory.counters.reused += 1;
    call.startedSeconds = this.#scheduler.now();
  }

  answered(call: Call, status: number, headers: readonly string[] | undefined): void {
    call.status = status;
    call.answerHeaders = headers;
    this.#end(call);
  }

  broke(call: Call, error: Error, stale: boolean): void {
    call.errorCode = errorCodeOf(error);
    call.fault = faultOf(call.errorCode, error.message);
    // One resend only, and only of what may be sent twice (RFC 9110, 9.2.2); else the break counts against the target. An
    // answer that is no HTTP, however soon it comes, shows that the peer had not closed the connection.
    if (stale && call.fault === "reset" && !call.resent && this.#idempotent) {
      call.fault = "stale";
      this.#factory.counters.stale += 1;
    } else this.#blameFiles(call);
    this.#end(call);
  }

  #newLane(): Lane {
    const lane = new Lane(this, this.#laneOptions, this.#factory.connector());
    this.#lanes.add(lane);
    return lane;
  }

  /** Makes room for a new lane, so that their number stays that of the requests under way, however many go stale. */
  #retireLongestIdle(): void {
    const lane = this.#free.shift();
    if (lane !== undefined) this.#discard(lane);
  }

  #discard(lane: Lane): void {
    this.#lanes.delete(lane);
    void lane.close();
  }

  #blameFiles(call: Call): void {
    const lack = lackOfFiles(call.errorCode);
    if (lack === undefined) return;
    call.errorCode = lack;
    call.fault = "client";
  }

  free(lane: Lane): void {
    this.#free.push(lane);
  }

  closedByPeer(): void {
    this.#factory.counters.closedByPeer += 1;
  }

  #end(call: Call): void {
    call.lane = undefined;
    this.#sink.attemptEnded(call);
  }
}

function laneOptions(url: URL, spec: RealWorldSpec): LaneOptions {
  const request: Dispatcher.DispatchOptions = {
    path: `${url.pathname}${url.search}`,
    method: spec.method,
    headers: requestHeaders(url, spec.headers),
    body: spec.body ?? null,
    // Undici would close the connection after each HEAD, and after each GET with a body.
    reset: false,
  };
  const client: Client.Options = {
    pipelining: 1,
    headersTimeout: NO_TIMEOUT,
    bodyTimeout: NO_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    maxResponseSize: spec.connections.maxResponseBytes,
  };
  return {
    origin: url.origin,
    client,
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
