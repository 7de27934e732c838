/** The real program in a process of its own, in an empty folder of its own. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseResult } from "../../src/result/read-result.ts";
import type { Result } from "../../src/result/schema.ts";
import { programCommand } from "./run-program.ts";

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** All that it wrote so far, to either stream. */
  output(): string;
  /** Resolves when stderr and stdout together contain `text`; rejects when the program ends without it. */
  said(text: string): Promise<void>;
}

/** A folder for one test, where the program puts its results. */
export class Workplace {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(): Promise<Workplace> {
    return new Workplace(await mkdtemp(join(tmpdir(), "overload-bench-test-")));
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  /** The result files, by name. */
  async results(): Promise<Record<string, Result>> {
    const folder = join(this.path, "results");
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
    const results: Record<string, Result> = {};
    for (const name of names.toSorted()) results[name] = parseResult(await readFile(join(folder, name), "utf8"), name);
    return results;
  }

  /** @param limits `filesMax`: the most files that the program may have open, set by a shell. */
  start(args: readonly string[], limits: { readonly filesMax?: number } = {}): Running {
    const program = programCommand("bin/overload-bench");
    const plain = [program.command, ...program.args, ...args];
    const { filesMax } = limits;
    const limited = filesMax === undefined ? plain : ["sh", "-c", `ulimit -n ${filesMax} && exec "$0" "$@"`, ...plain];
    const [command = "", ...rest] = limited;
    const child = spawn(command, rest, { cwd: this.path, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    const listeners = new Set<() => void>();
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
      for (const listener of listeners) listener();
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
      for (const listener of listeners) listener();
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
    });
    const said = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!(stdout + stderr).includes(text)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`The program ended without saying "${text}": ${stderr}`)));
      });
    return { child, ended, output: () => stdout + stderr, said };
  }

  async run(args: readonly string[]): Promise<Ended> {
    return await this.start(args).ended;
  }
}
