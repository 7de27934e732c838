/** The null server for benchmarks: under Bun where it is there, whatever runs the benchmark, and bound to a processor. */

import path from "node:path";
import { fileURLToPath } from "node:url";
import { commandFor, currentRuntime } from "../../src/world/runtime.ts";
import { commandOn, findExecutable, pinned, ROOT } from "./executables.ts";
import { startServer } from "./server-process.ts";

export interface BenchNullServer {
  readonly port: number;
  /** Requests that it has answered so far, those of this question left out. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

export interface BenchNullServerOptions {
  readonly host?: string;
  readonly port?: number;
  /** How many processors from the last one its own is. */
  readonly fromLast?: number;
}

export async function startNullServer(options: BenchNullServerOptions = {}): Promise<BenchNullServer> {
  const { host = "127.0.0.1", port: wanted = 0, fromLast = 0 } = options;
  const flags = ["--host", host, "--port", `${wanted}`, "--exit-with-parent"];
  const { port, stop } = await startServer(pinned([...program(), ...flags], fromLast));
  return {
    port,
    stop,
    async requests() {
      const answer = await fetch(`http://${host}:${port}/__stats`);
      return ((await answer.json()) as { readonly requests: number }).requests;
    },
  };
}

function program(): readonly string[] {
  const hasBun = currentRuntime().name === "bun" || findExecutable("bun") !== undefined;
  if (hasBun) return commandOn("bun", path.join(ROOT, "targets", "null-server.ts"));
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const { command, args } = commandFor(
    fileURLToPath(new URL(`../../targets/null-server.${extension}`, import.meta.url)),
  );
  return [command, ...args];
}
