/** One of the project's servers in a process of its own: it says where it listens, and ends with this process. */

import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { commandFor } from "../runtime.ts";

const READY_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 3_000;
const END_MS = 500;

export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command that starts the program `name` of the folder `targets` on this runtime. */
export function programCommand(name: string): ProgramCommand {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return commandFor(fileURLToPath(new URL(`../../../targets/${name}.${extension}`, import.meta.url)));
}

export interface ProgramProcess {
  readonly url: string;
  readonly pid: number;
  /** Why it is gone, if it is. */
  died(): string | undefined;
  /** The last that it wrote to stderr. */
  said(): string;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
  /** Ends it at once, without waiting. */
  kill(): void;
}

/** A program that did not get ready. */
export class ProgramStartError extends Error {
  override readonly name: string = "ProgramStartError";
  readonly why: string;
  /** Undefined when it was ended for taking too long, or by a signal. */
  readonly exitCode: number | undefined;
  /** The last that it wrote to stderr. */
  readonly said: string;

  constructor(why: string, exitCode: number | undefined, said: string) {
    super(`It did not get ready (${why}). ${said}`.trim());
    this.why = why;
    this.exitCode = exitCode;
    this.said = said;
  }
}

/**
 * Starts a server that prints a line of JSON with `ready: true` and its `url`, and ends when its standard input closes.
 *
 * @throws ProgramStartError when there is no such line.
 */
export async function startProgram({ command, args }: ProgramCommand): Promise<ProgramProcess> {
  // A group of its own: Ctrl-C in the terminal is for the harness, which stops its servers when it has done with them.
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const said = collectTail(child);
  let gone: string | undefined;
  let exitCode: number | undefined;
  const exit = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      gone = error.message;
      resolve();
    });
    child.once("exit", (code, signal) => {
      exitCode = code ?? undefined;
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
    // Its output may close a moment before its end is told.
    const ended = gone !== undefined || (await Promise.race([exit.then(() => true), timeout(END_MS)])) === true;
    const why = ended ? (gone as string | undefined) : undefined;
    await stop();
    throw new ProgramStartError(why ?? "no answer in time", exitCode, said());
  }
  return {
    url,
    pid: child.pid as number,
    died: () => gone,
    said,
    stop,
    kill: () => signalChild(child, "SIGKILL"),
  };
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
  return () => tail.trim();
}

function timeout(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
