/**
 * Runs of the program that are drawn at random, against servers that misbehave, half of them with Ctrl-C at a random moment:
 * in each the counts must add up, by a check that is not the program's own, and agree with what the server counted.
 *
 *   bun test/conformance/random-runs.ts [--runs 1000] [--seed 1] [--together 2]
 *   deno run -A test/conformance/random-runs.ts
 *
 * Prints every breach with the command line that makes it, and exits with 1 when there was one.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseResult } from "../../src/result/read-result.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { commandFor } from "../../src/world/runtime.ts";
import { readArguments } from "../bench/arguments.ts";
import { describeMachine } from "../bench/machine.ts";
import { imbalances } from "./ledger.ts";
import { startPathologicalProcess } from "./pathological-process.ts";
import { PATHOLOGY_NAMES, type PathologyName } from "./pathologies.ts";
import { type Configuration, randomConfigurations } from "./random-configuration.ts";
import type { Truth } from "./truth.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/overload-bench.ts", import.meta.url));
/** Runs plan for 3 s at the most, and drain for 10: one that is still there after this hangs. */
const LIFE_MS = 40_000;

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly result: Result | undefined;
}

async function run({ flags, interruptAfterMs }: Configuration, url: string): Promise<Ended> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "overload-bench-random-"));
  try {
    const output = path.join(folder, "result.json");
    const { command, args } = commandFor(PROGRAM);
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
    const interruption =
      interruptAfterMs === undefined
        ? undefined
        : setTimeout(() => process.kill(child.pid as number, "SIGINT"), interruptAfterMs);
    const end = setTimeout(() => process.kill(child.pid as number, "SIGKILL"), LIFE_MS);
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    clearTimeout(interruption);
    clearTimeout(end);
    const text = await readFile(output, "utf8").catch(() => undefined);
    return { exitCode, stdout, stderr, result: text === undefined ? undefined : parseResult(text, output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is wrong with how a run ended, and with its figures. */
function* breaches(configuration: Configuration, ended: Ended, truth: Truth): Generator<string> {
  const { exitCode, stderr, result } = ended;
  const interrupted = configuration.interruptAfterMs !== undefined;
  // A runtime that has not loaded the program yet dies of the signal.
  const allowed: readonly (number | null)[] = interrupted
    ? [0, 4, 130, ...(result === undefined ? [null] : [])]
    : [0, 4];
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

/** A line for a shell, long bodies cut. */
function commandLine({ mode, flags, interruptAfterMs }: Configuration): string {
  const words = flags.map((flag) => (flag.length > 60 ? `${flag.slice(0, 20)}...` : flag));
  return `${mode}: ${words.join(" ")}${interruptAfterMs === undefined ? "" : ` (Ctrl-C after ${interruptAfterMs} ms)`}`;
}

const { runs, seed, together } = readArguments({ runs: 1000, seed: 1, together: 2 });
console.log(describeMachine());
const configurations = randomConfigurations(PATHOLOGY_NAMES, runs, seed);
const seen = { results: 0, partial: 0, invalid: 0, calls: 0, attempts: 0, exits: new Map<number | null, number>() };
let broken = 0;
let next = 0;

async function work(): Promise<void> {
  while (next < configurations.length) {
    const configuration = configurations[next] as Configuration;
    next += 1;
    if (next % 50 === 0) console.error(`${next} of ${runs}`);
    const server = await startPathologicalProcess(configuration.mode as PathologyName);
    try {
      const ended = await run(configuration, server.url);
      const found = [...breaches(configuration, ended, await server.settled())];
      seen.exits.set(ended.exitCode, (seen.exits.get(ended.exitCode) ?? 0) + 1);
      for (const trial of ended.result?.trials ?? []) {
        seen.results += 1;
        if (trial.interrupted) seen.partial += 1;
        if (trial.validity.verdict === "invalid") seen.invalid += 1;
        seen.calls += trial.calls.planned + (trial.warmup?.calls.planned ?? 0);
        seen.attempts += trial.attempts.sent + (trial.warmup?.attempts.sent ?? 0);
      }
      if (found.length > 0) {
        broken += 1;
        console.log(`${commandLine(configuration)}\n  ${found.join("\n  ")}`);
      }
    } finally {
      await server.close();
    }
  }
}

await Promise.all(Array.from({ length: together }, work));
const exits = [...seen.exits].map(([code, count]) => `${code}: ${count}`).join(", ");
console.log(`${runs} runs (seed ${seed}), exit codes ${exits}`);
console.log(`${seen.results} results, ${seen.partial} of them cut short, ${seen.invalid} invalid`);
console.log(`${seen.calls} calls, ${seen.attempts} attempts`);
console.log(broken === 0 ? "All counts add up." : `Counts do not add up in ${broken} runs.`);
process.exitCode = broken === 0 ? 0 : 1;
