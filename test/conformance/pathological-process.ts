/** The pathological server in a process of its own. */

import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandOn } from "../bench/executables.ts";
import { startServer } from "../bench/server-process.ts";
import type { PathologicalServer } from "./pathological-server.ts";
import type { PathologyName } from "./pathologies.ts";
import type { Truth } from "./truth.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const MAIN = fileURLToPath(new URL(`./pathological-main.${EXTENSION}`, import.meta.url));
/** How long the ends of connections may take to be seen once the client's process is gone. */
const SETTLE_MS = 1000;
const SETTLE_POLL_MS = 20;

export interface PathologicalProcess extends PathologicalServer {
  /** Stops it as SIGSTOP does, for a time. @returns how long it stood, in seconds. */
  stall(seconds: number): Promise<number>;
  /** The truth once all connections are closed, or after a second. */
  settled(): Promise<Truth>;
}

/** On Deno where that is there: it runs the source as it is, and asks the kernel for the backlog that it is told. */
export async function startPathologicalProcess(name: PathologyName, seed?: number): Promise<PathologicalProcess> {
  const given = seed === undefined ? [name] : [name, String(seed)];
  const server = await startServer([...commandOn("deno", MAIN), ...given]);
  const pid = Number(await server.ask("pid"));
  const truth = async (): Promise<Truth> => JSON.parse(await server.ask("truth"));
  return {
    port: server.port,
    url: `http://127.0.0.1:${server.port}/`,
    truth,
    async stall(seconds) {
      const startMs = performance.now();
      process.kill(pid, "SIGSTOP");
      try {
        await pause(1000 * seconds);
      } finally {
        process.kill(pid, "SIGCONT");
      }
      return (performance.now() - startMs) / 1000;
    },
    async settled() {
      let now = await truth();
      for (let waitedMs = 0; now.open > 0 && waitedMs < SETTLE_MS; waitedMs += SETTLE_POLL_MS) {
        await pause(SETTLE_POLL_MS);
        now = await truth();
      }
      return now;
    },
    close: () => server.stop(),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
