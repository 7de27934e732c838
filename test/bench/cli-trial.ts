/** Runs the program as a user would, in a process of its own on this runtime, and reads the result. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { commandFor } from "../../src/world/runtime.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const PROGRAM = fileURLToPath(new URL(`../../bin/overload-bench.${EXTENSION}`, import.meta.url));
/** Valid, and measured but invalid: both have a result. */
const EXIT_CODES_WITH_RESULT: readonly (number | null)[] = [0, 4];

export interface RunningCli {
  readonly pid: number;
  readonly trial: Promise<TrialResult>;
  kill(): void;
}

type Flags = Readonly<Record<string, string | number | undefined>>;

/** Starts `run` with `flags`; undefined values are left out. Rejects with what it said when there is no result. */
export function startCli(flags: Flags): RunningCli {
  const { pid, result, kill } = spawnCli(flags, ["--no-stats"]);
  return { pid, trial: result.then(({ trials }) => trials[0] as TrialResult), kill };
}

/** The result of a `run` with `flags` and with the target's counters. */
export function measureCli(flags: Flags, switches: readonly string[]): Promise<Result> {
  return spawnCli(flags, switches).result;
}

function spawnCli(
  flags: Flags,
  switches: readonly string[],
): { readonly pid: number; readonly result: Promise<Result>; kill(): void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), "overload-bench-"));
  const { command, args } = commandFor(PROGRAM);
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const output = ["--quiet", "--json", "line", "--output", path.join(folder, "result.json")];
  const all = [...args, "run", ...given, ...switches, ...output];
  const child = spawn(command, all, { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const result = new Promise<Result>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      rmSync(folder, { recursive: true, force: true });
      if (EXIT_CODES_WITH_RESULT.includes(code)) resolve(JSON.parse(stdout));
      else reject(new Error(`overload-bench ended with code ${code}: ${stderr.trim()}`));
    });
  });
  return { pid: child.pid as number, result, kill: () => child.kill("SIGKILL") };
}
