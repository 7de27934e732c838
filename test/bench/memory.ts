/**
 * Memory that does not grow with the number of requests: resident memory around 20 million records, as the loop makes
 * them, with what a record costs; then along one virtual trial of many millions of calls.
 *
 *   bun test/bench/memory.ts [--records 20000000] [--calls 10000000]
 *   deno run -A --v8-flags=--expose-gc test/bench/memory.ts
 *   node --expose-gc dist/bench/test/bench/memory.js   (after: npx tsc -p test/bench)
 *
 * The budget is less than 20 MB for 20 million records. Garbage is collected before each reading where the runtime lets us.
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type AttemptClass, Call, type Outcome } from "../../src/engine/call.ts";
import { Recorder } from "../../src/engine/recorder.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec } from "../support/trial-spec.ts";
import { readArguments } from "./arguments.ts";
import { slopeOf } from "./line-fit.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { printTable } from "./print-table.ts";

const MEGABYTE = 1e6;
const USERS = 1000;
const RECORDS_PER_SECOND = 5000;
const WARM_RECORDS = 1_000_000;
const SAMPLES = 10;
const { records, calls } = readArguments({ records: 20_000_000, calls: 10_000_000 });

function collectGarbage(): void {
  const runtime = globalThis as { gc?: () => void; Bun?: { gc(force: boolean): void } };
  runtime.Bun?.gc(true);
  runtime.gc?.();
}

async function residentBytes(): Promise<number> {
  collectGarbage();
  // What a collection frees goes back to the system a little later.
  await sleep(500);
  return process.memoryUsage.rss();
}

/** Ends of calls, in turn: every outcome that an attempt leads to, every class, several statuses and codes. */
interface End {
  readonly outcome: Outcome;
  readonly attemptClass: AttemptClass | undefined;
  readonly status: number;
  readonly errorCode: string;
}

const answered = (outcome: Outcome, attemptClass: AttemptClass, status: number): End => ({
  outcome,
  attemptClass,
  status,
  errorCode: "",
});
const broken = (attemptClass: AttemptClass, errorCode: string): End => ({
  outcome: "failed",
  attemptClass,
  status: 0,
  errorCode,
});
const unsent = (outcome: Outcome): End => ({ outcome, attemptClass: undefined, status: 0, errorCode: "" });

const ENDS: readonly End[] = [
  answered("ok", "accepted", 200),
  answered("ok", "accepted", 204),
  answered("failed", "accepted", 404),
  answered("failed", "overloaded", 503),
  answered("budget", "overloaded", 429),
  broken("overloaded", "ECONNRESET"),
  broken("overloaded", "timeout"),
  broken("failed", "HPE_INVALID_CONSTANT"),
  broken("clientFault", "EMFILE"),
  broken("staleConnection", "UND_ERR_SOCKET"),
  unsent("throttled"),
  unsent("broken"),
  unsent("limited"),
  unsent("deadline"),
  unsent("dropped"),
  answered("unfinished", "accepted", 200),
];

/** Records `count` calls from number `from` on, at {@link RECORDS_PER_SECOND} of intended time, latencies up to 4 s. */
function record(recorder: Recorder, from: number, count: number): void {
  const call = new Call();
  for (let i = from; i < from + count; i += 1) {
    const { outcome, attemptClass, status, errorCode } = ENDS[i % ENDS.length] as End;
    call.user = i % USERS;
    call.intendedSeconds = i / RECORDS_PER_SECOND;
    call.handedSeconds = call.intendedSeconds + (i % 1009) * 1e-6;
    call.startedSeconds = call.handedSeconds + (i % 11) * 1e-6;
    call.status = status;
    call.fault = errorCode === "" ? "none" : "other";
    call.errorCode = errorCode;
    const ended = call.startedSeconds + (i % 100_003) * 4e-5;
    recorder.arrived(call, call.handedSeconds, outcome === "dropped" ? "refused" : "started");
    if (attemptClass !== undefined) {
      recorder.handed(call);
      if (outcome === "unfinished") recorder.cutOff(call, ended);
      else recorder.attemptEnded(call, attemptClass, ended);
    }
    recorder.callEnded(call, outcome, ended);
  }
}

async function recordsTable(): Promise<void> {
  const steal = watchSteal();
  const recorder = new Recorder(USERS, 0, (WARM_RECORDS + records) / RECORDS_PER_SECOND);
  record(recorder, 0, WARM_RECORDS);
  const before = await residentBytes();
  const startMs = performance.now();
  record(recorder, WARM_RECORDS, records);
  const nanos = ((performance.now() - startMs) * 1e6) / records;
  const after = await residentBytes();
  const kept = recorder.measured.planned === WARM_RECORDS + records;
  console.log(`\n${records} records into one recorder, after ${WARM_RECORDS}${kept ? "" : ": SOME WERE LOST"}`);
  printTable([
    ["resident before", "after", "grown by", "ns/record", "steal"],
    [...[before, after, after - before].map(megabytes), nanos.toFixed(0), steal()],
  ]);
}

async function virtualTable(): Promise<void> {
  const rps = 100_000;
  const durationSeconds = calls / rps;
  const steal = watchSteal();
  const seconds: number[] = [];
  const resident: number[] = [];
  const startMs = performance.now();
  const trial = await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "poisson", rate: { kind: "constant", rps } },
        warmupSeconds: 0,
        durationSeconds,
        users: USERS,
      },
      policy: { name: "sre", options: { window: 10 } },
      maxInFlight: 1_000_000,
      world: {
        kind: "virtual",
        model: { name: "shed", capacity: 50_000, burst: 1000, rejectCost: 0.1, latencySeconds: 0.005 },
      },
    }),
    {
      stopRequested: () => false,
      progress({ elapsedSeconds }) {
        if (elapsedSeconds < ((seconds.length + 1) * durationSeconds) / SAMPLES) return;
        collectGarbage();
        seconds.push(elapsedSeconds);
        resident.push(process.memoryUsage.rss());
      },
    },
  );
  const rate = trial.attempts.made / ((performance.now() - startMs) / 1000);
  console.log(
    `\nA virtual trial of ${trial.calls.planned} calls, ${(rate / 1e6).toFixed(2)} M attempts/s, steal ${steal()}`,
  );
  printTable([
    ["virtual s", ...seconds.map((second) => second.toFixed(0))],
    ["resident", ...resident.map(megabytes)],
  ]);
  // The first half compiles the code and fills the window of the policies.
  const half = Math.ceil(seconds.length / 2);
  const perSecond = slopeOf(seconds.slice(half), resident.slice(half));
  console.log(
    `  Growth over the second half: ${(((perSecond / rps) * 1e6) / MEGABYTE).toFixed(2)} MB in a million calls`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

console.log(describeMachine());
await recordsTable();
await virtualTable();
