/**
 * Simulation against reality: `run --twin` on the built-in target, bound to a processor of its own. The claim is that goodput is
 * within 10 % for K in 1.1, 1.5, 2 and 3.
 *
 *   bun test/bench/twin.ts [--repeats 3] [--k 1.1,1.5,2,3] [--loads 2,5] [--accept 5] [--seconds 10] [--warmup 10] [--window 10]
 *   deno run -A test/bench/twin.ts
 *   node dist/bench/test/bench/twin.js   (after: npx tsc -p test/bench)
 *
 * Loads are in units of the target's capacity without overhead, 1 / accept; a rejection costs .3 of an accepted call. Then, at
 * K = 2, with a quarter of the capacity from 3 s to 6 s; and the target in mode `fifo`, once above its capacity and twice at .6
 * of it with that script: with three plain attempts, which it does not recover from, and with `sre`.
 */

import type { MadeTwin, Result } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { readArguments } from "./arguments.ts";
import { measureCli } from "./cli-trial.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { printTable } from "./print-table.ts";

const VUS = 50;
const REJECT_COST = 0.3;
const SLOWED = "3s..6s:capacity=0.25";
const FIGURES = ["goodput", "sent", "waste", "responseOkP50Ms", "responseOkP99Ms"] as const;

const given = readArguments({
  repeats: 3,
  k: [1.1, 1.5, 2, 3],
  loads: [2, 5],
  accept: 5,
  seconds: 10,
  warmup: 10,
  window: 10,
});

interface Row {
  readonly name: string;
  readonly target: string;
  readonly policy: string;
  readonly load: number;
  readonly script?: string;
}

const shed = `shed:acceptMs=${given.accept},rejectMs=${REJECT_COST * given.accept},queue=50`;
const fifo = `fifo:acceptMs=${given.accept}`;
const sre = (k: number): string => `sre,k=${k},window=${given.window}`;

const rows: readonly Row[] = [
  ...given.loads.flatMap((load) =>
    given.k.map((k) => ({ name: `K = ${k}, load ${load}`, target: shed, policy: sre(k), load })),
  ),
  { name: "K = 2, load 2, slowed", target: shed, policy: sre(2), load: 2, script: SLOWED },
  { name: "fifo, K = 2, load 2", target: fifo, policy: sre(2), load: 2 },
  { name: "fifo, K = 2, load .6, slowed", target: fifo, policy: sre(2), load: 0.6, script: SLOWED },
  { name: "fifo, 3 attempts, load .6, slowed", target: fifo, policy: "retry,maxAttempts=3", load: 0.6, script: SLOWED },
];

async function measure({ target, policy, load, script }: Row, seed: number): Promise<Result> {
  const flags = {
    rps: (load * 1000) / given.accept,
    vus: VUS,
    duration: `${given.seconds}s`,
    warmup: `${given.warmup}s`,
    target,
    policy,
    script,
    seed,
  };
  return await measureCli(flags, ["--twin"]);
}

function ratiosOf(twins: readonly MadeTwin[], figure: (typeof FIGURES)[number]): number[] {
  return twins.map(({ figures }) => figures[figure].ratio).filter((ratio) => ratio !== null);
}

const percent = (ratio: number): string => `${ratio >= 1 ? "+" : ""}${(100 * (ratio - 1)).toFixed(1)} %`;

/** Goodput of either, median and every repeat's difference, and the median difference of the others. */
function cells(twins: readonly MadeTwin[]): string[] {
  const goodputs = ratiosOf(twins, "goodput");
  const other = FIGURES.slice(1).map((figure) => {
    const ratios = ratiosOf(twins, figure);
    return ratios.length === 0 ? "-" : percent(median(ratios));
  });
  const rate = (side: "real" | "twin"): string =>
    median(twins.map(({ figures }) => figures.goodput[side] ?? 0)).toFixed(1);
  const middle = goodputs.length === 0 ? "-" : percent(median(goodputs));
  return [rate("real"), rate("twin"), middle, goodputs.map(percent).join(" "), ...other];
}

console.log(describeMachine());
const steal = watchSteal();
const table: string[][] = [
  [
    "",
    "real/s",
    "twin/s",
    "goodput",
    "each repeat",
    "sent",
    "waste",
    "p50 ok",
    "p99 ok",
    "accept, reject ms",
    "not valid",
  ],
];
for (const row of rows) {
  const twins: MadeTwin[] = [];
  let invalid = 0;
  for (let repeat = 0; repeat < given.repeats; repeat += 1) {
    const { twin, trials } = await measure(row, repeat + 1);
    if (trials[0]?.validity.verdict !== "valid") invalid += 1;
    if (twin?.made === true) twins.push(twin);
    else console.log(`  ${row.name}, repeat ${repeat + 1}: no twin: ${twin?.reason}`);
  }
  if (twins.length === 0) continue;
  const law = (name: "acceptMs" | "rejectMs"): string => median(twins.map((twin) => twin.law[name])).toFixed(3);
  table.push([row.name, ...cells(twins), `${law("acceptMs")}, ${law("rejectMs")}`, String(invalid)]);
  console.log(`${row.name}: ${cells(twins).slice(0, 4).join("  ")}`);
}
console.log(`\nDifference of the twin from the real run, medians of ${given.repeats}; steal ${steal()}`);
printTable(table);
