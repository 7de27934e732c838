/** A thread of the generator that fails while the others go on. */

import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import type * as WorkerExecutor from "../../src/world/worker-executor.ts";
import { httpServer, type TestServer } from "../support/servers.ts";
import { PLAIN_CONNECTIONS, trialSpec } from "../support/trial-spec.ts";

/** A thread on Node takes what `tsc` has put into `dist`, as the program does; Bun and Deno take the source. */
const SOURCE = "Bun" in globalThis || "Deno" in globalThis;
const { startTrial } = (await import(
  new URL(SOURCE ? "../../src/world/worker-executor.ts" : "../../dist/src/world/worker-executor.js", import.meta.url)
    .href
)) as typeof WorkerExecutor;

const { postMessage } = Worker.prototype;
let server: TestServer | undefined;

afterEach(async () => {
  Worker.prototype.postMessage = postMessage;
  await server?.close();
});

/** The word to start reaches one worker as something that it cannot read: that one fails, alone. */
function spoilOneStart(): void {
  let spoilt = false;
  Worker.prototype.postMessage = function (this: Worker, value: unknown): void {
    const isStart = typeof value === "object" && value !== null && "startMs" in value;
    postMessage.call(this, isStart && !spoilt ? null : value);
    spoilt ||= isStart;
  };
}

describe("startTrial()", () => {
  it("fails, and ends the load of the others, when one worker of three fails", async () => {
    let requests = 0;
    server = await httpServer((_request, response) => {
      requests += 1;
      response.end();
    });
    const { world, ...spec } = trialSpec({
      plan: {
        seed: 7,
        arrival: { law: "constant", rate: { kind: "constant", rps: 100 } },
        warmupSeconds: 0,
        durationSeconds: 60,
        users: 9,
      },
      workers: 3,
    });
    spoilOneStart();
    const running = startTrial(
      {
        ...spec,
        world: {
          kind: "real",
          url: server.url,
          method: "GET",
          headers: [],
          body: undefined,
          pacing: "timer",
          sentinelUrl: undefined,
          connections: PLAIN_CONNECTIONS,
        },
      },
      () => {},
      async () => {},
    );
    await expect(running.result).rejects.toMatchObject({ name: "TypeError" });
    // Ended at once, in the middle of whatever they did: what was under way then arrives, and nothing after.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const sent = requests;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(requests).toBe(sent);
  });
});
