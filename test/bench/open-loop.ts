/**
 * How much open load one generator thread makes, and how late, over each transport: Poisson arrivals at several rates against a
 * null server on another processor, warm-up left out. Beside them a bare loop over sockets (test/bench/bare-open-loop.ts) sends at
 * the same rates: what it is late by is the machine's doing. Then the same load on one thread and on two, against two null servers: where
 * processors are free it scales, and where they are not it must still be the same plan with nothing lost.
 *
 *   bun test/bench/open-loop.ts [--rates 5000,40000] [--seconds 10] [--warmup 3] [--rounds 3] [--workerRps 10000]
 *   deno run -A test/bench/open-loop.ts
 *   node dist/bench/test/bench/open-loop.js   (after: npx tsc -p test/bench)
 *
 * Runs the program as a user would. The rate and the CPU time of its process are taken from outside, between the end of
 * the warm-up and the end of the arrivals: requests that the server counted, /proc of the process. A precise pacer spins:
 * its CPU time per request is that of its processor, whatever a request costs; request-cost.ts tells what one costs. The
 * servers run under Bun where it is there. Run it on a quiet machine; figures with more than 2 % steal are the host's.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { readArguments } from "./arguments.ts";
import { bareLateness, type Lateness } from "./bare-open-loop.ts";
import { startCheapServer } from "./cheap-server.ts";
import { startCli } from "./cli-trial.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { type BenchNullServer, startNullServer } from "./null-server.ts";
import { printTable } from "./print-table.ts";
import { readProcess } from "./process-usage.ts";

const { rates, seconds, warmup, rounds, workerRps } = readArguments({
  rates: [5000, 20_000, 40_000],
  seconds: 10,
  warmup: 3,
  rounds: 3,
  workerRps: 10_000,
});

const POLL_MS = 20;
/** Left out at both ends of the slice that is measured from outside. */
const MARGIN_SECONDS = 0.2;

interface Slice {
  readonly trial: TrialResult;
  readonly steal: string;
  readonly perSecond: number;
  /** NaN where /proc is not there. */
  readonly cpuRatio: number;
}

async function requestsOf(servers: readonly Counting[]): Promise<number> {
  const counts = await Promise.all(servers.map((server) => server.requests()));
  return counts.reduce((sum, count) => sum + count, 0);
}

type Counting = Pick<BenchNullServer, "requests">;

interface Reading {
  readonly seconds: number;
  readonly requests: number;
  readonly cpuSeconds: number;
}

async function read(servers: readonly Counting[], pid: number): Promise<Reading> {
  const requests = await requestsOf(servers);
  return {
    seconds: performance.now() / 1000,
    requests,
    cpuSeconds: readProcess(pid)?.cpuSeconds ?? Number.NaN,
  };
}

async function measure(
  servers: readonly Counting[],
  flags: Readonly<Record<string, string | number | undefined>>,
): Promise<Slice> {
  const steal = watchSteal();
  const idle = await requestsOf(servers);
  const { pid, trial } = startCli({
    duration: `${seconds}s`,
    warmup: `${warmup}s`,
    policy: "none",
    pacing: "precise",
    ...flags,
  });
  // Not left unhandled while the slice is awaited; it is awaited itself below.
  trial.catch(() => {});
  let over = false;
  void trial.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  while (!over && (await requestsOf(servers)) === idle) await sleep(POLL_MS);
  await sleep(1000 * (warmup + MARGIN_SECONDS));
  const before = await read(servers, pid);
  await sleep(1000 * (seconds - 2 * MARGIN_SECONDS));
  const after = await read(servers, pid);
  const elapsed = after.seconds - before.seconds;
  return {
    trial: await trial,
    steal: steal(),
    perSecond: (after.requests - before.requests) / elapsed,
    cpuRatio: (after.cpuSeconds - before.cpuSeconds) / elapsed,
  };
}

const HEAD = ["sent/s", "of plan", "late p50", "p99", "p99.9", "max ms", "ok", "CPU", "us/request", "verdict", "steal"];

/** The figures of one load: medians over the rounds, and what every round said. */
function figures(planned: number, slices: readonly Slice[]): string[] {
  const of = (figure: (slice: Slice) => number): number => median(slices.map(figure));
  const late = (figure: (lateness: TrialResult["latency"]["lateness"]) => number): string =>
    of(({ trial }) => figure(trial.latency.lateness)).toFixed(3);
  return [
    of((slice) => slice.perSecond).toFixed(0),
    `${(100 * of((slice) => slice.perSecond / planned)).toFixed(1)} %`,
    late((lateness) => lateness.p50Ms),
    late((lateness) => lateness.p99Ms),
    late((lateness) => lateness.p999Ms),
    late((lateness) => lateness.maxMs),
    `${(100 * of(({ trial }) => trial.calls.ok / trial.calls.planned)).toFixed(2)} %`,
    `${(100 * of((slice) => slice.cpuRatio)).toFixed(0)} %`,
    (1e6 * of((slice) => slice.cpuRatio / slice.perSecond)).toFixed(1),
    slices.map(({ trial }) => trial.validity.verdict).join(" "),
    slices.map((slice) => slice.steal).join(" "),
  ];
}

const TRANSPORTS = ["undici", "wire"] as const;

async function rateTable(): Promise<void> {
  // nginx where it is there: at high rates a server in JavaScript is no faster than the client.
  const server = (await startCheapServer()) ?? (await startNullServer());
  const url = "url" in server ? server.url("tiny", false) : `http://127.0.0.1:${server.port}/`;
  const slices = new Map<string, Slice[]>();
  const bare = new Map<number, Lateness[]>(rates.map((rate) => [rate, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const rate of rates) {
        for (const transport of TRANSPORTS) {
          const slice = await measure([server], { rps: rate, url, transport });
          slices.set(`${rate} ${transport}`, [...(slices.get(`${rate} ${transport}`) ?? []), slice]);
        }
        bare.get(rate)?.push(await bareLateness(new URL(url), rate, warmup, seconds));
      }
    }
  } finally {
    await server.stop();
  }
  console.log(`\nOne thread, Poisson, precise pacing, ${warmup} s of warm-up left out, medians of ${rounds} rounds`);
  const rows = [...slices].map(([name, all]) => [name, ...figures(Number.parseFloat(name), all)]);
  printTable([["rate, transport", ...HEAD], ...rows]);
  console.log("  A bare loop over sockets, late by p50 / p99 / p99.9 / at most, in ms:");
  for (const [rate, all] of bare) {
    const of = (key: keyof Lateness): string => median(all.map((lateness) => lateness[key])).toFixed(3);
    console.log(`  ${rate}: ${of("p50Ms")} / ${of("p99Ms")} / ${of("p999Ms")} / ${of("maxMs")}`);
  }
}

/** Two servers behind one name: the same port on two addresses of the loopback interface. */
async function workersTable(): Promise<void> {
  const first = await startNullServer();
  const second = await startNullServer({ host: "127.0.0.2", port: first.port, fromLast: 1 });
  const slices = new Map<number, Slice[]>([
    [1, []],
    [2, []],
  ]);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [workers, all] of slices) {
        const slice = await measure([first, second], {
          rps: workerRps,
          url: `http://two.test:${first.port}/`,
          resolve: `two.test:${first.port}:127.0.0.1,127.0.0.2`,
          workers,
        });
        all.push(slice);
      }
    }
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
  console.log(`\nThreads against two null servers, ${workerRps}/s in all, medians of ${rounds} rounds`);
  const rows = [...slices].map(([workers, all]) => [`${workers}`, ...figures(workerRps, all)]);
  printTable([["threads", ...HEAD], ...rows]);
  for (const [workers, all] of slices) {
    const plans = all.map(({ trial }) => `${trial.plan.hash}, ${trial.calls.planned} calls`);
    console.log(`  ${workers} threads: plan ${[...new Set(plans)].join("; ")}`);
  }
}

console.log(describeMachine());
await rateTable();
await workersTable();
