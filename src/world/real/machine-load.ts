import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Columns of the `cpu` line of /proc/stat (proc(5)) in which processors have nothing to do. */
const IDLE_COLUMN = 3;
const IOWAIT_COLUMN = 4;
/** user nice system idle iowait irq softirq steal; the guest columns behind are contained in user. */
const COLUMNS = 8;

/** The share of this machine's processors that is busy over the next while; undefined where that cannot be known. */
export async function busyShare(seconds: number): Promise<number | undefined> {
  const before = ticks();
  await sleep(1000 * seconds);
  const after = ticks();
  const all = after.all - before.all;
  return all > 0 ? 1 - (after.idle - before.idle) / all : undefined;
}

function ticks(): { readonly all: number; readonly idle: number } {
  try {
    const line = readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "";
    const columns = line
      .split(/\s+/)
      .slice(1, 1 + COLUMNS)
      .map(Number);
    const all = columns.reduce((sum, value) => sum + value, 0);
    return { all, idle: (columns[IDLE_COLUMN] ?? 0) + (columns[IOWAIT_COLUMN] ?? 0) };
  } catch {
    return { all: 0, idle: 0 }; // Not Linux.
  }
}
