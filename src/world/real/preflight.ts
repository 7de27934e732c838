/**
 * What this machine may lack for a plan, told before the run: open files and ephemeral ports. It reads what Linux says in
 * /proc; where that is not there, it knows nothing and says nothing.
 */

import { readdirSync, readFileSync } from "node:fs";
import type { Reason } from "../../result/schema.ts";

/** How long Linux keeps the port of a connection that this side closed first (TCP_TIMEWAIT_LEN). */
const TIME_WAIT_SECONDS = 60;
/** The same where `net.ipv4.tcp_tw_reuse` lets a new connection take such a port. */
const REUSE_SECONDS = 1;
/** Files that a run opens beside its connections: its result, /proc, what the runtime loads. */
const SPARE_FILES = 32;

export interface PreflightNeed {
  /** The most connections that may be open at once, over all workers. */
  readonly connectionsMax: number;
  /** Connections a second that are closed by this side (after `maxRequests` requests) and opened anew. */
  readonly newConnectionsPerSecond: number;
  /** False over a Unix domain socket. */
  readonly usesPorts: boolean;
  /** The addresses of the target, when they are known: each has all ports for itself. */
  readonly addresses?: readonly string[];
}

/** Where the facts come from; tests bring their own. Undefined stands for what cannot be read. */
export interface PreflightSources {
  readonly read: (path: string) => string | undefined;
  /** The number of entries in a folder. */
  readonly count: (path: string) => number | undefined;
}

/** Notes on what the plan may run out of, each with its cure; none when all is well, or nothing is known. */
export function preflight(need: PreflightNeed, sources: PreflightSources = PROC): Reason[] {
  return [...fileReasons(need, sources), ...(need.usesPorts ? portReasons(need, sources) : [])];
}

function fileReasons({ connectionsMax }: PreflightNeed, { read, count }: PreflightSources): Reason[] {
  const [, softText, hardText] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(read("/proc/self/limits") ?? "") ?? [];
  const soft = limitOf(softText);
  if (soft === undefined) return [];
  const open = count("/proc/self/fd") ?? 0;
  const wanted = open + SPARE_FILES + connectionsMax;
  if (wanted <= soft) return [];
  const hard = limitOf(hardText) ?? soft;
  const ask = roundUp(wanted);
  return [
    {
      code: "few-files",
      severity: "note",
      message: `The plan may need ${connectionsMax} connections at once, and this process may open ${soft - open} more files`,
      figure: wanted,
      limit: soft,
      hint:
        ask <= hard
          ? `Start it after \`ulimit -n ${ask}\``
          : `Raise the hard limit of ${hard} to ${ask} (as root: \`prlimit --nofile=${ask} --pid $$\`, or LimitNOFILE=)`,
    },
  ];
}

function portReasons(need: PreflightNeed, { read }: PreflightSources): Reason[] {
  const [low, high] = numbers(read("/proc/sys/net/ipv4/ip_local_port_range") ?? "");
  if (low === undefined || high === undefined) return [];
  const ports = high - low + 1 - reservedBetween(low, high, read("/proc/sys/net/ipv4/ip_local_reserved_ports") ?? "");
  const addresses = need.addresses ?? [];
  const waitSeconds = timeWaitSeconds(addresses, read("/proc/sys/net/ipv4/tcp_tw_reuse"));
  const wanted = Math.ceil(
    (need.connectionsMax + need.newConnectionsPerSecond * waitSeconds) / Math.max(1, addresses.length),
  );
  if (wanted <= ports) return [];
  const cures: string[] = [];
  if (low > LOWEST_PORT) cures.push(`\`sysctl net.ipv4.ip_local_port_range="${LOWEST_PORT} ${HIGHEST_PORT}"\``);
  if (need.newConnectionsPerSecond > 0) {
    if (waitSeconds > REUSE_SECONDS) cures.push("`sysctl net.ipv4.tcp_tw_reuse=1`");
    cures.push("more requests per connection");
  }
  cures.push("more addresses of the target");
  return [
    {
      code: "few-ports",
      severity: "note",
      message: `The plan may need ${wanted} ports at once for an address of the target, and there are ${ports}`,
      figure: wanted,
      limit: ports,
      hint: `What helps: ${cures.join(", or ")}`,
    },
  ];
}

/** What may be given to clients without getting in the way of most servers. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 65_535;

/** tcp_tw_reuse: 1 is for all connections, 2 (the default since Linux 4.19) for those over loopback. */
function timeWaitSeconds(addresses: readonly string[], reuse: string | undefined): number {
  const loopback = addresses.length > 0 && addresses.every((address) => /^(127\.|::1$)/.test(address));
  const mode = reuse?.trim();
  return mode === "1" || (mode === "2" && loopback) ? REUSE_SECONDS : TIME_WAIT_SECONDS;
}

/** @param text ports and ranges, such as `8080,9000-9002`. */
function reservedBetween(low: number, high: number, text: string): number {
  let count = 0;
  for (const [, from, to] of text.matchAll(/(\d+)(?:-(\d+))?/g)) {
    const first = Math.max(low, Number(from));
    const last = Math.min(high, Number(to ?? from));
    count += Math.max(0, last - first + 1);
  }
  return count;
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
}

function numbers(text: string): number[] {
  return text.split(/\s+/).filter(Boolean).map(Number);
}

/** A limit as people write it: the next multiple of 1,000. */
function roundUp(files: number): number {
  return Math.ceil(files / 1000) * 1000;
}

const PROC: PreflightSources = {
  read(path) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
  count(path) {
    try {
      return readdirSync(path).length;
    } catch {
      return undefined;
    }
  },
};
