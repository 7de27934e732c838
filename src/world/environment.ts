/** The machine and the runtime, as they stand in the result file. */

import os from "node:os";
import process from "node:process";
import type { Result } from "../result/schema.ts";
import { currentRuntime } from "./runtime.ts";

export function readEnvironment(): Result["environment"] {
  const runtime = currentRuntime();
  const cpus = os.cpus();
  return {
    runtime: runtime.name,
    runtimeVersion: runtime.version,
    platform: process.platform,
    arch: process.arch,
    cpuModel: cpus[0]?.model ?? "unknown",
    cpus: cpus.length,
    memoryBytes: os.totalmem(),
  };
}
