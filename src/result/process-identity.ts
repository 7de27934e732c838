/** Which process wrote something, and whether it still runs: a number alone is given to another process sooner or later. */

import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import process from "node:process";

export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in clock ticks since the machine did; undefined where the system does not tell (Linux does). */
  readonly startedTicks?: string | undefined;
  readonly host: string;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  const { pid } = process;
  const stat = await readStat(pid);
  return { pid, ...(stat === undefined ? {} : { startedTicks: stat.startedTicks }), host: hostname() };
}

/** Whether the process runs on this machine; of one on another machine nothing is known, and the answer is false. */
export async function isRunning({ pid, startedTicks, host }: ProcessIdentity): Promise<boolean> {
  if (host !== hostname() || !exists(pid)) return false;
  if (startedTicks === undefined) return true;
  const stat = await readStat(pid);
  return stat !== undefined && stat.startedTicks === startedTicks && !stat.ended;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** proc_pid_stat(5): the name, in parentheses, may hold spaces and parentheses itself; state is field 3, the start 22. */
async function readStat(pid: number): Promise<{ startedTicks: string; ended: boolean } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  const startedTicks = fields[19];
  return startedTicks === undefined ? undefined : { startedTicks, ended: "ZX".includes(state) };
}
