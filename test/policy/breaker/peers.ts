/** The breakers of two libraries behind one interface, on vitest's fake timers. */

import { type CircuitBreakerPolicy, CircuitState, circuitBreaker, handleAll, type IBreaker } from "cockatiel";
import OpossumBreaker from "opossum";
import { vi } from "vitest";
import type { Arrival, Verdicts } from "./scenario.ts";

/** Far from 0, which cockatiel takes for the start of a slice that never was. */
const EPOCH_MS = 1_750_000_000_000;

/** A breaker of a library. */
export interface Peer {
  /** Whether it would refuse a call now. */
  refuses(): boolean;
  /** Runs the call, or refuses it; never rejects. */
  run(call: () => Promise<void>): Promise<void>;
  stop(): void;
}

/** `changed` is called with "open" and "closed". */
export type MakePeer = (changed: (state: string) => void) => Peer;

export function opossum(options: OpossumBreaker.Options): MakePeer {
  return (changed) => {
    const breaker = new OpossumBreaker((call: () => Promise<void>) => call(), {
      timeout: false,
      enableSnapshots: false,
      rollingPercentilesEnabled: false,
      ...options,
    });
    breaker.on("open", () => changed("open"));
    breaker.on("close", () => changed("closed"));
    return {
      // It has to be asked in any case: it counts what it refuses.
      refuses: () => false,
      run: (call) => breaker.fire(call).then(ignore, ignore),
      stop: () => breaker.shutdown(),
    };
  };
}

/** @param awaiting calls that come while the probe is out wait for its verdict, as the library has it; else refused. */
export function cockatiel(makeBreaker: () => IBreaker, halfOpenAfterMs: number, awaiting = false): MakePeer {
  return (changed) => {
    const policy: CircuitBreakerPolicy = circuitBreaker(handleAll, {
      halfOpenAfter: halfOpenAfterMs,
      breaker: makeBreaker(),
    });
    policy.onBreak(() => changed("open"));
    policy.onReset(() => changed("closed"));
    return {
      refuses: () => !awaiting && policy.state === CircuitState.HalfOpen,
      run: (call) => policy.execute(call).then(ignore, ignore),
      stop: ignore,
    };
  };
}

/** What a peer makes of the arrivals; `sentLater` are calls that it kept waiting first. */
export async function throughPeer(
  arrivals: readonly Arrival[],
  makePeer: MakePeer,
): Promise<Verdicts & { readonly sentLater: number }> {
  vi.useFakeTimers({ now: EPOCH_MS, toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  try {
    const seconds = () => (Date.now() - EPOCH_MS) / 1000;
    const sent: boolean[] = [];
    let ran = 0;
    const changes: string[] = [];
    const peer = makePeer((state) => changes.push(`${state} ${seconds()}`));
    for (const { atSeconds, tookSeconds, failed } of arrivals) {
      await vi.advanceTimersByTimeAsync((atSeconds - seconds()) * 1000);
      let wasSent = false;
      const call = () => {
        wasSent = true;
        ran++;
        return new Promise<void>((resolve, reject) => {
          setTimeout(() => (failed ? reject(new Error("the backend failed")) : resolve()), tookSeconds * 1000);
        });
      };
      if (!peer.refuses()) void peer.run(call);
      sent.push(wasSent);
    }
    await vi.advanceTimersByTimeAsync(120_000);
    peer.stop();
    return { sent, changes, sentLater: ran - sent.filter(Boolean).length };
  } finally {
    vi.useRealTimers();
  }
}

function ignore(): void {}
