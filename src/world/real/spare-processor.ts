/** A processor of their own for servers, so that the generator has the others for itself (Linux, `taskset`). */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ProgramCommand } from "./program-process.ts";

/** The program bound to `processor`; as it is when that is undefined. */
export function boundTo(processor: number | undefined, program: ProgramCommand): ProgramCommand {
  if (processor === undefined) return program;
  return { command: "taskset", args: ["-c", String(processor), program.command, ...program.args] };
}

/** The last processor that this process may use, when there are at least two and `taskset` is there to bind with. */
export function spareProcessor(): number | undefined {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const allowed = parseProcessorList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
    if (allowed.length < 2 || spawnSync("taskset", ["--version"]).status !== 0) return undefined;
    return allowed.at(-1);
  } catch {
    return undefined; // Not Linux.
  }
}

/** `0-2,5` -> [0, 1, 2, 5]: the form of cpuset(7). */
export function parseProcessorList(list: string): number[] {
  return list
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}
