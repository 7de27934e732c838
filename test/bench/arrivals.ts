/**
 * What a receiver sees of the arrivals: the coefficient of variation (CV) of the gaps between them (0 is perfect, 1 is a
 * Poisson process), how far the rate is off, how long a run lasts; and the same of other generators that are installed.
 *
 *   bun test/bench/arrivals.ts [--seconds 30] [--rounds 3] [--rps 1000] [--rates 0.5,1,7] [--connections 50]
 *   deno run -A test/bench/arrivals.ts
 *   node dist/bench/test/bench/arrivals.js   (after: npx tsc -p test/bench)
 *
 * `wire CV` and `wire KS` are of the kernel's own stamps (tcpdump, where it is there and allowed), `gap CV` of what a
 * receiver in user space notes.
 *
 * Runs the program as a user would, and the receiver (under Bun where it is there) in a process of its own. `wait us` is
 * the part of the receiver's own error that can be known: how long it waited for a processor, on average, when a request
 * came. The variables AUTOCANNON, HEY, H2LOAD and WRK2 name the programs where they are not on the path; wrk and ab know
 * no rate. Run it on a quiet machine.
 */

import type { TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { kolmogorovSmirnov } from "../plan/statistics.ts";
import { readArguments } from "./arguments.ts";
import { startCli } from "./cli-trial.ts";
import { benchFile, commandOn } from "./executables.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { OTHER_GENERATORS, startOther } from "./other-generators.ts";
import { printTable } from "./print-table.ts";
import { startServer } from "./server-process.ts";
import { captureRequests, gapsOf } from "./wire.ts";

const WARMUP_SECONDS = 2;
const OURS = "overload-bench";
const TRANSPORTS = ["wire", "undici"] as const;
const { seconds, rounds, rps, rates, connections } = readArguments({
  seconds: 30,
  rounds: 3,
  rps: 1000,
  rates: [0.5, 1, 7, 70, 78, 99.9, 1000, 12_345],
  connections: 50,
});

/** See receiver.mjs. */
interface Gaps {
  readonly arrivals: number;
  readonly lost: number;
  readonly gaps: number;
  readonly spanSeconds: number;
  readonly cv: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly waitUs: number;
}

const receiver = await startServer(commandOn("bun", benchFile("receiver.mjs")));
const origin = `http://127.0.0.1:${receiver.port}`;

async function ask(path: string): Promise<Response> {
  const answer = await fetch(`${origin}${path}`);
  if (!answer.ok) throw new Error(`The receiver answered ${path} with ${answer.status}`);
  return answer;
}

async function reset(skipSeconds: number): Promise<void> {
  await (await ask(`/__reset?skipSeconds=${skipSeconds}`)).text();
}

async function readGaps(): Promise<Gaps> {
  const gaps = (await (await ask("/__gaps")).json()) as Gaps;
  if (gaps.lost > 0) throw new Error(`The receiver had no room for ${gaps.lost} arrivals: shorten --seconds`);
  return gaps;
}

async function receivedGaps(): Promise<readonly number[]> {
  const timesMs = new Float64Array(await (await ask("/__times")).arrayBuffer());
  return Array.from(timesMs.subarray(1), (time, i) => (time - (timesMs[i] as number)) / 1000);
}

/** Kolmogorov-Smirnov score of gaps in seconds against the exponential law of `rate`. */
function poissonScore(gaps: readonly number[], rate: number): string {
  return kolmogorovSmirnov(gaps, (gap) => 1 - Math.exp(-gap * rate)).toFixed(2);
}

interface Wire {
  readonly cv: number;
  readonly gaps: readonly number[];
}

/** Runs `load` under the eyes of the kernel, where it lets us. */
async function watched<T>(load: () => Promise<T>, skipSeconds: number): Promise<{ ran: T; wire: Wire | undefined }> {
  const capture = await captureRequests(receiver.port);
  const ran = await load();
  const times = await capture?.stop();
  return { ran, wire: times === undefined ? undefined : gapsOf(times, skipSeconds) };
}

interface Load {
  readonly rps: number;
  readonly arrival: "constant" | "poisson";
  readonly pacing: "precise" | "timer";
  readonly warmupSeconds: number;
  readonly transport?: (typeof TRANSPORTS)[number];
}

async function run(load: Load): Promise<TrialResult> {
  await reset(load.warmupSeconds);
  return await startCli({
    url: `${origin}/`,
    rps: load.rps,
    duration: `${seconds}s`,
    arrival: load.arrival,
    pacing: load.pacing,
    warmup: load.warmupSeconds > 0 ? `${load.warmupSeconds}s` : undefined,
    policy: "none",
    transport: load.transport,
  }).trial;
}

const ms = (value: number): string => value.toFixed(3);
const percent = (value: number): string => `${value >= 0 ? "+" : ""}${(100 * value).toFixed(2)} %`;

async function gapsTable(): Promise<void> {
  const rows = [
    [
      "law, pacing",
      "wire CV",
      "KS",
      "gap CV",
      "KS",
      "gap p50",
      "gap p99",
      "late p50",
      "p99",
      "max ms",
      "wait us",
      "verdict",
      "steal",
    ],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const arrival of ["constant", "poisson"] as const) {
      for (const pacing of ["precise", "timer"] as const) {
        const steal = watchSteal();
        const load = { rps, arrival, pacing, warmupSeconds: WARMUP_SECONDS };
        const { ran: trial, wire } = await watched(() => run(load), WARMUP_SECONDS);
        const gaps = await readGaps();
        const { lateness } = trial.latency;
        const score = (of: readonly number[] | undefined): string =>
          arrival === "poisson" && of !== undefined ? poissonScore(of, rps) : "";
        rows.push([
          `${arrival}, ${pacing}`,
          ...[wire?.cv.toFixed(3) ?? "-", score(wire?.gaps), gaps.cv.toFixed(3), score(await receivedGaps())],
          ...[ms(gaps.p50Ms), ms(gaps.p99Ms)],
          ...[ms(lateness.p50Ms), ms(lateness.p99Ms), ms(lateness.maxMs)],
          ...[gaps.waitUs.toFixed(0), trial.validity.verdict, steal()],
        ]);
      }
    }
  }
  console.log(`\nGaps at ${rps}/s, ms. KS: the score of a Poisson process is over 1.95 once in 1,000 times`);
  printTable(rows);
}

async function ratesTable(): Promise<void> {
  const rows = [["rate asked", "planned", "received", "rate seen", "off", "run s", "with drain", "verdict", "steal"]];
  for (const rate of rates) {
    const steal = watchSteal();
    const trial = await run({ rps: rate, arrival: "constant", pacing: "precise", warmupSeconds: 0 });
    const { gaps, spanSeconds, arrivals } = await readGaps();
    const seen = gaps / spanSeconds;
    rows.push([
      ...[`${rate}`, `${trial.calls.planned}`, `${arrivals}`],
      ...(gaps > 0 ? [seen.toFixed(3), percent(seen / rate - 1)] : ["-", "-"]),
      ...[trial.durationSeconds.toFixed(3), (trial.durationSeconds + trial.drainSeconds).toFixed(3)],
      ...[trial.validity.verdict, steal()],
    ]);
  }
  console.log(`\nConstant rates over ${seconds} s, precise pacing; the rate seen is over all gaps`);
  printTable(rows);
}

async function othersTable(): Promise<void> {
  const rows = [["generator", "wire CV", "gap CV", "gap p50", "gap p99", "rate seen", "wait us", "rounds", "steal"]];
  const figures = new Map<string, (Gaps & { readonly wireCv: number })[]>();
  const note = async (name: string, wire: Wire | undefined): Promise<void> => {
    figures.set(name, [...(figures.get(name) ?? []), { ...(await readGaps()), wireCv: wire?.cv ?? Number.NaN }]);
  };
  const missing: string[] = [];
  const verdicts: string[] = [];
  const steal = watchSteal();
  for (let round = 0; round < rounds; round += 1) {
    for (const transport of TRANSPORTS) {
      const load = { rps, arrival: "constant", pacing: "precise", warmupSeconds: WARMUP_SECONDS, transport } as const;
      const { ran: trial, wire } = await watched(() => run(load), WARMUP_SECONDS);
      verdicts.push(trial.validity.verdict);
      await note(`${OURS}, ${transport}`, wire);
    }
    for (const generator of OTHER_GENERATORS) {
      await reset(WARMUP_SECONDS);
      const asked = { url: `${origin}/`, connections, seconds: seconds + WARMUP_SECONDS, rps };
      const { ran: refusal, wire: seen } = await watched(async () => {
        const other = startOther(generator, asked);
        if (typeof other === "string") return other;
        await other.ended;
        return undefined;
      }, WARMUP_SECONDS);
      if (refusal === undefined) await note(generator.name, seen);
      else if (round === 0) missing.push(`${generator.name} (${refusal === "cannot" ? "knows no rate" : refusal})`);
    }
  }
  for (const [name, all] of figures) {
    const of = (figure: (gaps: (typeof all)[number]) => number): number => {
      const values = all.map(figure);
      // Nothing was captured where the kernel does not let us.
      return values.some(Number.isNaN) ? Number.NaN : median(values);
    };
    rows.push([
      name,
      ...[of((gaps) => gaps.wireCv), of((gaps) => gaps.cv)].map((cv) => (Number.isNaN(cv) ? "-" : cv.toFixed(3))),
      ...[ms(of((gaps) => gaps.p50Ms)), ms(of((gaps) => gaps.p99Ms))],
      of((gaps) => gaps.gaps / gaps.spanSeconds).toFixed(1),
      of((gaps) => gaps.waitUs).toFixed(0),
      ...[`${all.length}`, steal()],
    ]);
  }
  console.log(
    `\n${rps}/s constant side by side, ${connections} connections for the others, medians over the rounds, ms`,
  );
  printTable(rows);
  console.log(`  ${OURS}'s verdicts on itself: ${verdicts.join(", ")}`);
  if (missing.length > 0) console.log(`  Not here: ${missing.join(", ")}`);
}

console.log(describeMachine());
try {
  await gapsTable();
  await ratesTable();
  await othersTable();
} finally {
  await receiver.stop();
}
