/** What another process has used so far, from /proc (proc(5)). */

import { readFileSync } from "node:fs";

export interface ProcessUsage {
  /** User and system time, all threads. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** What Linux counts in, for programs: 100 a second on every architecture in use. */
const TICKS_PER_SECOND = 100;
/** Behind the name, which may hold spaces and ends with the last bracket. */
const USER_TICKS_COLUMN = 11;
const SYSTEM_TICKS_COLUMN = 12;

/** @returns undefined when the process is gone, or this is not Linux. */
export function readProcess(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const columns = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(columns[USER_TICKS_COLUMN]) + Number(columns[SYSTEM_TICKS_COLUMN]);
    const rss = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return rss === undefined ? undefined : { cpuSeconds: ticks / TICKS_PER_SECOND, rssBytes: Number(rss) * 1024 };
  } catch {
    return undefined;
  }
}
