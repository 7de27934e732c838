import { spawnSync } from "node:child_process";

/** Connections beyond this are more than any plan for one machine asks for. */
const CONNECTIONS_MAX = 16_384;
/** Files that a server opens beside its connections. */
const SPARE_FILES = 100;

/** The clients' connections that fit under the hard limit on open files, each with one to the upstream. */
export function connectionsThatFit(): number {
  const limit = Number.parseInt(spawnSync("/bin/sh", ["-c", "ulimit -H -n"], { encoding: "utf8" }).stdout, 10);
  // "unlimited" is no number.
  if (Number.isNaN(limit)) return CONNECTIONS_MAX;
  return Math.max(16, Math.min(CONNECTIONS_MAX, Math.floor((limit - SPARE_FILES) / 2)));
}
