/** One run of the program that was drawn at random, and what is wrong with it. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseResult } from "../../src/result/read-result.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { programCommand } from "../support/run-program.ts";
import { imbalances } from "./ledger.ts";
import type { PathologicalServer } from "./pathological-server.ts";
import type { Configuration } from "./random-configuration.ts";
import type { Truth } from "./truth.ts";

/** Runs plan for 3 s at the most, and drain for 10: one that is still there after this hangs. */
const LIFE_MS = 40_000;
const POLL_MS = 10;

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly result: Result | undefined;
}

async function run({ flags, interruptAfterMs }: Configuration, url: string): Promise<Ended> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "overload-bench-random-"));
  try {
    const output = path.join(folder, "result.json");
    const { command, args } = programCommand("bin/overload-bench");
    // No look at /__stats: the server counts every request.
    const all = [...args, "run", "--url", url, "--no-stats", "-q", "-o", output, ...flags];
    const child = spawn(command, all, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    if (interruptAfterMs !== undefined) {
      void interrupt(child, path.join(folder, "result.journal.jsonl"), interruptAfterMs);
    }
    const end = setTimeout(() => process.kill(child.pid as number, "SIGKILL"), LIFE_MS);
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    clearTimeout(end);
    const text = await readFile(output, "utf8").catch(() => undefined);
    return { exitCode, stdout, stderr, result: text === undefined ? undefined : parseResult(text, output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Presses Ctrl-C that long after the program began its journal: before that there is nothing to lose. */
async function interrupt(child: ChildProcess, journal: string, afterMs: number): Promise<void> {
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  while (running() && !existsSync(journal)) await sleep(POLL_MS);
  await sleep(afterMs);
  if (running()) process.kill(child.pid as number, "SIGINT");
}

/** What is wrong with how a run ended, and with its figures. */
function* breaches(configuration: Configuration, ended: Ended, truth: Truth): Generator<string> {
  const { exitCode, stderr, result } = ended;
  const interrupted = configuration.interruptAfterMs !== undefined;
  const allowed: readonly (number | null)[] = interrupted ? [0, 4, 130] : [0, 4];
  if (!allowed.includes(exitCode)) yield `exit code ${exitCode}: ${stderr.trim()}`;
  if (/internal error|\n\s+at /.test(stderr)) yield `a stack trace: ${stderr.trim()}`;
  if (result === undefined) {
    // Stopped before the first arrival there is nothing to write, and it says so.
    if (!interrupted) yield "no result";
    return;
  }
  yield* imbalances(result);
  for (const trial of result.trials) yield* disagreements(trial, truth);
  const invalid = result.trials.some(({ validity }) => validity.verdict === "invalid");
  if (exitCode === 0 && invalid) yield "exit code 0 for an invalid trial";
}

/** Where the report and the server's count exclude each other. */
function* disagreements(trial: TrialResult, truth: Truth): Generator<string> {
  const sent = trial.attempts.sent + (trial.warmup?.attempts.sent ?? 0);
  const accepted = trial.attempts.accepted + (trial.warmup?.attempts.accepted ?? 0);
  const answered = Object.values(truth.answered).reduce((sum, count) => sum + count, 0);
  if (truth.requests > sent) yield `the server read ${truth.requests} requests, of ${sent} attempts sent`;
  if (accepted > truth.requests)
    yield `${accepted} attempts accepted, of ${truth.requests} requests that the server read`;
  // Half an answer may be a status already.
  if (accepted > answered + truth.brokenOff + truth.left)
    yield `${accepted} attempts accepted, of ${answered} answered`;
}

/** Runs `configuration` against a server that has served nobody else. @returns how it ended, and every breach. */
export async function tryOut(
  configuration: Configuration,
  server: Pick<PathologicalServer, "url">,
  truth: () => Promise<Truth>,
): Promise<{ readonly ended: Ended; readonly found: readonly string[] }> {
  const ended = await run(configuration, server.url);
  return { ended, found: [...breaches(configuration, ended, await truth())] };
}

/** A line for a shell, long bodies cut. */
export function commandLine({ mode, flags, interruptAfterMs }: Configuration): string {
  const words = flags.map((flag) => (flag.length > 60 ? `${flag.slice(0, 20)}...` : flag));
  return `${mode}: ${words.join(" ")}${interruptAfterMs === undefined ? "" : ` (Ctrl-C after ${interruptAfterMs} ms)`}`;
}
