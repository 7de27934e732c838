/** What the processor did for the calling thread, as Linux accounts for it. */

import { readFileSync } from "node:fs";

/** Cumulative, in seconds. */
export interface ThreadTimes {
  /** The thread ran. */
  readonly runSeconds: number;
  /** It could have run, and waited for a processor. */
  readonly waitSeconds: number;
}

/**
 * Read on the calling thread, which a worker's JavaScript is on all three runtimes; about 15 us.
 *
 * @returns undefined where the system does not tell.
 */
export function readThreadTimes(): ThreadTimes | undefined {
  try {
    return parseSchedstat(readFileSync("/proc/thread-self/schedstat", "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * @param text of `/proc/<pid>/schedstat`: nanoseconds run, nanoseconds waited in the queue of a processor, slices run
 *   (Linux, Documentation/scheduler/sched-stats.rst).
 * @returns undefined when it holds something else, or the kernel does not count.
 */
export function parseSchedstat(text: string): ThreadTimes | undefined {
  const [runNs, waitNs, slices] = text.trim().split(/\s+/).map(Number);
  if (!(runNs !== undefined && waitNs !== undefined && slices !== undefined && runNs > 0 && waitNs >= 0)) {
    return undefined;
  }
  return { runSeconds: runNs / 1e9, waitSeconds: waitNs / 1e9 };
}
