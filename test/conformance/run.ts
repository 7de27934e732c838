/**
 * What this tool and others report of a server that misbehaves, against what happened: a table in Markdown, to stdout and to
 * results/conformance.md, with all figures behind it.
 *
 *   npm run conformance [-- --only stall,reset --tools overload-bench,wrk --quick --output file.md]
 *   deno run -A test/conformance/run.ts
 *   node dist/bench/test/conformance/run.js   (after: npm run build && npx tsc -p test/bench)
 *
 * Takes the tools that are on the path (or that the variable of their name in capitals says): wrk, hey, h2load, ab,
 * autocannon, artillery. Ends with exit code 1 when this tool is wrong in a row that has no explanation.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { currentRuntime } from "../../src/world/runtime.ts";
import { ROOT } from "../bench/executables.ts";
import { describeMachine, watchSteal } from "../bench/machine.ts";
import { type ArrivalRow, measureArrivals } from "./arrival-row.ts";
import { type Cell, type RunningCell, startCell } from "./cell.ts";
import { type PathologicalProcess, startPathologicalProcess } from "./pathological-process.ts";
import { quick, ROWS, type Row } from "./rows.ts";
import { renderReport, unexplained } from "./table.ts";
import { ab } from "./tools/ab.ts";
import { artillery } from "./tools/artillery.ts";
import { autocannon } from "./tools/autocannon.ts";
import { h2load } from "./tools/h2load.ts";
import { hey } from "./tools/hey.ts";
import { OURS, overloadBench } from "./tools/overload-bench.ts";
import type { Tool } from "./tools/tool.ts";
import { wrk } from "./tools/wrk.ts";

const RUNTIMES = ["bun", "deno", "node"] as const;
const { name: HERE } = currentRuntime();
const TOOLS: readonly Tool[] = [
  overloadBench(HERE),
  overloadBench(HERE, "undici"),
  wrk,
  hey,
  h2load,
  ab,
  autocannon,
  artillery,
];
const ELSEWHERE: readonly Tool[] = RUNTIMES.filter((name) => name !== HERE).map((name) => overloadBench(name));
const ARRIVALS = "arrivals";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    tools: { type: "string" },
    quick: { type: "boolean", default: false },
    output: { type: "string", default: path.join(ROOT, "results", "conformance.md") },
  },
});

const rowNames = chosen("only", values.only, [ARRIVALS, ...ROWS.map(({ name }) => name)]);
const toolNames = chosen(
  "tools",
  values.tools,
  [...TOOLS, ...ELSEWHERE].map(({ name }) => name),
);
const rows = ROWS.filter(({ name }) => rowNames.includes(name)).map((row) => (values.quick ? quick(row) : row));
const tools = TOOLS.filter(({ name }) => toolNames.includes(name));

/** The names of a flag's list. One that is none ends the process with what would be right. */
function chosen(flag: string, list: string | undefined, known: readonly string[]): readonly string[] {
  const names = list?.split(",") ?? known;
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    console.error(`--${flag} must list some of ${known.join(", ")}: current value is ${wrong}`);
    process.exit(2);
  }
  return names;
}

/** The stall is shown on each runtime: nothing says more about a generator. */
function toolsFor(row: Row): readonly Tool[] {
  if (row.latency?.kind !== "stall") return tools;
  return [...tools, ...ELSEWHERE.filter(({ name }) => toolNames.includes(name))];
}

async function measureRows(): Promise<Cell[]> {
  const plan = rows.flatMap((row) => toolsFor(row).map((tool) => ({ row, tool })));
  const open = (index: number): Promise<PathologicalProcess> | undefined => {
    const next = plan[index];
    return next === undefined ? undefined : startPathologicalProcess(next.row.pathology);
  };
  const running: RunningCell[] = [];
  let opening = open(0);
  for (const [index, { row, tool }] of plan.entries()) {
    const cell = startCell(row, tool, opening as Promise<PathologicalProcess>);
    // Its start-up is over when it is wanted.
    opening = open(index + 1);
    running.push(cell);
    void cell.ended.then(tell);
    await cell.quiet;
  }
  return await Promise.all(running.map(({ ended }) => ended));
}

function tell({ row, tool, seen }: Cell): void {
  const what = seen === undefined ? `not installed (${tool.source})` : seen.faults.join("; ") || "right";
  console.error(`${row.name}, ${tool.name}: ${what}`);
}

const machine = describeMachine();
const steal = watchSteal();
const cells = await measureRows();
const arrivals: readonly ArrivalRow[] = rowNames.includes(ARRIVALS) ? await measureArrivals(tools, values.quick) : [];
const report = renderReport({ cells, arrivals, ours: OURS, machine, steal: steal() });
mkdirSync(path.dirname(values.output), { recursive: true });
writeFileSync(values.output, report.full);
console.log(report.table);
console.log(`All figures: ${values.output}`);
const wrong = unexplained(cells, OURS);
for (const line of wrong) console.error(`Wrong: ${line}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
