/** The host that is this process. */

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import process from "node:process";
import type { Host, Output, StopSignal } from "./host.ts";

export function processHost(): Host {
  return {
    args: process.argv.slice(2),
    // biome-ignore lint/style/noProcessEnv: this is the one place where the environment is read.
    env: process.env,
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    now: () => new Date(),
    readBytes: (path) => readFile(path),
    onSignal,
    exit: (code) => process.exit(code),
    runForeground,
  };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  // A reader that has gone (`| head`) is no reason to lose the result file.
  stream.on("error", () => {});
  return {
    write: (text) => {
      stream.write(text);
    },
    isTTY: stream.isTTY === true,
    columns: stream.columns,
  };
}

function onSignal(handler: (signal: StopSignal) => void): () => void {
  const onInt = (): void => handler("SIGINT");
  const onTerm = (): void => handler("SIGTERM");
  process.on("SIGINT", onInt);
  process.on("SIGTERM", onTerm);
  return () => {
    process.off("SIGINT", onInt);
    process.off("SIGTERM", onTerm);
  };
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
