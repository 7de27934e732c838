/** Calls sent by hand through an HTTP/2 transport, and what became of them. */

import { Call } from "../../src/engine/call.ts";
import type { AttemptSink, Scheduler } from "../../src/engine/ports.ts";
import type { ConnectionSpec, RealWorldSpec } from "../../src/engine/trial-spec.ts";
import type { Fault } from "../../src/policy/policy.ts";
import { H2Transport } from "../../src/world/real/http2/transport.ts";
import { PLAIN_CONNECTIONS } from "./trial-spec.ts";

export interface Ended {
  readonly status: number;
  readonly fault: Fault;
  readonly errorCode: string;
  /** The time until the call had a stream; negative when it never had one. */
  readonly waitSeconds: number;
}

export interface H2ClientOptions extends Partial<Omit<RealWorldSpec, "connections">> {
  readonly connections?: Partial<ConnectionSpec>;
}

export class H2Client implements AttemptSink {
  readonly transport: H2Transport;
  readonly #ended: Map<Call, (ended: Ended) => void> = new Map();

  constructor(url: string, { connections, ...world }: H2ClientOptions = {}) {
    this.transport = new H2Transport(
      {
        kind: "real",
        url,
        method: "GET",
        headers: [],
        body: undefined,
        pacing: "timer",
        sentinelUrl: undefined,
        ...world,
        connections: {
          ...PLAIN_CONNECTIONS,
          http2: true,
          tls: { ...PLAIN_CONNECTIONS.tls, insecure: true },
          ...connections,
        },
      },
      SCHEDULER,
      this,
    );
  }

  /** Sends an attempt. */
  send(call: Call = new Call()): { readonly call: Call; readonly ended: Promise<Ended> } {
    const ended = new Promise<Ended>((resolve) => this.#ended.set(call, resolve));
    Object.assign(call, {
      handedSeconds: SCHEDULER.now(),
      startedSeconds: -1,
      status: 0,
      fault: "none",
      errorCode: "",
    });
    this.transport.send(call);
    return { call, ended };
  }

  /** Sends an attempt, again when it met a stale connection, as the engine does. */
  async get(): Promise<Ended> {
    const { call, ended } = this.send();
    const first = await ended;
    if (first.fault !== "stale") return first;
    call.resent = true;
    return await this.send(call).ended;
  }

  /** Sends `count` attempts at once. */
  async many(count: number): Promise<Ended[]> {
    return await Promise.all(Array.from({ length: count }, () => this.send().ended));
  }

  attemptEnded(call: Call): void {
    const { status, fault, errorCode, startedSeconds, handedSeconds } = call;
    const resolve = this.#ended.get(call);
    this.#ended.delete(call);
    if (resolve === undefined) throw new Error("An attempt ended that was not under way");
    resolve({ status, fault, errorCode, waitSeconds: startedSeconds - handedSeconds });
  }
}

const SCHEDULER: Scheduler = { now: () => performance.now() / 1000, at() {} };
