/**
 * The transport over undici's `dispatch`, its cheapest request path. The import is `undici/index.js`, because Bun puts a
 * stub without `dispatch` in the place of plain `undici`.
 */

import type { Client, Dispatcher } from "undici/index.js";
import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import type { RealWorldSpec } from "../../engine/trial-spec.ts";
import type { TrialResult } from "../../result/schema.ts";
import { type Connector, connectorFor } from "./connector.ts";
import { errorCodeOf, faultOf } from "./faults.ts";
import { Lane, type LaneOwner } from "./lane.ts";
import { outOfFiles } from "./out-of-files.ts";

/** Broken connections are reset before undici's own clocks matter: the engine's deadline is the only time-out. */
const NO_TIMEOUT = 0;

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

export class UndiciTransport implements Transport, LaneOwner {
  readonly #sink: AttemptSink;
  readonly #scheduler: Scheduler;
  readonly #origin: string;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #idempotent: boolean;
  readonly #connectorOf: () => Connector;
  readonly #clientOptions: Client.Options;
  readonly #free: Lane[] = [];
  readonly #lanes: Set<Lane> = new Set();
  #peak = 0;
  #opened = 0;
  #stale = 0;

  constructor(spec: RealWorldSpec, scheduler: Scheduler, sink: AttemptSink) {
    const url = new URL(spec.url);
    this.#sink = sink;
    this.#scheduler = scheduler;
    this.#origin = url.origin;
    this.#idempotent = IDEMPOTENT.has(spec.method);
    this.#request = {
      path: `${url.pathname}${url.search}`,
      method: spec.method,
      headers: requestHeaders(url, spec.headers),
      body: spec.body ?? null,
    };
    this.#connectorOf = connectorFor(url, spec.connections.tls.insecure);
    this.#clientOptions = {
      pipelining: 1,
      headersTimeout: NO_TIMEOUT,
      bodyTimeout: NO_TIMEOUT,
    };
  }

  /** Connections opened so far, the most lanes there were at once, and stale connections met. */
  get connections(): NonNullable<TrialResult["connections"]> {
    return {
      wanted: this.#opened,
      opened: this.#opened,
      failed: 0,
      preopened: 0,
      reused: 0,
      closedByPeer: 0,
      peak: this.#peak,
      stale: this.#stale,
      addresses: {},
    };
  }

  send(call: Call): void {
    // What met a stale connection goes on a new one: another that was kept alive may have been closed too.
    if (call.resent) this.#retireLongestIdle();
    const lane = (call.resent ? undefined : this.#free.pop()) ?? this.#addLane();
    call.lane = lane;
    lane.dispatch(call, this.#request);
  }

  cancel(call: Call): void {
    const lane = call.lane as Lane;
    call.lane = undefined;
    lane.cancel();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes].map((lane) => lane.close()));
  }

  started(call: Call): void {
    call.startedSeconds = this.#scheduler.now();
  }

  answered(call: Call, status: number): void {
    call.status = status;
    this.#end(call);
  }

  broke(call: Call, error: Error, stale: boolean): void {
    call.errorCode = errorCodeOf(error);
    // One resend only, and only of what may be sent twice (RFC 9110, 9.2.2); else the break counts against the target.
    if (stale && !call.resent && this.#idempotent) {
      call.fault = "stale";
      this.#stale += 1;
    } else {
      call.fault = faultOf(call.errorCode, error.message);
      if (call.fault === "refused") this.#blameFiles(call);
    }
    this.#end(call);
  }

  #addLane(): Lane {
    const lane = new Lane(this, this.#origin, this.#clientOptions, this.#connectorOf());
    this.#lanes.add(lane);
    this.#peak = Math.max(this.#peak, this.#lanes.size);
    return lane;
  }

  /** Makes room for a new lane, so that their number stays that of the requests under way, however many go stale. */
  #retireLongestIdle(): void {
    const lane = this.#free.shift();
    if (lane === undefined) return;
    this.#lanes.delete(lane);
    void lane.close();
  }

  #blameFiles(call: Call): void {
    const lack = outOfFiles();
    if (lack === undefined) return;
    call.errorCode = lack;
    call.fault = "client";
  }

  free(lane: Lane): void {
    this.#free.push(lane);
  }

  connected(): void {
    this.#opened += 1;
  }

  #end(call: Call): void {
    call.lane = undefined;
    this.#sink.attemptEnded(call);
  }
}

/** undici takes headers as a flat list, the cheapest form; a user and password in the URL become Basic authorization. */
function requestHeaders(url: URL, headers: RealWorldSpec["headers"]): string[] {
  const flat = headers.flat();
  const named = headers.some(([name]) => name.toLowerCase() === "authorization");
  if (url.username !== "" && !named) {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    flat.push("authorization", `Basic ${Buffer.from(user).toString("base64")}`);
  }
  return flat;
}
