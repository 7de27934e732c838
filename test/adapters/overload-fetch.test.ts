/** What is particular to the fetch wrapper. */

import { fetch as undiciFetch } from "undici/index.js";
import { afterEach, describe, expect, test } from "vitest";
import { overloadFetch } from "../../src/adapters/overload-fetch.ts";
import type { OverloadControlEvent } from "../../src/index.ts";
import { httpsServer } from "../support/servers.ts";
import { type CountingServer, countingServer, refusing } from "./counting-server.ts";
import { ScriptedPolicy } from "./scripted-policy.ts";

const servers: CountingServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(answer: Parameters<typeof countingServer>[0]): Promise<CountingServer> {
  const server = await countingServer(answer);
  servers.push(server);
  return server;
}

describe("overloadFetch()", () => {
  test("gives the very answer of the fetch that it wraps, and hands the caller's own arguments down", async () => {
    const seen: unknown[] = [];
    const answer = new Response("answer");
    const input = new URL("http://a.test/x");
    const init = { headers: { a: "b" } };
    const guarded = overloadFetch(async (...args: [URL, { headers: object }?]) => {
      seen.push(...args);
      return answer;
    });
    expect(await guarded(input, init)).toBe(answer);
    expect(answer.bodyUsed).toBe(false);
    expect(seen[0]).toBe(input);
    expect(seen[1]).toBe(init);
  });

  test("is typed and works around undici's fetch as around this runtime's", async () => {
    const server = await serve(refusing(1));
    const guarded = overloadFetch(undiciFetch, { policy: "retry" });
    const answer = await guarded(server.url, { keepalive: false });
    expect([answer.status, await answer.text()]).toEqual([200, "done"]);
  });

  test("sends a Request without a body again, with its method, headers and signal", async () => {
    const server = await serve(refusing(1));
    const policy = new ScriptedPolicy({
      admit: (call) => {
        call.requestHeaders = ["x-attempt", String(call.attempt)];
        return "send";
      },
    });
    const guarded = overloadFetch(fetch, { policy: policy.factory, timeoutSeconds: 20 });
    const answer = await guarded(new Request(server.url, { method: "DELETE", headers: { "x-mine": "1" } }));
    expect(await answer.text()).toBe("done");
    expect(server.seen.map(({ method, headers }) => [method, headers["x-mine"], headers["x-attempt"]])).toEqual([
      ["DELETE", "1", "0"],
      ["DELETE", "1", "1"],
    ]);
    const aborted = new Request(server.url, { signal: AbortSignal.abort(new Error("left")) });
    await expect(guarded(aborted)).rejects.toThrow("left");
  });

  test("sends a Request with a body once, for that is a stream, and its text given to fetch as often as needed", async () => {
    const server = await serve(refusing(1_000));
    const events: OverloadControlEvent[] = [];
    const guarded = overloadFetch(fetch, { policy: "retry", onEvent: (event) => events.push(event) });
    const once = await guarded(new Request(server.url, { method: "PUT", body: "value" }));
    expect([once.status, await once.text(), server.seen.length]).toEqual([503, "too much", 1]);
    expect(events.find(({ type }) => type === "notResent")).toMatchObject({ obstacle: "body" });
    await (await guarded(server.url, { method: "PUT", body: "value" })).text();
    expect(server.seen.map(({ body }) => body)).toEqual(["value", "value", "value", "value"]);
  });

  test("leaves redirects to the fetch that it wraps, and sees the last answer only", async () => {
    const server = await serve((response, { path }) => {
      if (path === "/") response.writeHead(302, { location: "/there" }).end();
      else response.writeHead(200).end("there");
    });
    const policy = new ScriptedPolicy();
    const guarded = overloadFetch(fetch, { policy: policy.factory });
    const answer = await guarded(server.url);
    expect([answer.redirected, new URL(answer.url).pathname, await answer.text()]).toEqual([true, "/there", "there"]);
    expect(policy.log).toEqual(["admit 0", "settle 0 accepted 200 none"]);
    const manual = await guarded(server.url, { redirect: "manual" });
    expect([0, 302]).toContain(manual.status);
  });

  test("leaves an address that is none to fetch to refuse, without a retry", async () => {
    const policy = new ScriptedPolicy();
    const guarded = overloadFetch(fetch, { policy: policy.factory });
    await expect(guarded("not an address")).rejects.toBeInstanceOf(TypeError);
    expect(policy.count("admit")).toBe(1);
  });

  test("rejects, and never throws, also when a callback does", async () => {
    const guarded = overloadFetch(fetch, {
      keyOf: () => {
        throw new Error("a bug in keyOf");
      },
    });
    const promise = guarded("http://a.test/");
    await expect(promise).rejects.toThrow("a bug in keyOf");
    const thrower = overloadFetch(() => {
      throw new TypeError("thrown at once");
    });
    await expect(thrower("http://a.test/")).rejects.toThrow("thrown at once");
  });

  test("cuts off the body of an answer that comes after its attempt was given up", async () => {
    let cancelled = false;
    let answerLate: (response: Response) => void = () => {};
    const guarded = overloadFetch(
      () =>
        new Promise<Response>((resolve) => {
          answerLate = resolve;
        }),
      { policy: "none", timeoutSeconds: 0.02 },
    );
    await expect(guarded("http://a.test/")).rejects.toThrow("No answer within 0.02 s");
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    answerLate(new Response(body));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(cancelled).toBe(true);
  });

  test("a certificate that does not verify says nothing of the backend, so it opens no breaker", async () => {
    const server = await httpsServer((_request, response) => response.end());
    const faults: string[] = [];
    const outcomes: string[] = [];
    const onEvent = (event: OverloadControlEvent): void => {
      if (event.type === "attempt") faults.push(event.fault);
      if (event.type === "call") outcomes.push(event.outcome);
    };
    const options = { policy: "breaker-consecutive", failures: 2, onEvent };
    const untrusted = overloadFetch(fetch, options);
    for (let call = 0; call < 6; call++) await expect(untrusted(server.url)).rejects.toThrow();
    expect([faults, outcomes]).toEqual([Array(6).fill("client"), Array(6).fill("failed")]);
    await server.close();
    // The same breaker opens for a fault of the backend's.
    outcomes.length = 0;
    const broken = overloadFetch(() => Promise.reject(new Error("no idea")), options);
    for (let call = 0; call < 6; call++) await expect(broken(server.url)).rejects.toThrow();
    expect(outcomes).toEqual(["failed", "failed", "broken", "broken", "broken", "broken"]);
  });

  test("a bad header of the caller's rejects as with fetch, also after a wait, and holds no slot of a limiter", async () => {
    const server = await serve(refusing(0));
    for (const modifier of [{ attemptHeader: "x-a" }, { attemptHeader: "x-a", startJitter: 0.01 }]) {
      const guarded = overloadFetch(fetch, {
        policy: "aimd",
        initialLimit: 2,
        minLimit: 1,
        timeoutSeconds: 20,
        ...modifier,
      });
      for (let call = 0; call < 4; call++) {
        await expect(guarded(server.url, { headers: { "bad header": "x" } })).rejects.toBeInstanceOf(TypeError);
      }
      expect(await (await guarded(server.url)).text()).toBe("done");
    }
  });

  test("an answer that is no full Response is handed over, and none at all rejects", async () => {
    const { signal } = new AbortController();
    for (const options of [{}, { timeoutSeconds: 20 }, { policy: "retry", retryAfter: "retry", maxAttempts: 2 }]) {
      for (const status of [200, 503]) {
        const answer = { status, json: async () => ({}) };
        const bare = overloadFetch(async () => answer as unknown as Response, options);
        expect(await bare("http://a.test/", { signal })).toBe(answer);
      }
      const none = overloadFetch(async () => undefined as unknown as Response, options);
      await expect(none("http://a.test/", { signal })).rejects.toBeInstanceOf(TypeError);
    }
  });
});
