/**
 * The transport over HTTP/1.1: a free list of lanes, each one connection, driven by the wire client or by undici. What is
 * known of connections (their counts, which may be stale, which are opened ahead) is the same for both.
 */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import type { RealWorldSpec, TransportName } from "../../engine/trial-spec.ts";
import type { Fault } from "../../policy/policy.ts";
import type { Reason, TrialResult } from "../../result/schema.ts";
import type { AddressSources } from "./addresses.ts";
import { connectionRemarks } from "./connection-remarks.ts";
import { ConnectionFactory } from "./connector.ts";
import { DEFAULT_TRANSPORT } from "./default-transport.ts";
import type { Lane, LaneMaker, LaneOwner } from "./lane.ts";
import { openAhead, PREPARE_SECONDS } from "./open-ahead.ts";
import { lackOfFiles } from "./out-of-files.ts";
import { isIdempotent } from "./request-facts.ts";
import { undiciLanes } from "./undici-lane.ts";
import { wireLanes } from "./wire/wire-lane.ts";

export class Http1Transport implements Transport, LaneOwner {
  readonly name: TransportName;
  readonly #sink: AttemptSink;
  readonly #scheduler: Scheduler;
  readonly #idempotent: boolean;
  readonly #preopen: number;
  #notOpened = 0;
  readonly #factory: ConnectionFactory;
  readonly #makeLane: LaneMaker;
  readonly #free: Lane[] = [];
  readonly #lanes: Set<Lane> = new Set();

  /** @throws RangeError when the TLS options hold no certificate or key where there should be one, or a header is none. */
  constructor(spec: RealWorldSpec, scheduler: Scheduler, sink: AttemptSink, sources: AddressSources = {}) {
    this.name = spec.transport ?? DEFAULT_TRANSPORT;
    this.#sink = sink;
    this.#scheduler = scheduler;
    this.#idempotent = isIdempotent(spec.method);
    this.#preopen = spec.connections.preopen;
    this.#factory = new ConnectionFactory(new URL(spec.url), spec.connections, sources);
    this.#makeLane = this.name === "wire" ? wireLanes(spec, this.#factory) : undiciLanes(spec, this.#factory);
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

  broke(call: Call, errorCode: string, fault: Fault, stale: boolean): void {
    call.errorCode = errorCode;
    call.fault = fault;
    // One resend only, and only of what may be sent twice (RFC 9110, 9.2.2); else the break counts against the target. An
    // answer that is no HTTP, however soon it comes, shows that the peer had not closed the connection.
    if (stale && fault === "reset" && !call.resent && this.#idempotent) {
      call.fault = "stale";
      this.#factory.counters.stale += 1;
    } else this.#blameFiles(call);
    this.#end(call);
  }

  free(lane: Lane): void {
    this.#free.push(lane);
  }

  closedByPeer(): void {
    this.#factory.counters.closedByPeer += 1;
  }

  #newLane(): Lane {
    const lane = this.#makeLane(this);
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

  #end(call: Call): void {
    call.lane = undefined;
    this.#sink.attemptEnded(call);
  }
}
