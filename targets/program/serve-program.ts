/** What the targets have in common as programs: where they listen, how they say so, and how they end. */

import type { AddressInfo, Server } from "node:net";
import process from "node:process";
import { runtimeName } from "../overloadable/runtime.ts";
import { urlOf } from "./address.ts";

/** Connections that the kernel may hold ready; it takes the smaller of this and its own limit. */
const BACKLOG = 4096;
/** How long a stop waits for the sockets to close before it exits regardless. */
const STOP_MS_MAX = 300;

export interface ProgramOptions {
  /** Address to bind to. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Whether to exit when standard input closes. */
  readonly exitWithParent: boolean;
}

/**
 * Listens, and says where in one JSON line on stdout. Ends with exit code 0 at SIGTERM and SIGINT, with 1 when it cannot
 * listen.
 *
 * @param name of the program, in front of what it complains about.
 * @param closeConnections ends the open connections at once.
 */
export function serveProgram(
  name: string,
  server: Server,
  options: ProgramOptions,
  closeConnections: () => void,
): void {
  const { host, port: wanted, exitWithParent } = options;
  server.on("error", (error: NodeJS.ErrnoException) => {
    die(name, `Cannot listen on ${host} port ${wanted}: ${reasonOf(error)}`, 1);
  });
  server.listen({ host, port: wanted, backlog: BACKLOG }, () => {
    const { port } = server.address() as AddressInfo;
    const ready = { ready: true, url: urlOf("http", host, port), port, pid: process.pid, runtime: runtimeName() };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  });
  const stop = (): void => {
    setTimeout(() => process.exit(0), STOP_MS_MAX);
    server.close(() => process.exit(0));
    closeConnections();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (exitWithParent) process.stdin.on("end", stop).on("close", stop).on("error", stop).resume();
}

/** Ends the program with a line on stderr. */
export function die(name: string, message: string, exitCode: number): never {
  process.stderr.write(`${name}: ${message}\n`);
  process.exit(exitCode);
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
