/**
 * Holds the harness to theory: each experiment's figures against the closed forms, with bands and verdicts; to stdout, and to
 * results/validation.md and .json. README.md of this folder derives what is predicted.
 *
 *   npm run validate [-- --only V1,V5 --world virtual|real|all --quick --output file.md --json --docs]
 *   deno run -A test/validation/run.ts
 *   node dist/bench/test/validation/run.js   (after: npm run build && npx tsc -p test/bench)
 *
 * Virtual experiments run on all processors, some minutes in all; those on the real target, some more minutes, one after another:
 * they want a quiet machine. `--docs` puts the table into README.md of this folder. Exit codes: 0 when all findings agree, 3 when
 * one does not, 1 when an experiment failed, 2 for wrong flags, 130 when it was interrupted: what was found so far is written then.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { EXIT, type ExitCode } from "../../src/cli/exit-codes.ts";
import { readVersion } from "../../src/cli/version.ts";
import { readEnvironment } from "../../src/world/environment.ts";
import { ROOT } from "../bench/executables.ts";
import { writeDocument } from "./docs.ts";
import type { RealLab, VirtualLab } from "./experiment.ts";
import { experiments } from "./experiments.ts";
import { type Flags, parseFlags, type Task } from "./flags.ts";
import { realLab } from "./real-lab.ts";
import { renderDocument, renderMarkdown, renderText } from "./render.ts";
import { carryOut, type ExperimentReport, REPORT_VERSION, succeeded, type ValidationReport } from "./report.ts";
import { virtualLab } from "./virtual-lab.ts";

const DOCUMENT = path.join(ROOT, "test", "validation", "README.md");

interface Labs {
  readonly virtual: VirtualLab;
  readonly real: RealLab;
}

const interrupt = new AbortController();
let signalCode: ExitCode = EXIT.sigint;
/** Of the experiment that is going on. */
let heading = "";
process.once("SIGINT", () => interrupt.abort());
process.once("SIGTERM", () => {
  signalCode = EXIT.sigterm;
  interrupt.abort();
});

function readFlags(): Flags | undefined {
  try {
    return parseFlags(process.argv.slice(2), experiments);
  } catch (error) {
    console.error((error as Error).message.split("\n")[0]);
    return undefined;
  }
}

async function validate({ tasks, quick, output, json, docs }: Flags): Promise<ExitCode> {
  const { signal } = interrupt;
  const virtual = virtualLab({ quick, signal, progress: (done, all) => tell(`${done} of ${all} trials`) });
  const labs: Labs = { virtual, real: realLab(signal) };
  const startMs = performance.now();
  const startedAt = new Date().toISOString();
  const found: ExperimentReport[] = [];
  const save = (partial: boolean): ValidationReport => {
    const report: ValidationReport = {
      schemaVersion: REPORT_VERSION,
      kind: "validation",
      tool: { name: "overload-bench", version: readVersion() },
      environment: { ...readEnvironment() },
      startedAt,
      seconds: (performance.now() - startMs) / 1000,
      quick,
      partial,
      seeds: virtual.seeds,
      manySeeds: virtual.manySeeds,
      experiments: found,
    };
    writeReport(output, report);
    return report;
  };
  try {
    // First of all: what cannot be written is not to be found out when it has been measured.
    save(true);
  } catch (error) {
    console.error(`--output must be a file that can be written: ${(error as Error).message}`);
    return EXIT.usage;
  }
  for (const task of tasks) {
    const done = await carryOutIn(labs, task);
    if (done === undefined) break;
    found.push(done);
    save(true);
    if (json) say(`${done.id} ${done.world}: ${done.seconds.toFixed(1)} s`);
    else console.log(renderText(done));
  }
  const report = save(signal.aborted);
  if (json) console.log(JSON.stringify(report));
  else console.log(`All figures: ${output}${signal.aborted ? ", as far as it came" : ""}`);
  if (signal.aborted) return signalCode;
  if (docs) writeDocument(DOCUMENT, renderDocument(report));
  if (found.some(({ error }) => error !== undefined)) return EXIT.failed;
  return succeeded(report) ? EXIT.ok : EXIT.assertion;
}

async function carryOutIn(labs: Labs, { experiment, world }: Task): Promise<ExperimentReport | undefined> {
  heading = `${experiment.id} ${experiment.title} (${world})`;
  tell("");
  const find = () =>
    world === "virtual" ? experiment.virtual(labs.virtual) : (experiment.real?.(labs.real) ?? Promise.resolve([]));
  const done = await carryOut(experiment, world, find, interrupt.signal);
  erase();
  return done;
}

function writeReport(file: string, report: ValidationReport): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, renderMarkdown(report));
  writeFileSync(file.replace(/\.md$/, ".json"), `${JSON.stringify(report, null, 2)}\n`);
}

/** One line that is written over where someone watches. */
function tell(progress: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${heading} ${progress}`);
}

function erase(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

const flags = readFlags();
process.exitCode = flags === undefined ? EXIT.usage : await validate(flags);
