/** The state of the machine: without it a figure means nothing. */

import os from "node:os";
import { readEnvironment } from "../../src/world/environment.ts";
import { readCpu, stealRatio } from "../../src/world/real/cpu-times.ts";

export function describeMachine(): string {
  const { runtime, runtimeVersion, platform, arch, cpuModel, cpus } = readEnvironment();
  const load = os.loadavg()[0]?.toFixed(2);
  return `${runtime} ${runtimeVersion}, ${platform} ${arch}, ${cpus} x ${cpuModel}, load at the start ${load}`;
}

/** @returns a function that tells what share of the machine's CPU time its host took away since, in percent. */
export function watchSteal(): () => string {
  const before = readCpu();
  return () => `${(100 * stealRatio(before, readCpu())).toFixed(1)} %`;
}
