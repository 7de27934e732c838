/**
 * False alarms: a good run on a quiet machine, again and again. Each must be `valid`.
 *
 *   bun test/bench/clean-runs.ts [--runs 50] [--seconds 6] [--rps 1000]
 *   deno run -A test/bench/clean-runs.ts
 *   node dist/bench/test/bench/clean-runs.js   (after: npx tsc -p test/bench)
 *
 * The runs take turns: even and Poisson arrivals at a server that does nothing, `sre` clients at a server that is offered
 * twice its capacity, and, where there are four processors, two workers: on fewer they take turns with the servers, and are
 * late. The null server runs under Bun where it is there, bound to the last processor, as is
 * the built-in target. Prints the figures on which verdicts rest, and every reason that was given.
 */

import os from "node:os";
import type { TrialResult } from "../../src/result/schema.ts";
import { readArguments } from "./arguments.ts";
import { startCli } from "./cli-trial.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { startNullServer } from "./null-server.ts";
import { printTable } from "./print-table.ts";

const { runs, seconds, rps } = readArguments({ runs: 50, seconds: 6, rps: 1000 });

console.log(describeMachine());
const steal = watchSteal();
const server = await startNullServer();
const url = `http://127.0.0.1:${server.port}/`;
const duration = `${seconds}s`;
const KINDS = [
  { name: "constant", flags: { url, rps, duration, arrival: "constant", policy: "none" } },
  { name: "poisson", flags: { url, rps, duration, policy: "sre" } },
  // Long enough for the window, so that nothing is to be said of it.
  { name: "overload", flags: { rps: 400, duration, policy: `sre,window=${seconds}` } },
  ...(os.availableParallelism() < 4
    ? []
    : [{ name: "2 workers", flags: { url, rps, duration, policy: "none", workers: 2 } }]),
] as const;

/** Median and extreme of what the verdicts rest on. */
function figuresOf(trials: readonly TrialResult[]): string[][] {
  const figures: Readonly<Record<string, (trial: TrialResult) => number | undefined>> = {
    "lateness p99, ms": ({ latency }) => latency.lateness.p99Ms,
    "lateness max, ms": ({ latency }) => latency.lateness.maxMs,
    "longest stall, ms": ({ generator }) => generator?.stallMaxMs,
    "sentinel p90, ms": ({ generator }) => generator?.sentinel?.response.p90Ms,
    "sentinel max, ms": ({ generator }) => generator?.sentinel?.response.maxMs,
    "gaps: CV": ({ generator }) => generator?.gaps?.cv,
    "gaps: jitter": ({ generator }) => generator?.gaps?.jitter,
    "gaps: distance from the plan": ({ generator }) => generator?.gaps?.distance,
    "gaps: distance from the law": ({ generator }) => generator?.gaps?.law?.distance,
    busy: ({ generator }) => generator?.busyRatio,
    "waited for a processor": ({ generator }) => generator?.waitRatio,
    stolen: ({ generator }) => generator?.stealRatio,
    "clock jump, ms": ({ generator }) => generator?.clockJumpMs,
  };
  return Object.entries(figures).map(([name, figure]) => {
    const values = trials
      .map(figure)
      .filter((value) => value !== undefined)
      .toSorted((a, b) => a - b);
    const shown = (value: number | undefined): string =>
      value === undefined ? "-" : String(Number(value.toPrecision(3)));
    return [name, shown(values[Math.floor(values.length / 2)]), shown(values.at(-1))];
  });
}

const byKind = new Map<string, TrialResult[]>();
const alarms: string[] = [];
try {
  for (let run = 0; run < runs; run += 1) {
    const { name, flags } = KINDS[run % KINDS.length] as (typeof KINDS)[number];
    const trial = await startCli({ ...flags, seed: run + 1 }).trial;
    byKind.set(name, [...(byKind.get(name) ?? []), trial]);
    for (const { severity, code, message } of trial.validity.reasons) {
      if (severity !== "note") alarms.push(`run ${run + 1} (${name}): ${severity} ${code}: ${message}`);
    }
  }
} finally {
  await server.stop();
}

for (const [name, trials] of byKind) {
  const valid = trials.filter(({ validity }) => validity.verdict === "valid").length;
  console.log(`\n${name}: ${valid} of ${trials.length} runs of ${duration} valid`);
  printTable([["figure", "median", "most"], ...figuresOf(trials)]);
}
console.log(`\nsteal ${steal()}`);
for (const alarm of alarms) console.log(`  ${alarm}`);
console.log(`${alarms.length === 0 ? "No" : alarms.length} false alarms in ${runs} runs.`);
