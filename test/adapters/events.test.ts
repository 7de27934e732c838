import { describe, expect, test } from "vitest";
import type { CounterMeter } from "../../src/index.ts";
import { fetchWrapper } from "./clients.ts";
import { countingServer } from "./counting-server.ts";

/** Counts as an OpenTelemetry meter would. */
class MemoryMeter implements CounterMeter {
  readonly counts: Map<string, number> = new Map();
  readonly units: Map<string, string | undefined> = new Map();

  createCounter(name: string, options?: { readonly description?: string; readonly unit?: string }) {
    this.units.set(name, options?.unit);
    expect(options?.description?.length).toBeGreaterThan(10);
    return {
      add: (value: number, attributes: Record<string, string> = {}) => {
        const { "overload_control.key": _key, ...others } = attributes;
        const entry = `${name} ${JSON.stringify(others)}`;
        this.counts.set(entry, (this.counts.get(entry) ?? 0) + value);
      },
    };
  }
}

describe("a meter", () => {
  test("counts attempts by class, calls by outcome and retries that were not made by obstacle", async () => {
    const server = await countingServer((response, { path }) => response.writeHead(path === "/ok" ? 200 : 503).end());
    const meter = new MemoryMeter();
    const client = fetchWrapper.make({ policy: "retry", maxAttempts: 2, meter });
    await client.send(`${server.url}ok`);
    await client.send(server.url);
    await client.send(server.url, { method: "PUT", body: new Blob(["a"]).stream(), ...{ duplex: "half" } });
    await server.close();
    expect(Object.fromEntries(meter.counts)).toEqual({
      'overload_control.attempts {"overload_control.class":"accepted"}': 1,
      'overload_control.attempts {"overload_control.class":"overloaded"}': 3,
      'overload_control.calls {"overload_control.outcome":"ok"}': 1,
      'overload_control.calls {"overload_control.outcome":"failed"}': 2,
      'overload_control.not_resent {"overload_control.obstacle":"body"}': 1,
    });
    expect(Object.fromEntries(meter.units)).toEqual({
      "overload_control.attempts": "{attempt}",
      "overload_control.calls": "{call}",
      "overload_control.not_resent": "{retry}",
    });
  });
});

describe("hooks that reject", () => {
  test("are ignored as those that throw are", async () => {
    const server = await countingServer((response) => response.end());
    let rejections = 0;
    const rejecting = (): PromiseLike<never> => {
      const promise = Promise.reject<never>(new Error("hook"));
      promise.catch(() => {}); // A runtime that reports it would end the tests: what counts is who listens.
      return {
        // biome-ignore lint/suspicious/noThenProperty: what any thenable has.
        then: (onFulfilled, onRejected) => {
          if (typeof onRejected === "function") rejections += 1;
          return promise.then(onFulfilled, onRejected);
        },
      };
    };
    const client = fetchWrapper.make({
      policy: "none",
      onEvent: rejecting as () => void,
      meter: { createCounter: () => ({ add: rejecting as () => void }) },
    });
    await client.send(server.url);
    await server.close();
    // An attempt and a call, each told and counted.
    expect(rejections).toBe(4);
  });
});
