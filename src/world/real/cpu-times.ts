/** What the machine's and this process's processors did between two moments. */

import { readFileSync } from "node:fs";
import process from "node:process";

/** Cumulative readings; {@link stealRatio} and the CPU seconds are differences of two. */
export interface CpuReading {
  /** User and system time of this process, all threads, in seconds. */
  readonly processSeconds: number;
  /** Ticks over all processors that the machine could account for, and those its host took away (`steal`). */
  readonly machineTicks: number;
  readonly stolenTicks: number;
}

/** Column of `steal` behind the name in the `cpu` line of /proc/stat (proc(5)). */
const STEAL_COLUMN = 7;
/** user nice system idle iowait irq softirq steal; the guest columns behind are contained in user. */
const COLUMNS = 8;

export function readCpu(): CpuReading {
  const { user, system } = process.cpuUsage();
  const ticks = machineTicks();
  return {
    processSeconds: (user + system) / 1e6,
    machineTicks: ticks.reduce((sum, value) => sum + value, 0),
    stolenTicks: ticks[STEAL_COLUMN] ?? 0,
  };
}

/** The share of the machine's CPU time that its host took away between two readings; 0 where that cannot be known. */
export function stealRatio(before: CpuReading, after: CpuReading): number {
  const ticks = after.machineTicks - before.machineTicks;
  return ticks > 0 ? (after.stolenTicks - before.stolenTicks) / ticks : 0;
}

function machineTicks(): number[] {
  try {
    const line = readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "";
    return line
      .split(/\s+/)
      .slice(1, 1 + COLUMNS)
      .map(Number);
  } catch {
    return []; // Not Linux: steal is not known.
  }
}
