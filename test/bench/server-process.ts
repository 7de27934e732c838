/** The other side of a benchmark, in a process of its own. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** Writes a line to it and gives the line that it answers. */
  ask(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a server that first prints its port, alone or in a line of JSON, and ends when its stdin closes. */
export async function startServer([file = "", ...args]: readonly string[]): Promise<ServerProcess> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(file, args, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await Promise.race([lines.next(), gone.then(() => ({ value: "", done: true }))]);
    if (done === true) throw new Error(`${file} ${args.join(" ")} ended by itself`);
    return value;
  };
  const first: unknown = JSON.parse(await nextLine());
  const port = typeof first === "number" ? first : (first as { readonly port: number }).port;
  return {
    port,
    pid: child.pid as number,
    ask(line) {
      child.stdin.write(`${line}\n`);
      return nextLine();
    },
    stop() {
      child.stdin.end();
      return gone;
    },
  };
}
