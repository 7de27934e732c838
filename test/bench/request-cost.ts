/**
 * What a request costs the generator: CPU time of its process per request, in turn against the same server in a process
 * of its own, of
 *
 * - a bare undici `dispatch` loop, closed: each of 64 connections sends its next request when it has its answer;
 * - a bare undici `dispatch` loop, open: the same arrivals as the harness, on timers, and nothing else;
 * - the whole harness: plan, pacer, policy, recorder;
 * - the same as busy as the closed loop: more arrivals than it can do, and as many calls under way as that has connections;
 * - other generators that are installed (the variables AUTOCANNON and WRK name them where they are not on the path):
 *   closed with as many connections, and at the same rate where they know one.
 *
 * The closed loop never sleeps, so it pays for no wake-up; what the harness adds is its distance from the open one.
 *
 *   bun test/bench/request-cost.ts [--rounds 7] [--rps 10000] [--seconds 4] [--connections 64]
 *   deno run -A test/bench/request-cost.ts
 *   node dist/bench/test/bench/request-cost.js   (after: npx tsc -p test/bench)
 *
 * Run it on a quiet machine. The server runs under Bun where it is there, bound to the last processor where `taskset` is.
 * The first round compiles the code and does not count.
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pacing, TrialSpec } from "../../src/engine/trial-spec.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { median } from "../../src/stats/median.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";
import { readArguments } from "./arguments.ts";
import { runClosed, runOpen } from "./bare-undici.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { startNullServer } from "./null-server.ts";
import { OTHER_GENERATORS, startOther } from "./other-generators.ts";
import { printTable } from "./print-table.ts";
import { readProcess } from "./process-usage.ts";

const CLOSED_REQUESTS = 40_000;
/** More than this machine can do. */
const SATURATING_RPS = 60_000;
/** Other programs start, and compile their code, in this time; what they cost in it is left out. */
const OTHER_START_SECONDS = 1.5;
const { rounds, rps, seconds, connections } = readArguments({ rounds: 7, rps: 10_000, seconds: 4, connections: 64 });
const PLAN: PlanSpec = {
  seed: 1,
  arrival: { law: "poisson", rate: { kind: "constant", rps } },
  warmupSeconds: 0,
  durationSeconds: seconds,
  users: 100,
};

const server = await startNullServer();
const origin = `http://127.0.0.1:${server.port}`;

/** CPU time of this process, all threads, that `work` takes for each of the requests it gives. */
async function microsOf(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const requests = await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

async function bareClosed(): Promise<number> {
  await runClosed(origin, connections, CLOSED_REQUESTS);
  return CLOSED_REQUESTS;
}

/** A `timer` pacer sleeps; a precise one spins, and uses up its processor whatever a request costs. */
async function harnessMicros(policy: string, pacing: Pacing): Promise<number> {
  const trial = await harness(policy, pacing, {});
  // A cold `sre` client may throttle a few calls of a healthy backend: answers that are still on their way count against it.
  const { planned, ok, throttled } = trial.calls;
  if (ok + throttled !== planned) console.log(`  not all ok: ${JSON.stringify([trial.calls, trial.errors])}`);
  return ((trial.generator?.cpuSeconds ?? 0) / trial.attempts.sent) * 1e6;
}

/** What there is no room for is dropped, at a fraction of what a request costs. */
async function saturatedMicros(policy: string): Promise<number> {
  const plan: PlanSpec = { ...PLAN, arrival: { law: "constant", rate: { kind: "constant", rps: SATURATING_RPS } } };
  const trial = await harness(policy, "precise", { plan, maxInFlight: connections });
  return ((trial.generator?.cpuSeconds ?? 0) / trial.attempts.sent) * 1e6;
}

async function harness(policy: string, pacing: Pacing, change: Partial<TrialSpec>): Promise<TrialResult> {
  return await executeTrial(
    trialSpec({
      plan: PLAN,
      policy: { name: policy, options: {} },
      ...change,
      world: {
        kind: "real",
        url: `${origin}/`,
        method: "GET",
        headers: [],
        body: undefined,
        connections: PLAIN_CONNECTIONS,
        // What the harness adds is its distance from undici: transport-cost.ts tells what `wire` costs.
        transport: "undici",
        pacing,
        sentinelUrl: undefined,
      },
    }),
    UNWATCHED,
  );
}

/** NaN when it is not there, or knows no such load. */
async function otherMicros(name: string, rate: number | undefined): Promise<number> {
  const generator = OTHER_GENERATORS.find((other) => other.name === name);
  const other =
    generator === undefined
      ? "cannot"
      : startOther(generator, {
          url: `${origin}/`,
          connections,
          seconds: Math.ceil(OTHER_START_SECONDS + seconds + 0.5),
          rps: rate,
        });
  if (typeof other === "string") return Number.NaN;
  const read = async (): Promise<[number, number]> => [
    readProcess(other.pid)?.cpuSeconds ?? Number.NaN,
    await server.requests(),
  ];
  await sleep(1000 * OTHER_START_SECONDS);
  const [cpuBefore, requestsBefore] = await read();
  await sleep(1000 * seconds);
  const [cpuAfter, requestsAfter] = await read();
  await other.ended;
  return ((cpuAfter - cpuBefore) / (requestsAfter - requestsBefore)) * 1e6;
}

const BASES = ["bare undici dispatch, closed", "bare undici dispatch, open", "autocannon, closed"] as const;
const variants: readonly (readonly [string, () => Promise<number>])[] = [
  [BASES[0], () => microsOf(bareClosed)],
  [BASES[1], () => microsOf(() => runOpen(origin, createPlan(PLAN).arrivals()))],
  ["harness, none, timer", () => harnessMicros("none", "timer")],
  ["harness, sre, timer", () => harnessMicros("sre", "timer")],
  ["harness, sre, precise", () => harnessMicros("sre", "precise")],
  ["harness, none, saturated", () => saturatedMicros("none")],
  ["harness, sre, saturated", () => saturatedMicros("sre")],
  [BASES[2], () => otherMicros("autocannon", undefined)],
  [`autocannon, ${rps}/s`, () => otherMicros("autocannon", rps)],
  ["wrk, closed", () => otherMicros("wrk", undefined)],
];

console.log(describeMachine());
const measured = new Map<string, number[]>(variants.map(([name]) => [name, []]));
const steals: string[] = [];
try {
  for (let round = 0; round < rounds; round += 1) {
    const steal = watchSteal();
    for (const [name, micros] of variants) measured.get(name)?.push(await micros());
    steals.push(steal());
  }
} finally {
  await server.stop();
}

/** NaN where nothing was measured. */
function figure(name: string): number {
  const values = (measured.get(name) ?? []).slice(rounds > 1 ? 1 : 0);
  return values.some(Number.isNaN) ? Number.NaN : median(values);
}
const shown = (value: number, digits: number, unit: string): string =>
  Number.isNaN(value) ? "-" : `${value.toFixed(digits)}${unit}`;
console.log(`\nCPU per request, medians; open loops at ${rps}/s; ratios to ${BASES.join("; to ")}`);
printTable([
  ["", "us", "", "", ""],
  ...variants.map(([name]) => [
    name,
    shown(figure(name), 1, " us"),
    ...BASES.map((base) => shown(figure(name) / figure(base), 2, "x")),
  ]),
]);
if (variants.some(([name]) => Number.isNaN(figure(name)))) console.log("  -: not installed, or fell behind");
console.log(`  steal in each round: ${steals.join(", ")}`);
