import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { OverloadableStats } from "../../targets/overloadable/server.ts";
import { type Entry, programCommand } from "../support/run-program.ts";

/** The line the target prints once it listens. */
export interface Ready {
  readonly ready: true;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly runtime: string;
}

/** How a target ended, and all it printed. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const agent = new Agent({ keepAlive: false });
const running = new Set<TargetProcess>();

/** One target in a process of its own. */
export class TargetProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";

  /** @param env replaces variables of this process's environment. */
  constructor(
    flags: readonly string[],
    entry: Entry = "targets/overloadable",
    env: Readonly<Record<string, string>> = {},
  ) {
    const { command, args } = programCommand(entry);
    this.child = spawn(command, [...args, ...flags], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    this.child.stdout.on("data", (chunk) => {
      this.#stdout += String(chunk);
    });
    this.child.stderr.on("data", (chunk) => {
      this.#stderr += String(chunk);
    });
    running.add(this);
    this.ended = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (code) => {
        running.delete(this);
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
  }

  /** Sends a signal. After `child.kill()` Deno reports the signal as the end, whatever the exit code was. */
  signal(name: "SIGTERM" | "SIGINT" | "SIGKILL"): void {
    if (this.child.pid !== undefined) process.kill(this.child.pid, name);
  }

  /** Waits for the first line on stdout. */
  ready(): Promise<Ready> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const end = this.#stdout.indexOf("\n");
        if (end >= 0) resolve(JSON.parse(this.#stdout.slice(0, end)));
      };
      this.child.stdout.on("data", look);
      look();
      this.ended.then(({ code, stderr }) => reject(new Error(`The target ended with ${code}: ${stderr}`)), reject);
    });
  }
}

/** Starts a target on a free port and waits until it listens. It ends with the tests, should they be killed. */
export async function startTarget(...flags: string[]): Promise<Ready & { readonly target: TargetProcess }> {
  const target = new TargetProcess(["--port", "0", "--exit-with-parent", ...flags]);
  return { ...(await target.ready()), target };
}

/** Ends what a test left running. */
export async function stopTargets(): Promise<void> {
  const left = [...running];
  for (const target of left) target.signal("SIGKILL");
  await Promise.all(left.map((target) => target.ended));
}

/** Sends one request on a connection of its own. */
export function send(url: string, options: { method?: string; body?: Buffer } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: options.method ?? "GET" }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on("error", reject);
    outgoing.end(options.body);
  });
}

export async function readStats(url: string): Promise<OverloadableStats> {
  return JSON.parse((await send(`${url}/__stats`)).body);
}

/** Reads the counters until they satisfy the condition. The test's own time-out is the bound. */
export async function statsWhen(
  url: string,
  isReached: (stats: OverloadableStats) => boolean,
): Promise<OverloadableStats> {
  for (;;) {
    const stats = await readStats(url);
    if (isReached(stats)) return stats;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Opens a connection and sends a GET on it without reading an answer. */
export function sendRaw(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", () => resolve(socket));
    });
    socket.on("error", reject);
  });
}
