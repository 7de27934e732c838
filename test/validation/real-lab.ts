import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { parseResult } from "../../src/result/read-result.ts";
import { commandFor } from "../../src/world/runtime.ts";
import type { RealLab } from "./experiment.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const PROGRAM = fileURLToPath(new URL(`../../bin/overload-bench.${EXTENSION}`, import.meta.url));
/** Those after which there is a result. */
const EXIT_CODES: readonly (number | null)[] = [EXIT.ok, EXIT.assertion, EXIT.invalid];

/** Runs the program on this runtime, in a process of its own; so is its target, with a processor of its own. */
export function realLab(signal?: AbortSignal): RealLab {
  return {
    async run(args) {
      return parseResult(await printed(["run", ...args], signal), "stdout");
    },
    async command(name, args) {
      return JSON.parse(await printed([name, ...args], signal));
    },
  };
}

/** Rejects with what the program said when it has no result, or when it was ended by `signal`. */
async function printed(words: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  signal?.throwIfAborted();
  const folder = mkdtempSync(path.join(os.tmpdir(), "overload-bench-"));
  const { command, args } = commandFor(PROGRAM);
  const output = ["--quiet", "--json", "line", "--output", path.join(folder, "result.json")];
  const child = spawn(command, [...args, ...words, ...output], { stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => {
    child.kill("SIGKILL");
  };
  signal?.addEventListener("abort", end);
  try {
    return await new Promise<string>((resolve, reject) => {
      const said = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said.stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said.stderr += text;
      });
      child.once("error", reject);
      child.once("close", (code) => {
        if (EXIT_CODES.includes(code)) resolve(said.stdout);
        else reject(new Error(`overload-bench ${words.join(" ")} ended with code ${code}: ${said.stderr.trim()}`));
      });
    });
  } finally {
    signal?.removeEventListener("abort", end);
    rmSync(folder, { recursive: true, force: true });
  }
}
