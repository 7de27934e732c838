/** Runs a tool, within a bound. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import type { Report, Tool, ToolLoad } from "./tools/tool.ts";

export interface ToolRun {
  /** How its process ended; `killed` when it was still there at the bound. */
  readonly end:
    | { readonly kind: "exit"; readonly code: number }
    | { readonly kind: "signal"; readonly name: string }
    | { readonly kind: "killed"; readonly afterSeconds: number };
  readonly tookSeconds: number;
  readonly report: Report | undefined;
  /** The last line that it wrote to stderr. */
  readonly lastWords: string;
}

/** What is kept of each stream. */
const OUTPUT_CHARACTERS_MAX = 4_000_000;

export interface Bounds {
  /** Until the load begins: runtimes take their time to start, above all on a busy machine. */
  readonly startSeconds: number;
  /** From then on. */
  readonly loadSeconds: number;
}

export interface RunningTool {
  readonly ended: Promise<ToolRun>;
  /** To be called at the first request: from now on the second bound holds. */
  begun(): void;
}

/** @returns undefined where the tool is not installed. */
export function startTool(tool: Tool, load: ToolLoad, bounds: Bounds): RunningTool | undefined {
  const folder = mkdtempSync(path.join(os.tmpdir(), "overload-bench-conformance-"));
  const command = tool.command(load, folder);
  if (command === undefined) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const child = spawn(command.file, command.args, {
    cwd: folder,
    env: { ...process.env, ...command.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let killedAfterSeconds: number | undefined;
  const killAfter = (seconds: number): ReturnType<typeof setTimeout> =>
    setTimeout(() => {
      killedAfterSeconds = seconds;
      child.kill("SIGKILL");
    }, 1000 * seconds);
  let bound: ReturnType<typeof setTimeout> | undefined = killAfter(bounds.startSeconds);
  const ended = new Promise<ToolRun>((resolve, reject) => {
    const startMs = performance.now();
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (stdout.length < OUTPUT_CHARACTERS_MAX) stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < OUTPUT_CHARACTERS_MAX) stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(bound);
      bound = undefined;
      const file = (name: string): string => textOf(path.join(folder, name));
      const report = tool.read({ stdout, stderr, file });
      rmSync(folder, { recursive: true, force: true });
      resolve({
        end: endOf(code, signal, killedAfterSeconds),
        tookSeconds: (performance.now() - startMs) / 1000,
        report,
        lastWords: stderr.trim().split("\n").at(-1) ?? "",
      });
    });
  });
  return {
    ended,
    begun() {
      if (bound === undefined) return;
      clearTimeout(bound);
      bound = killAfter(bounds.loadSeconds);
    },
  };
}

function endOf(code: number | null, signal: string | null, killedAfterSeconds: number | undefined): ToolRun["end"] {
  if (killedAfterSeconds !== undefined) return { kind: "killed", afterSeconds: killedAfterSeconds };
  return code === null ? { kind: "signal", name: signal ?? "" } : { kind: "exit", code };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
