/**
 * A long run of the program on this runtime, against a null server: do its CPU time and its memory stay flat?
 *
 *   bun test/bench/soak.ts [--minutes 10] [--rps 5000] [--sampleSeconds 10]
 *   deno run -A test/bench/soak.ts
 *   node dist/bench/test/bench/soak.js   (after: npx tsc -p test/bench)
 *
 * Samples /proc of the process (Linux only). The slopes are lines by least squares through the samples of the second to the
 * last minute: the first compiles the code. Pacing is `timer`: a precise pacer spins, and its CPU time is always that of a
 * processor. The server runs under Bun where it is there, bound to the last processor.
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments } from "./arguments.ts";
import { startCli } from "./cli-trial.ts";
import { slopeOf } from "./line-fit.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { startNullServer } from "./null-server.ts";
import { printTable } from "./print-table.ts";
import { readProcess } from "./process-usage.ts";

const MEGABYTE = 1e6;
/** The program may take this much longer than its plan, to start, drain and write: then it is ended. */
const GRACE_SECONDS = 60;
const { minutes, rps, sampleSeconds } = readArguments({ minutes: 10, rps: 5000, sampleSeconds: 10 });
const durationSeconds = 60 * minutes;

interface Sample {
  /** Since the start of the process. */
  readonly seconds: number;
  /** Over the time since the sample before. */
  readonly cpuPercent: number;
  readonly rssBytes: number;
}

/** Samples until `over` says so or the process is gone; ends it when it has had its time. */
async function watch(pid: number, over: () => boolean, kill: () => void): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  let last = { seconds: 0, cpuSeconds: 0 };
  for (;;) {
    await sleep(1000 * sampleSeconds);
    const seconds = (performance.now() - startMs) / 1000;
    const usage = over() ? undefined : readProcess(pid);
    if (usage === undefined) return samples;
    const cpuPercent = (100 * (usage.cpuSeconds - last.cpuSeconds)) / (seconds - last.seconds);
    samples.push({ seconds, cpuPercent, rssBytes: usage.rssBytes });
    last = { seconds, cpuSeconds: usage.cpuSeconds };
    if (seconds > durationSeconds + GRACE_SECONDS) kill();
  }
}

function minuteTable(samples: readonly Sample[]): string[][] {
  const rows = [["minute", "samples", "CPU", "resident", "most"]];
  for (let minute = 0; minute < minutes; minute += 1) {
    const within = samples.filter(({ seconds }) => Math.floor(seconds / 60) === minute);
    if (within.length === 0) continue;
    const mean = (figure: (sample: Sample) => number): number =>
      within.reduce((sum, sample) => sum + figure(sample), 0) / within.length;
    const most = Math.max(...within.map(({ rssBytes }) => rssBytes));
    rows.push([
      ...[`${minute + 1}`, `${within.length}`, `${mean(({ cpuPercent }) => cpuPercent).toFixed(1)} %`],
      ...[`${(mean(({ rssBytes }) => rssBytes) / MEGABYTE).toFixed(1)} MB`, `${(most / MEGABYTE).toFixed(1)} MB`],
    ]);
  }
  return rows;
}

console.log(describeMachine());
const steal = watchSteal();
const server = await startNullServer();
const run = startCli({
  url: `http://127.0.0.1:${server.port}/`,
  rps,
  duration: `${durationSeconds}s`,
  policy: "sre",
  pacing: "timer",
});
process.once("SIGINT", () => run.kill());
let over = false;
const ended = run.trial.finally(() => {
  over = true;
});
// Not left unhandled while the samples are taken; it is awaited below.
ended.catch(() => {});
try {
  const samples = await watch(run.pid, () => over, run.kill);
  const trial = await ended;
  console.log(`\n${rps}/s for ${minutes} minutes, steal ${steal()}`);
  printTable(minuteTable(samples));
  const settled = samples.filter(({ seconds }) => seconds >= 60 && seconds < durationSeconds);
  const perMinute = (figure: (sample: Sample) => number): number =>
    60 *
    slopeOf(
      settled.map(({ seconds }) => seconds),
      settled.map(figure),
    );
  if (settled.length > 1) {
    const cpu = perMinute(({ cpuPercent }) => cpuPercent).toFixed(2);
    const rss = (perMinute(({ rssBytes }) => rssBytes) / MEGABYTE).toFixed(2);
    console.log(`  Slopes from the second minute on: CPU ${cpu} points, resident ${rss} MB in a minute`);
  }
  const { lateness } = trial.latency;
  const late = `p50 ${lateness.p50Ms} ms, p99 ${lateness.p99Ms} ms, most ${lateness.maxMs} ms`;
  const { verdict, reasons } = trial.validity;
  console.log(`  ${trial.calls.ok} of ${trial.calls.planned} calls ok; lateness ${late}`);
  console.log(`  ${verdict}${reasons.map(({ message }) => `; ${message}`).join("")}`);
} finally {
  if (!over) run.kill();
  await server.stop();
}
