/** The same model in SimPy: see shed_clients.py. */

import { spawnSync } from "node:child_process";
import { benchFile } from "../executables.ts";
import { BURST, REJECT_COST, type VirtualLoad } from "../virtual-cell.ts";

export interface SimPyResult {
  /** Version of SimPy. */
  readonly simpy: string;
  readonly calls: number;
  readonly sent: number;
  readonly accepted: number;
  readonly throttled: number;
  readonly wallSeconds: number;
}

/** Debian's own Python first: its packages are not seen by others. */
const PYTHONS = ["/usr/bin/python3", "python3"];

/** @returns undefined where there is no Python with SimPy. */
export function findPython(): string | undefined {
  const probe = "try:\n import simpy\nexcept ImportError:\n import SimPy";
  return PYTHONS.find((python) => spawnSync(python, ["-c", probe]).status === 0);
}

/** @param style see shed_clients.py. */
export function simulateInSimPy(python: string, load: VirtualLoad, style: "inline" | "process"): SimPyResult {
  const { policy, users, rps, seconds, capacity, latencySeconds } = load;
  const flags = {
    ...{ policy, style, users, rps, seconds, capacity },
    ...{ burst: BURST, "reject-cost": REJECT_COST, latency: latencySeconds },
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout, stderr } = spawnSync(python, [benchFile("simpy/shed_clients.py"), ...args], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as SimPyResult;
}
