/** Sends attempts over a transport of its own, one by one, and tells how each ended. */

import { Call } from "../../src/engine/call.ts";
import type { AttemptSink, Scheduler } from "../../src/engine/ports.ts";
import type { ConnectionSpec, RealWorldSpec } from "../../src/engine/trial-spec.ts";
import type { Fault } from "../../src/policy/policy.ts";
import type { AddressSources } from "../../src/world/real/addresses.ts";
import { Http1Transport } from "../../src/world/real/http1-transport.ts";
import { monotonicSeconds } from "../../src/world/real/monotonic.ts";
import { TRANSPORT } from "./transports.ts";
import { PLAIN_CONNECTIONS } from "./trial-spec.ts";

export interface Ended {
  readonly status: number;
  readonly fault: Fault;
  readonly errorCode: string;
}

export interface ProbeOptions {
  readonly connections?: Partial<ConnectionSpec>;
  readonly world?: Partial<RealWorldSpec>;
  readonly sources?: AddressSources;
}

export class Probe implements AttemptSink {
  readonly transport: Http1Transport;
  readonly #waiting: Map<Call, (ended: Ended) => void> = new Map();

  constructor(url: string, { connections, world, sources }: ProbeOptions = {}) {
    const scheduler: Scheduler = { now: monotonicSeconds, at: () => {} };
    const spec: RealWorldSpec = {
      kind: "real",
      url,
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "timer",
      transport: TRANSPORT,
      sentinelUrl: undefined,
      connections: { ...PLAIN_CONNECTIONS, ...connections },
      ...world,
    };
    this.transport = new Http1Transport(spec, scheduler, this, sources);
  }

  get connections(): Http1Transport["connections"] {
    return this.transport.connections;
  }

  /** Connections that were neither opened nor failed: given up, or being opened now. */
  get givenUp(): number {
    const { wanted, opened, failed } = this.connections;
    return wanted - opened - failed;
  }

  /** One attempt with a deadline, as the engine makes them. */
  async attempt(timeoutMs = 5000): Promise<Ended> {
    const call = new Call();
    return await new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(call);
        this.transport.cancel(call);
        resolve({ status: 0, fault: "timeout", errorCode: "timeout" });
      }, timeoutMs);
      this.#waiting.set(call, (ended) => {
        clearTimeout(timer);
        resolve(ended);
      });
      this.transport.send(call);
    });
  }

  /** Attempts one after the other, each with a pause behind it, so that its connection is free for the next. */
  async attempts(count: number, timeoutMs = 5000): Promise<Ended[]> {
    const all: Ended[] = [];
    for (let made = 0; made < count; made += 1) {
      all.push(await this.attempt(timeoutMs));
      await pause(5);
    }
    return all;
  }

  attemptEnded(call: Call): void {
    const { status, fault, errorCode } = call;
    const tell = this.#waiting.get(call);
    if (tell === undefined) throw new Error("an attempt ended twice, or after it was cancelled");
    this.#waiting.delete(call);
    tell({ status, fault, errorCode });
  }

  async close(): Promise<void> {
    await this.transport.close();
  }
}

export const OK: Ended = { status: 200, fault: "none", errorCode: "" };

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
