/** The built-in target in a process of its own, on a processor of its own where the machine has one to spare. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { commandFor } from "../runtime.ts";
import { warmTarget } from "./warm-target.ts";

const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../../../targets/overloadable.ts" : "../../../targets/overloadable.js",
  import.meta.url,
);
const READY_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 3_000;

export interface TargetOptions {
  /** The target's own settings in one value, such as `shed:acceptMs=1,rejectMs=0.3,queue=50`. */
  readonly spec: string;
  /** Bind the target to one processor (Linux, `taskset`). */
  readonly pin: boolean;
  /** True once nobody waits for the target any more. */
  stopRequested(): boolean;
}

/** The target refused its settings. The message is the target's own line. */
export class TargetUsageError extends Error {
  override readonly name: string = "TargetUsageError";
}

export interface TargetProcess {
  readonly url: string;
  readonly pid: number;
  /** The processor that it is bound to; undefined when it is free. */
  readonly processor: number | undefined;
  /** Why it is gone, if it is. */
  died(): string | undefined;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
  /** Ends it at once, without waiting. */
  kill(): void;
}

/** Exit code of a target that refused its settings. */
const EXIT_USAGE = 2;

/** The module that is the target's program, and the command that starts it on this runtime. */
export function targetCommand(): { readonly command: string; readonly args: readonly string[] } {
  return commandFor(fileURLToPath(ENTRY));
}

/**
 * Starts the target on a free port of the loopback interface.
 *
 * @throws TargetUsageError when it refuses its settings; Error with what it said when it does not get ready.
 */
export async function startTarget(options: TargetOptions): Promise<TargetProcess> {
  const { command, args } = targetCommand();
  const processor = options.pin ? spareProcessor() : undefined;
  const full = [command, ...args, "--port", "0", "--exit-with-parent", options.spec];
  const [file = command, ...rest] = processor === undefined ? full : ["taskset", "-c", String(processor), ...full];
  // A group of its own: Ctrl-C in the terminal is for the harness, which stops the target when it has read its counters.
  const child = spawn(file, rest, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const said = collectTail(child);
  let gone: string | undefined;
  let exitCode: number | null = null;
  const exit = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      gone = error.message;
      resolve();
    });
    child.once("exit", (code, signal) => {
      exitCode = code;
      gone = signal === null ? `exit code ${code}` : `signal ${signal}`;
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    if (gone !== undefined) return;
    signalChild(child, "SIGTERM");
    const force = setTimeout(() => signalChild(child, "SIGKILL"), STOP_TIMEOUT_MS);
    await exit;
    clearTimeout(force);
  };
  const url = await Promise.race([readyUrl(child), exit.then(() => undefined), timeout(READY_TIMEOUT_MS)]);
  if (url === undefined) {
    await stop();
    if (exitCode === EXIT_USAGE) throw new TargetUsageError(said().trim());
    throw new Error(`The built-in target did not get ready (${gone ?? "no answer in time"}). ${said().trim()}`.trim());
  }
  try {
    await warmTarget(url, options.stopRequested);
  } catch (error) {
    await stop();
    throw new Error(
      `The built-in target did not answer (${gone ?? (error as Error).message}). ${said().trim()}`.trim(),
    );
  }
  const kill = (): void => signalChild(child, "SIGKILL");
  return { url, pid: child.pid as number, processor, died: () => gone, stop, kill };
}

/** By process id: under Deno a child that was told through its handle always reports that signal, not its exit code. */
function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(child.pid, signal);
  } catch {
    // It has gone by itself meanwhile.
  }
}

async function readyUrl(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    try {
      const { ready, url } = JSON.parse(line) as { ready?: unknown; url?: unknown };
      if (ready === true && typeof url === "string") return url;
    } catch {
      // Not the ready line.
    }
  }
  return undefined;
}

function collectTail(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-2_000);
  });
  return () => tail;
}

function timeout(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}

/** The last processor that this process may use, when there are at least two and `taskset` is there to bind with. */
function spareProcessor(): number | undefined {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const allowed = parseProcessorList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
    if (allowed.length < 2 || spawnSync("taskset", ["--version"]).status !== 0) return undefined;
    return allowed.at(-1);
  } catch {
    return undefined; // Not Linux.
  }
}

/** `0-2,5` -> [0, 1, 2, 5]: the form of cpuset(7). */
export function parseProcessorList(list: string): number[] {
  return list
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}
