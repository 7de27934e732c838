/**
 * Fuzzes the parser of answers.
 *
 *   bun test/bench/fuzz-answers.ts [--cases 100000] [--seed 1] [--clients-every 1]
 *   node dist/bench/test/bench/fuzz-answers.js --guided [--minutes 60] [--seed 1] [--corpus folder]
 *   (after: npx tsc -p test/bench)
 *
 * The first compares it with the grammar of the standard, with the parser inside undici, with a client of undici and with
 * node:http. The second is guided by coverage, on Node; elsewhere by what the parsers say alone. Both print what they find ready
 * for a test, and end with 1 when there is something. Ctrl-C ends either with its summary. test/fuzz/README.md tells more.
 */

import process from "node:process";
import { parseArgs } from "node:util";
import type { DifferentialReport } from "../fuzz/differential.ts";
import type { GuidedStatistics } from "../fuzz/guided.ts";
import { Watchdog } from "../fuzz/watchdog.ts";
import { describeMachine } from "./machine.ts";
import { printTable } from "./print-table.ts";

const PARSER_FOLDER = "/src/world/real/wire/";
const STATISTICS_MS = 60_000;
const MISSED_MAX = 40;

const { values } = parseArgs({
  options: {
    guided: { type: "boolean", default: false },
    cases: { type: "string", default: "100000" },
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    "clients-every": { type: "string", default: "1" },
    corpus: { type: "string" },
  },
});

let stopped = false;
process.once("SIGINT", () => {
  stopped = true;
});
const startMs = performance.now();
console.log(describeMachine());
const watchdog = new Watchdog();
const found = values.guided ? await guided() : await differential();
await watchdog.end();
process.exitCode = found > 0 ? 1 : 0;

async function differential(): Promise<number> {
  const { runDifferential } = await import("../fuzz/differential.ts");
  const { CLIENTS } = await import("../fuzz/references.ts");
  const report = await runDifferential({
    cases: numberOf("cases"),
    seed: numberOf("seed"),
    clients: CLIENTS,
    clientsEvery: numberOf("clients-every"),
    onProgress: (done, { findings }) => console.log(`  ${seconds()} s: ${done} cases, ${findings.length} findings`),
    onCase: (tried) => watchdog.begin(tried),
    stopped: () => stopped,
  });
  printReport(report);
  return report.findings.length;
}

function printReport({ cases, complete, explained, findings }: DifferentialReport): void {
  const rows = [...explained].sort(([, a], [, b]) => b - a).map(([name, count]) => [name, `${count}`]);
  printTable([["explained difference", "count"], ...rows]);
  for (const finding of findings) console.log(`\n${finding}`);
  const rate = Math.round(cases / Number(seconds()));
  console.log(
    `\n${cases} cases in ${seconds()} s (${rate}/s), ${complete} complete answers, ${findings.length} findings`,
  );
}

async function guided(): Promise<number> {
  const { startCoverage } = await import("../fuzz/block-coverage.ts");
  // Before the parser is loaded: what runs only then counts too.
  const coverage = startCoverage(PARSER_FOLDER);
  if (coverage === undefined) console.log("No coverage on this runtime: guided by what the parsers say alone.");
  const { GuidedFuzzer } = await import("../fuzz/guided.ts");
  const endMs = startMs + 60_000 * numberOf("minutes");
  const fuzzer = new GuidedFuzzer({
    seed: numberOf("seed"),
    coverage,
    watchdog,
    corpusFolder: values.corpus,
    stopped: () => stopped || performance.now() >= endMs,
    onFinding: (text) => console.log(`\n${text}\n`),
  });
  const timer = setInterval(() => console.log(statisticsLine(fuzzer.statistics)), STATISTICS_MS);
  try {
    await fuzzer.run();
  } finally {
    clearInterval(timer);
  }
  const { statistics } = fuzzer;
  console.log(`${statisticsLine(statistics)}\n  corpus in ${statistics.corpusFolder}`);
  const missed = statistics.blocks?.missed ?? [];
  if (missed.length > 0) console.log("  blocks that never ran:");
  for (const block of missed.slice(0, MISSED_MAX)) console.log(`    ${block}`);
  return statistics.findings;
}

function statisticsLine({ executions, corpus, pairs, blocks, findings }: GuidedStatistics): string {
  const rate = Math.round(executions / Number(seconds()));
  const covered = blocks === undefined ? "" : `, blocks ${blocks.covered} of ${blocks.known}`;
  return `  ${seconds()} s: ${executions} cases (${rate}/s)${covered}, verdict pairs ${pairs}, corpus ${corpus}, findings ${findings}`;
}

function seconds(): string {
  return ((performance.now() - startMs) / 1000).toFixed(0);
}

function numberOf(name: "cases" | "minutes" | "seed" | "clients-every"): number {
  const number = Number(values[name]);
  if (number > 0 && number < Number.POSITIVE_INFINITY) return number;
  console.error(`Cannot fuzz as '--${name}' must be a number above 0: current value is ${values[name]}`);
  process.exit(2);
}
