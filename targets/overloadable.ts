/** The built-in target: an HTTP server in a process of its own that can be overloaded. See README.md beside it. */
import { realpathSync } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { HELP, type OverloadableOptions, parseOptions, UsageError } from "./overloadable/options.ts";
import { runtimeName } from "./overloadable/runtime.ts";
import { createOverloadableServer } from "./overloadable/server.ts";

/** Connections that the kernel may hold ready; it takes the smaller of this and its own limit. */
const BACKLOG = 4096;
/** How long a stop waits for the sockets to close before it exits regardless. */
const STOP_MS_MAX = 300;

function main(args: readonly string[]): void {
  let options: OverloadableOptions | "help";
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    die(`${error.message} (see --help)`, 2);
  }
  if (options === "help") {
    process.stdout.write(HELP);
    return;
  }
  serve(options);
}

function serve(options: OverloadableOptions): void {
  const server = createOverloadableServer(options);
  server.on("error", (error: NodeJS.ErrnoException) => {
    die(`Cannot listen on ${options.host} port ${options.port}: ${reasonOf(error)}`, 1);
  });
  server.listen({ host: options.host, port: options.port, backlog: BACKLOG }, () => {
    const { port } = server.address() as AddressInfo;
    const ready = { ready: true, url: urlOf(options.host, port), port, pid: process.pid, runtime: runtimeName() };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  });
  const stop = (): void => stopServer(server);
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (options.exitWithParent) {
    process.stdin.on("end", stop).on("close", stop).on("error", stop).resume();
  }
}

function stopServer(server: Server): void {
  setTimeout(() => process.exit(0), STOP_MS_MAX);
  server.close(() => process.exit(0));
  server.closeAllConnections();
}

function urlOf(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EADDRINUSE":
      return "the port is in use (EADDRINUSE)";
    case "EACCES":
      return "not permitted (EACCES)";
    case "EADDRNOTAVAIL":
      return "no such address on this machine (EADDRNOTAVAIL)";
    default:
      return error.message;
  }
}

function die(message: string, exitCode: number): never {
  process.stderr.write(`overloadable: ${message}\n`);
  process.exit(exitCode);
}

/** True when this file was started, false when it was imported. Node 20 has no `import.meta.main`. */
function isMainModule(): boolean {
  const { main: isMain } = import.meta as { main?: boolean };
  if (isMain !== undefined) return isMain;
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
}

if (isMainModule()) main(process.argv.slice(2));
