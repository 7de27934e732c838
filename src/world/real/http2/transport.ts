/**
 * The transport over HTTP/2: several connections, each with many streams at once. A call goes on the connection whose turn
 * it is among those with room; when none has any it waits, and as many connections are opened as the waiting calls need.
 */

import type { Call } from "../../../engine/call.ts";
import type { AttemptSink, Scheduler, Transport } from "../../../engine/ports.ts";
import type { RealWorldSpec } from "../../../engine/trial-spec.ts";
import type { Fault } from "../../../policy/policy.ts";
import type { Reason, TrialResult } from "../../../result/schema.ts";
import type { AddressSources } from "../addresses.ts";
import { connectionRemarks } from "../connection-remarks.ts";
import { ConnectionFactory } from "../connector.ts";
import { openAhead, PREPARE_SECONDS } from "../open-ahead.ts";
import { lackOfFiles } from "../out-of-files.ts";
import { isIdempotent } from "../request-facts.ts";
import { type H2Break, H2Connection, type H2Limits, type H2Owner, STREAMS_MAX } from "./connection.ts";
import { type H2Request, h2Request } from "./request.ts";
import { H2Stream } from "./stream.ts";

/**
 * A connection outlives the calls that it was opened for, so that a slow handshake does not fail for ever; but not without
 * bound (gRPC's MIN_CONNECT_TIMEOUT).
 */
const OPENING_SECONDS_MAX = 20;

export class H2Transport implements Transport, H2Owner {
  readonly name = "http2";
  readonly #sink: AttemptSink;
  readonly #scheduler: Scheduler;
  readonly #idempotent: boolean;
  readonly #preopen: number;
  #notOpened = 0;
  readonly #request: H2Request;
  readonly #limits: H2Limits;
  readonly #factory: ConnectionFactory;
  /** Those with room, the next one to be used first. Some may have lost their room meanwhile. */
  readonly #roomy: H2Connection[] = [];
  readonly #opening: Set<H2Connection> = new Set();
  readonly #open: Set<H2Connection> = new Set();
  /** Calls without a stream, in order. */
  readonly #waiting: Set<Call> = new Set();
  readonly #openedAhead: Map<H2Connection, (success: boolean) => void> = new Map();
  /** Streams that a new connection is thought to allow: what the last one did. */
  #streamsEach = STREAMS_MAX;
  #closed = false;

  /** @throws RangeError when the TLS options hold no certificate or key where there should be one. */
  constructor(spec: RealWorldSpec, scheduler: Scheduler, sink: AttemptSink, sources: AddressSources = {}) {
    this.#sink = sink;
    this.#scheduler = scheduler;
    this.#idempotent = isIdempotent(spec.method);
    this.#preopen = spec.connections.preopen;
    this.#request = h2Request(spec);
    this.#limits = spec.connections;
    this.#factory = new ConnectionFactory(new URL(spec.url), spec.connections, sources);
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
   * Looks the target's name up and opens the connections that are to stand ready, to the point at which requests can be
   * sent. What fails is counted; what takes longer than 5 s is given up.
   */
  async prepare(stopRequested: () => boolean = () => false, boundSeconds: number = PREPARE_SECONDS): Promise<void> {
    await this.#factory.addresses.knownWithin(boundSeconds);
    const open = (ended: () => void): (() => void) => {
      const connection = this.#newConnection();
      this.#openedAhead.set(connection, (success) => {
        if (success) this.#factory.counters.preopened += 1;
        ended();
      });
      return () => connection.giveUp();
    };
    await openAhead({ count: this.#preopen, open, boundSeconds, stopRequested });
    if (!stopRequested()) this.#notOpened = this.#preopen - this.#factory.counters.preopened;
  }

  send(call: Call): void {
    // What met a closed connection waits for one that has just shown life: others may have been closed too.
    const connection = call.resent ? undefined : this.#next();
    if (connection !== undefined) {
      this.#start(connection, call);
      return;
    }
    this.#waiting.add(call);
    this.#openMore();
  }

  cancel(call: Call): void {
    const { lane } = call;
    call.lane = undefined;
    if (lane instanceof H2Stream) {
      lane.carrier.cancel(lane);
      return;
    }
    this.#waiting.delete(call);
    for (const connection of this.#opening) if (connection.ageSeconds > OPENING_SECONDS_MAX) connection.giveUp();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    await Promise.all([...this.#opening, ...this.#open].map((connection) => connection.destroy()));
  }

  opened(connection: H2Connection): void {
    this.#opening.delete(connection);
    this.#open.add(connection);
    this.#streamsEach = connection.limit;
    this.#openedAhead.get(connection)?.(true);
    this.#openedAhead.delete(connection);
    this.roomy(connection);
    this.#openMore();
  }

  failed(connection: H2Connection, code: string, fault: Fault): void {
    this.#opening.delete(connection);
    const ahead = this.#openedAhead.get(connection);
    this.#openedAhead.delete(connection);
    ahead?.(false);
    const lack = lackOfFiles(code);
    // The calls that it was opened for: one opened ahead was for none.
    const calls = ahead === undefined ? [...this.#waiting].slice(0, Math.max(1, this.#streamsEach)) : [];
    for (const call of calls) this.#waiting.delete(call);
    for (const call of calls) this.#end(call, lack ?? code, lack === undefined ? fault : "client");
    this.#openMore();
  }

  roomy(connection: H2Connection): void {
    for (const call of this.#waiting) {
      if (!connection.hasRoom) return;
      this.#waiting.delete(call);
      this.#start(connection, call);
    }
    this.#list(connection);
  }

  answered(call: Call, status: number, headers: readonly string[] | undefined): void {
    call.status = status;
    call.answerHeaders = headers;
    this.#end(call, "", "none");
  }

  broke(call: Call, code: string, why: H2Break): void {
    // One resend only. What the peer began with may be sent twice only where that does no harm (RFC 9110, 9.2.2).
    switch (why) {
      case "unprocessed":
        this.#end(call, code, call.resent ? "refused" : this.#stale());
        return;
      case "stale":
        this.#end(call, code, call.resent || !this.#idempotent ? "reset" : this.#stale());
        return;
      default:
        this.#end(call, code, why);
    }
  }

  closed(connection: H2Connection): void {
    this.#open.delete(connection);
    if (connection.closedByPeer) this.#factory.counters.closedByPeer += 1;
    this.#openMore();
  }

  #next(): H2Connection | undefined {
    for (;;) {
      const connection = this.#roomy.shift();
      if (connection === undefined) return undefined;
      connection.listed = false;
      if (connection.hasRoom) return connection;
    }
  }

  #list(connection: H2Connection): void {
    if (connection.listed || !connection.hasRoom) return;
    connection.listed = true;
    this.#roomy.push(connection);
  }

  #start(connection: H2Connection, call: Call): void {
    if (connection.used) this.#factory.counters.reused += 1;
    call.startedSeconds = this.#scheduler.now();
    connection.start(call);
    this.#list(connection);
  }

  #openMore(): void {
    // A target that allows no streams for now is not asked for more connections.
    if (this.#closed || (this.#streamsEach === 0 && this.#open.size > 0)) return;
    const each = Math.max(1, this.#streamsEach);
    while (this.#waiting.size > this.#opening.size * each) this.#newConnection();
  }

  #newConnection(): H2Connection {
    const connection = new H2Connection(this, this.#request, this.#limits, this.#factory.connector());
    this.#opening.add(connection);
    return connection;
  }

  #stale(): Fault {
    this.#factory.counters.stale += 1;
    return "stale";
  }

  #end(call: Call, code: string, fault: Fault): void {
    call.lane = undefined;
    call.errorCode = code;
    call.fault = fault;
    this.#sink.attemptEnded(call);
  }
}
