/** Where programs are, and how to bind one to a processor. */

import { accessSync, constants } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandFor, currentRuntime, type RuntimeName } from "../../src/world/runtime.ts";

/** The project's folder, also for the compiled benchmark in dist/bench/test/bench. */
export const ROOT: string = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../.." : "../../../..", import.meta.url),
);

/** The file `name` of this folder that is not compiled. */
export function benchFile(name: string): string {
  return path.join(ROOT, "test", "bench", name);
}

/** The program that the variable of its name in capitals says, or the one on the path; undefined when it is not there. */
export function findExecutable(name: string): string | undefined {
  const told = process.env[name.toUpperCase()];
  if (told !== undefined) return told;
  const folders = [path.join(ROOT, "node_modules", ".bin"), ...(process.env.PATH ?? "").split(path.delimiter)];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** Starts a script on `runtime` when that is here, else on the runtime that runs this one. */
export function commandOn(runtime: RuntimeName, file: string): readonly string[] {
  const executable = currentRuntime().name === runtime ? process.execPath : findExecutable(runtime);
  if (executable !== undefined) return [executable, ...(runtime === "deno" ? ["run", "-A"] : []), file];
  const { command, args } = commandFor(file);
  return [command, ...args];
}

/** Binds `command` to the last processor but `fromLast`; as it is where there is no `taskset`, or only one processor. */
export function pinned(command: readonly string[], fromLast = 0): readonly string[] {
  const taskset = findExecutable("taskset");
  const processors = os.cpus().length;
  if (taskset === undefined || processors < 2) return command;
  return [taskset, "-c", String(Math.max(0, processors - 1 - fromLast)), ...command];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
