/** `--hook`: the user's command, which a shell runs as `CMD start` when the trigger begins and as `CMD end` when it ends. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Socket } from "node:net";
import process from "node:process";
import type { Readable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";

export type HookPhase = "start" | "end";

/** A command that takes longer is ended, and has failed. */
export const HOOK_SECONDS_MAX = 30;
/** So long after its end a command's last lines are waited for. */
const LAST_LINES_SECONDS = 0.25;
/** More than this of its output, of a line and in lines, is nobody's to read. */
const LINE_MAX = 500;
const LINES_MAX = 200;
/** What is said of one that the shell did not find. */
const NOT_FOUND = 127;

/** What runs hooks. */
export interface HookShell {
  /**
   * Runs the command for `phase` to its end.
   *
   * @param said is told each line of its output.
   * @returns why it failed; undefined: it did not.
   */
  run(command: string, phase: HookPhase, said: (line: string) => void): Promise<string | undefined>;
  /** Starts the command for `phase`, which then outlives this process; what it runs yet is ended first. */
  leave(command: string, phase: HookPhase): void;
}

/**
 * In a group of its own, so that Ctrl-C in the terminal does not end what is to bring the target back. Its standard input is
 * empty.
 */
const OF_ITS_OWN: SpawnOptions = { shell: true, detached: process.platform !== "win32" };

export function hookShell(secondsMax: number = HOOK_SECONDS_MAX): HookShell {
  const running = new Set<ChildProcess>();
  return {
    run: (command, phase, said) => run(`${command} ${phase}`, secondsMax, said, running),
    leave(command, phase) {
      for (const child of running) end(child);
      const child = spawn(`${command} ${phase}`, { ...OF_ITS_OWN, stdio: "ignore" });
      child.on("error", () => {}); // There is nobody left to tell.
      child.unref();
    },
  };
}

async function run(
  line: string,
  secondsMax: number,
  said: (line: string) => void,
  running: Set<ChildProcess>,
): Promise<string | undefined> {
  const child = spawn(line, { ...OF_ITS_OWN, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const ended = hear(child, said);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end(child);
  }, 1000 * secondsMax);
  const why = await new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // Not `close`: what the command left running in the background may hold its output open.
    child.once("exit", (code, signal) => resolve(whyFailed(code, signal)));
  });
  clearTimeout(timer);
  running.delete(child);
  ended();
  return isLate ? `took longer than ${secondsMax} s` : why;
}

/**
 * @returns for its end: what it left in the background may hold its outputs open for ever. They are heard on, since whoever writes
 *   to a closed one is ended by that, but do not keep this process alive.
 */
function hear(child: ChildProcess, said: (line: string) => void): () => void {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const lines = limited(said);
  for (const stream of streams) readLines(stream, lines);
  return () => {
    const timer = setTimeout(() => {
      // As the parent's end of a pipe each is a socket.
      for (const stream of streams) (stream as Socket).unref();
    }, 1000 * LAST_LINES_SECONDS);
    child.once("close", () => clearTimeout(timer));
  };
}

function limited(said: (line: string) => void): (line: string) => void {
  let count = 0;
  return (line) => {
    count += 1;
    if (count <= LINES_MAX) said(line);
    else if (count === LINES_MAX + 1) said("... (the rest of its output is left out)");
  };
}

/** Line by line, of each as much as is kept, so that memory has a bound too. */
function readLines(stream: Readable, line: (text: string) => void): void {
  let open = "";
  const end = (): void => {
    line(open.length > LINE_MAX ? `${open.slice(0, LINE_MAX)}...` : open);
    open = "";
  };
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const [first = "", ...others] = chunk.split(/\r?\n/u);
    open += first.slice(0, LINE_MAX + 1);
    for (const next of others) {
      end();
      open = next.slice(0, LINE_MAX + 1);
    }
  });
  stream.on("end", () => {
    if (open !== "") end();
  });
}

function whyFailed(code: number | null, signal: string | null): string | undefined {
  if (code === 0) return undefined;
  if (code === NOT_FOUND) return `failed with exit code ${NOT_FOUND}: the shell did not find it`;
  return code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
}

/** With all that it started. */
function end(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has gone by itself meanwhile.
  }
}
