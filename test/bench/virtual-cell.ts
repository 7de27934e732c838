/** One cell of the table of virtual-speed.ts: a policy and a number of users, measured in a process of its own. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import type { TrialResult } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec } from "../support/trial-spec.ts";

/** What is simulated: Poisson arrivals over users, `shed` with a burst of {@link BURST} and this cost of a rejection. */
export interface VirtualLoad {
  readonly policy: string;
  readonly users: number;
  readonly rps: number;
  readonly seconds: number;
  readonly capacity: number;
  readonly latencySeconds: number;
}

export interface CellResult {
  /** Attempts per second of each round, local rejects among them: of the whole trial, and of its second half. */
  readonly rates: readonly number[];
  readonly warmRates: readonly number[];
  /** The most memory that the process had, up to the end of its first round. */
  readonly peakBytes: number;
  /** Of the last round. */
  readonly calls: number;
  readonly sent: number;
  readonly accepted: number;
  readonly throttled: number;
}

export const BURST = 10;
export const REJECT_COST = 0.3;
/** The argument that makes a script a cell: {@link measureIfCell}. */
const CELL = "--cell";

/** Simulates the load once. @param followed see {@link TrialHooks.progress}: simulated seconds and planned calls so far. */
export async function simulate(
  { policy, users, rps, seconds, capacity, latencySeconds }: VirtualLoad,
  seed: number,
  followed: (simulatedSeconds: number, planned: number) => void,
): Promise<TrialResult> {
  return await executeTrial(
    trialSpec({
      plan: {
        seed,
        arrival: { law: "poisson", rate: { kind: "constant", rps } },
        warmupSeconds: 0,
        durationSeconds: seconds,
        users,
      },
      policy: { name: policy, options: {} },
      maxInFlight: 10_000_000,
      world: {
        kind: "virtual",
        model: { name: "shed", capacity, burst: BURST, rejectCost: REJECT_COST, latencySeconds },
      },
    }),
    { stopRequested: () => false, progress: ({ elapsedSeconds, planned }) => followed(elapsedSeconds, planned) },
  );
}

/** Measures `load` in a process of its own: heaps of others would slow it down, and show in its memory. */
export function measureCell(load: VirtualLoad, rounds: number): CellResult {
  const script = process.argv[1] as string;
  const before = "Deno" in globalThis ? ["run", "-A"] : process.execArgv;
  const args = [...before, script, CELL, JSON.stringify({ load, rounds })];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as CellResult;
}

/** True in the process that {@link measureCell} starts, when it is done: its script has nothing else to do. */
export async function measureIfCell(): Promise<boolean> {
  if (process.argv[2] !== CELL) return false;
  const { load, rounds } = JSON.parse(process.argv[3] as string) as { load: VirtualLoad; rounds: number };
  console.log(JSON.stringify(await measure(load, rounds)));
  return true;
}

async function measure(load: VirtualLoad, rounds: number): Promise<CellResult> {
  const rates: number[] = [];
  const warmRates: number[] = [];
  let peak = 0;
  let last: TrialResult | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    let half: { ms: number; planned: number } | undefined;
    const trial = await simulate(load, round, (elapsedSeconds, planned) => {
      if (half === undefined && elapsedSeconds >= load.seconds / 2) half = { ms: performance.now(), planned };
    });
    const endMs = performance.now();
    const { made } = trial.attempts;
    const { planned } = trial.calls;
    rates.push((1000 * made) / (endMs - startMs));
    // Attempts are not told on the way; there are as many to a call in both halves, or nearly.
    if (half !== undefined) warmRates.push((1000 * (planned - half.planned) * made) / planned / (endMs - half.ms));
    if (round === 0) peak = peakBytes();
    last = trial;
  }
  const { calls, attempts } = last as TrialResult;
  const { planned, throttled } = calls;
  return {
    ...{ rates, warmRates, peakBytes: peak },
    ...{ calls: planned, sent: attempts.sent, accepted: attempts.accepted, throttled },
  };
}

/** The most resident memory that this process has had, from /proc (proc(5)); where there is none, what it has now. */
export function peakBytes(): number {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.memoryUsage.rss();
}
