/**
 * Where the time of a request over `wire` goes: V8's sampling profile of a whole run as a closed loop, self time by part. On Node,
 * whose profiler is that; on the others the split into user and system time alone.
 *
 *   node dist/bench/test/bench/wire-profile.js [--seconds 10] [--connections 64] [--size 1]   (after: npx tsc -p test/bench)
 *
 * Sizes: 1 what nginx says by itself, 2 the headers of an application, 3 these and a body of 1 KB. The write of a request is one
 * native function, most of it the kernel's, which delivers what goes to loopback before it returns. V8 books waiting for sockets and
 * reading from them as idle: that, and the other threads, is the rest of the processor time.
 */

import { Session } from "node:inspector/promises";
import process from "node:process";
import { currentRuntime } from "../../src/world/runtime.ts";
import { readArguments } from "./arguments.ts";
import { SIZES, startCheapServer } from "./cheap-server.ts";
import { closedRun } from "./closed-run.ts";
import { describeMachine } from "./machine.ts";
import { printTable } from "./print-table.ts";

const { seconds, connections, size } = readArguments({ seconds: 10, connections: 64, size: 1 });
const SAMPLE_MICROS = 200;

/** The first that fits. */
const PARTS: readonly (readonly [part: string, pattern: RegExp])[] = [
  ["parser", /wire\/(answer-parser|status-line|field-|message-framing|chunk|picked|characters|text-end)/],
  ["lane and transport", /world\/real\/(wire\/|http1-transport|connection-use|dial|monotonic|attempt-headers)/],
  ["scheduler", /real-scheduler|task-queue|task-heap|fibres|governed/],
  ["recorder", /engine\/(recorder|tally|histogram|latency|series|sparse|class-tally|gap)|hdr-histogram/],
  ["policy", /src\/policy/],
  ["engine", /src\/engine/],
  ["sockets and streams of Node", /^node:/],
];

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

function partOf({ functionName, url }: Profile["nodes"][number]["callFrame"]): string {
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "garbage collector";
  if (url === "") return functionName.startsWith("(") ? "native: the program" : `native: ${functionName}`;
  return PARTS.find(([, pattern]) => pattern.test(url))?.[0] ?? "other";
}

const server = await startCheapServer();
if (server === undefined) {
  console.error("nginx is not installed: as root, apt-get install nginx-light");
  process.exit(1);
}
console.log(describeMachine());
const url = server.url(SIZES[size - 1] ?? "tiny", false);
const run = { transport: "wire", url, secure: false, headers: [], connections } as const;
const session = new Session();
const profiles = currentRuntime().name === "node";
try {
  // From the start: of code that was compiled before, a profile tells its callers alone.
  if (profiles) {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROS });
    await session.post("Profiler.start");
  }
  const before = process.cpuUsage();
  const { sent } = await closedRun({ ...run, seconds });
  const { user, system } = process.cpuUsage(before);
  const cpuMicros = user + system;
  console.log(`\n${sent} requests, ${(cpuMicros / sent).toFixed(1)} us of CPU each, compiling included`);
  console.log(
    `  user ${((100 * user) / (user + system)).toFixed(0)} %, system ${((100 * system) / (user + system)).toFixed(0)} %`,
  );
  if (profiles) {
    const { profile } = await session.post("Profiler.stop");
    printParts(profile as Profile, sent, cpuMicros);
  }
} finally {
  session.disconnect();
  await server.stop();
}

function printParts({ nodes, samples = [], timeDeltas = [] }: Profile, requests: number, cpuMicros: number): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const micros = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined) continue;
    const part = partOf(frame);
    micros.set(part, (micros.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  }
  micros.delete("idle");
  const seen = [...micros.values()].reduce((sum, value) => sum + value, 0);
  micros.set("the rest: poll, reads, other threads", cpuMicros - seen);
  const rows = [...micros]
    .sort(([, a], [, b]) => b - a)
    .map(([part, value]) => [part, (value / requests).toFixed(2), `${((100 * value) / cpuMicros).toFixed(1)} %`]);
  printTable([["main thread, by part", "us per request", "share"], ...rows.filter(([, , share]) => share !== "0.0 %")]);
}
