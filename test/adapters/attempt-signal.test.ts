import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { overloadFetch } from "../../src/adapters/overload-fetch.ts";
import { countingServer, refusing } from "./counting-server.ts";

/** Bun and Deno do not tell the listeners of an event target. */
const canTell = !("Bun" in globalThis) && !("Deno" in globalThis);

describe("a signal that outlives its calls", () => {
  test.runIf(canTell)("has no listener left after answers without a body, refusals and faults", async () => {
    const server = await countingServer((response, { path }) => response.writeHead(path === "/" ? 204 : 503).end());
    const { signal } = new AbortController();
    const guarded = overloadFetch(fetch, { policy: "retry", timeoutSeconds: 5 });
    for (let call = 0; call < 5; call++) {
      await guarded(server.url, { method: "HEAD", signal });
      await guarded(`${server.url}503`, { method: "HEAD", signal });
      await guarded("http://127.0.0.1:1/", { signal }).catch(() => {});
    }
    expect(ownListeners(signal)).toBe(0);
    await server.close();
  });

  test("aborts what it started and nothing else, though it served many calls", async () => {
    const server = await countingServer(refusing(0));
    const controller = new AbortController();
    const guarded = overloadFetch(fetch, { policy: "none", timeoutSeconds: 5 });
    const replies: Response[] = [];
    for (let call = 0; call < 50; call++) replies.push(await guarded(server.url, { signal: controller.signal }));
    expect(await Promise.all(replies.map((reply) => reply.text()))).toEqual(Array.from({ length: 50 }, () => "done"));
    controller.abort(new Error("closing down"));
    await expect(guarded(server.url, { signal: controller.signal })).rejects.toThrow("closing down");
    expect((await guarded(server.url)).status).toBe(200);
    await server.close();
  });
});

/** Those of this runtime's fetch go when its requests are collected. */
function ownListeners(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").filter((listener) => !String(listener).includes("acRef")).length;
}
