/**
 * What a request costs over each transport: CPU time of the whole process per request, of a whole run (engine, policy
 * `sre`, recorder), beside wrk, autocannon and bare loops of this runtime over sockets and over undici. In turn, in short slices
 * against one nginx on the last processor, so that what the machine does meanwhile happens to all of them.
 *
 *   bun test/bench/transport-cost.ts [--rounds 9] [--seconds 1] [--connections 64] [--cases 1,2,3,4]
 *   deno run -A test/bench/transport-cost.ts
 *   node dist/bench/test/bench/transport-cost.js   (after: npx tsc -p test/bench)
 *
 * Cases: 1 what nginx says by itself, 2 the headers of an application, in the request too, 3 these and a body of 1 KB, 4 the
 * first one over TLS. All are closed loops of so many connections, the harness too (its engine has them for the governor): so
 * nobody's processor time is that of waiting. The variables WRK and AUTOCANNON name the programs where they are not on the path. The first
 * two rounds compile the code and do not count, nor does a slice of which the host stole more than 2 %.
 */

import { spawn } from "node:child_process";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { TransportName } from "../../src/engine/trial-spec.ts";
import { median } from "../../src/stats/median.ts";
import { readCpu, stealRatio } from "../../src/world/real/cpu-times.ts";
import { readArguments } from "./arguments.ts";
import { BareSockets } from "./bare-socket.ts";
import { runClosed } from "./bare-undici.ts";
import { type CheapServer, type Size, startCheapServer } from "./cheap-server.ts";
import { closedRun, type RequestHeaders } from "./closed-run.ts";
import { findExecutable } from "./executables.ts";
import { describeMachine } from "./machine.ts";
import { printTable } from "./print-table.ts";
import { readProcess } from "./process-usage.ts";

const { rounds, seconds, connections, cases } = readArguments({
  rounds: 9,
  seconds: 1,
  connections: 64,
  cases: [1, 2, 3, 4],
});

const STEAL_MAX = 0.02;
/** Other programs start, and compile their code, in this time. */
const OTHER_START_SECONDS = 0.7;
const BARE_REQUESTS = 40_000;
const WARMUP_ROUNDS = 2;

const REQUEST_HEADERS: RequestHeaders = [
  [
    "user-agent",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  ],
  ["accept", "application/json, text/plain, */*"],
  ["accept-encoding", "gzip, deflate, br"],
  ["accept-language", "en-GB,en;q=0.9,de;q=0.7"],
  ["authorization", `Bearer ${"0123456789abcdef".repeat(6)}`],
  ["x-request-id", "7b2f9c1e-3f51-4f0e-9f5c-0123456789ab"],
];

interface Case {
  readonly name: string;
  readonly size: Size;
  readonly secure: boolean;
  readonly headers: RequestHeaders;
}

const CASES: readonly Case[] = [
  { name: "tiny answers", size: "tiny", secure: false, headers: [] },
  { name: "realistic headers", size: "headers", secure: false, headers: REQUEST_HEADERS },
  { name: "realistic headers, 1 KB", size: "body", secure: false, headers: REQUEST_HEADERS },
  { name: "tiny answers, TLS", size: "tiny", secure: true, headers: [] },
];

interface Measured {
  readonly micros: number;
  readonly perSecond: number;
}

const NOTHING: Measured = { micros: Number.NaN, perSecond: Number.NaN };

async function harness(transport: TransportName, url: string, { secure, headers }: Case): Promise<Measured> {
  const { cpuSeconds, wallSeconds, sent } = await closedRun({ transport, url, secure, headers, connections, seconds });
  return { micros: (cpuSeconds / sent) * 1e6, perSecond: sent / wallSeconds };
}

async function own(work: () => Promise<void>): Promise<Measured> {
  const before = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { micros: (user + system) / BARE_REQUESTS, perSecond: (1000 * BARE_REQUESTS) / (performance.now() - startMs) };
}

async function other(server: CheapServer, file: string | undefined, args: readonly string[]): Promise<Measured> {
  if (file === undefined) return NOTHING;
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
  const child = spawn(file, args, { stdio: "ignore", env });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const read = async (): Promise<readonly [number, number, number]> => [
    readProcess(child.pid as number)?.cpuSeconds ?? Number.NaN,
    await server.requests(),
    performance.now() / 1000,
  ];
  await sleep(1000 * OTHER_START_SECONDS);
  const [cpuBefore, before, from] = await read();
  await sleep(1000 * seconds);
  const [cpuAfter, after, to] = await read();
  child.kill("SIGTERM");
  await ended;
  return { micros: ((cpuAfter - cpuBefore) / (after - before)) * 1e6, perSecond: (after - before) / (to - from) };
}

const ENDS_SECONDS = Math.ceil(OTHER_START_SECONDS + seconds + 2);

function variantsOf(server: CheapServer, one: Case): readonly (readonly [string, () => Promise<Measured>])[] {
  const url = server.url(one.size, one.secure);
  const headers = one.headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const wrk = ["-t1", `-c${connections}`, `-d${ENDS_SECONDS}s`, ...headers, url];
  // Its headers are written name=value.
  const fields = one.headers.flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const autocannon = ["-c", `${connections}`, "-d", `${ENDS_SECONDS}`, ...fields, url];
  const target = new URL(url);
  return [
    ["wrk", () => other(server, findExecutable("wrk"), wrk)],
    ["autocannon", () => other(server, findExecutable("autocannon"), autocannon)],
    [
      "bare sockets",
      async () => {
        const bare = new BareSockets(target, one.headers);
        await bare.open(target, connections);
        const measured = await own(() => bare.run(BARE_REQUESTS));
        bare.close();
        return measured;
      },
    ],
    // It knows no headers and no self-signed certificates.
    [
      "bare undici",
      () =>
        one.secure
          ? Promise.resolve(NOTHING)
          : own(() => runClosed(target.origin, connections, BARE_REQUESTS, target.pathname)),
    ],
    ["whole run, undici", () => harness("undici", url, one)],
    ["whole run, wire", () => harness("wire", url, one)],
  ];
}

const server = await startCheapServer();
if (server === undefined) {
  console.error("nginx is not installed: as root, apt-get install nginx-light");
  process.exit(1);
}
console.log(describeMachine());
const chosen = cases.map((number) => CASES[number - 1]).filter((one) => one !== undefined);
const slices = new Map<string, Measured[]>();
let stolen = 0;
try {
  for (let round = 0; round < rounds; round += 1) {
    for (const one of chosen) {
      for (const [name, measure] of variantsOf(server, one)) {
        const before = readCpu();
        const measured = await measure();
        if (round < WARMUP_ROUNDS) continue;
        if (stealRatio(before, readCpu()) > STEAL_MAX) {
          stolen += 1;
          continue;
        }
        const key = `${one.name}: ${name}`;
        slices.set(key, [...(slices.get(key) ?? []), measured]);
      }
    }
  }
} finally {
  await server.stop();
}

const medianOf = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : median(values));
const figure = (one: Case, name: string, of: (measured: Measured) => number): number =>
  medianOf((slices.get(`${one.name}: ${name}`) ?? []).map(of).filter((value) => !Number.isNaN(value)));
const micros = (one: Case, name: string): number => figure(one, name, (measured) => measured.micros);
const shown = (value: number, digits: number, unit: string): string =>
  Number.isNaN(value) ? "-" : `${value.toFixed(digits)}${unit}`;
const BASES = ["wrk", "autocannon", "whole run, undici"] as const;
for (const one of chosen) {
  console.log(
    `\n${one.name}: CPU per request, medians of up to ${rounds - WARMUP_ROUNDS} slices of ${seconds} s; ratios to ${BASES.join(", ")}`,
  );
  printTable([
    ["", "us", "per second", ...BASES.map((base) => `/ ${base.replace("whole run, ", "")}`)],
    ...variantsOf(server, one).map(([name]) => [
      name,
      shown(micros(one, name), 1, ""),
      shown(
        figure(one, name, (measured) => measured.perSecond),
        0,
        "",
      ),
      ...BASES.map((base) => shown(micros(one, name) / micros(one, base), 2, "")),
    ]),
  ]);
}
console.log(`  ${stolen} slices left out, of which the host stole more than ${100 * STEAL_MAX} %`);
