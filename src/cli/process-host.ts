/** The host that is this process. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { EXIT } from "./exit-codes.ts";
import type { Host, Output, StopSignal } from "./host.ts";
import { askOnTerminal } from "./terminal-line.ts";

export function processHost(): Host {
  return {
    args: process.argv.slice(2),
    // biome-ignore lint/style/noProcessEnv: this is the one place where the environment is read.
    env: process.env,
    stdout: outputOf(process.stdout, "stdout"),
    stderr: outputOf(process.stderr, "stderr"),
    canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
    ask: (question, withinSeconds) => askOnTerminal(question, withinSeconds, onSignal),
    now: () => new Date(),
    readBytes: (path) => readFile(path),
    onSignal,
    exit: (code) => process.exit(code),
    runForeground,
  };
}

function outputOf(stream: NodeJS.WriteStream, name: string): Output {
  let told = false;
  const failed = (error: unknown): void => {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    // A reader that has gone (`| head`) has read enough.
    if (code === "EPIPE" || told) return;
    told = true;
    if (stream !== process.stderr) process.stderr.write(`overload-bench: Cannot write to ${name}: ${code}\n`);
    process.once("exit", () => {
      process.exitCode ||= EXIT.failed;
    });
  };
  stream.on("error", failed);
  return {
    write(text) {
      try {
        stream.write(text);
      } catch (error) {
        failed(error); // Deno throws where the others emit an event.
      }
    },
    isTTY: stream.isTTY === true,
    /** Asked anew each time: terminals are resized. One whose size was never set says 0. */
    get columns() {
      return stream.columns > 0 ? stream.columns : undefined;
    },
  };
}

function onSignal(handler: (signal: StopSignal) => void): () => void {
  const onInt = (): void => handler("SIGINT");
  const onTerm = (): void => handler("SIGTERM");
  process.on("SIGINT", onInt);
  process.on("SIGTERM", onTerm);
  if (!hangupIsIgnored()) process.on("SIGHUP", onTerm);
  return () => {
    process.off("SIGINT", onInt);
    process.off("SIGTERM", onTerm);
    process.off("SIGHUP", onTerm);
  };
}

/**
 * Whether the program was started so that it outlives its terminal (`nohup`). Bun keeps to that; Node and Deno have undone
 * it before we can ask.
 */
function hangupIsIgnored(): boolean {
  let status = "";
  try {
    status = readFileSync("/proc/self/status", "utf8");
  } catch {
    // Only Linux tells.
  }
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return (Number.parseInt(mask.slice(-1), 16) & 1) === 1;
}

function runForeground(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    // A pipe that closes when this process ends, however it ends: the other program's sign to end too.
    const child = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
    // The terminal sends Ctrl-C to both, SIGTERM comes to us alone. Told twice, the child ends all the same.
    const stop = onSignal((signal) => {
      child.kill(signal);
    });
    child.once("error", (error) => {
      stop();
      reject(error);
    });
    child.once("exit", (code) => {
      stop();
      resolve(code ?? 1);
    });
  });
}
