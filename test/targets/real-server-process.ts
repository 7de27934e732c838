/** A target that is a real server, in a process of its own with a temporary folder of its own. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect } from "vitest";
import { findProgram } from "../../targets/real-server/find-program.ts";
import { type Ready, type Reply, TargetProcess } from "./target-process.ts";

export type ServerName = "nginx" | "haproxy";

export interface RealReady extends Ready {
  readonly server: ServerName;
  readonly serverPid: number;
  readonly capacityRps: number;
  readonly waitMsMax: number;
  /** With `--tls` alone. */
  readonly certificate: string;
}

/** Appended to the names of tests that cannot run: the reason. Empty when the program is there. */
export function whyNot(name: ServerName): string {
  return findProgram(name) === undefined ? ` (skipped: ${name} is not installed)` : "";
}

/** Whether `--tls` can be tested. */
export const HAS_OPENSSL = findProgram("openssl") !== undefined;

export class RealServerProcess extends TargetProcess {
  /** Where it puts its temporary folders. */
  readonly folder: string;

  constructor(name: ServerName, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const folder = mkdtempSync(join(tmpdir(), "ob-test-"));
    super(["--exit-with-parent", ...flags], `targets/${name}`, { TMPDIR: folder, ...env });
    this.folder = folder;
  }

  /** What it has left in its place for temporary folders. */
  leftovers(): string[] {
    return readdirSync(this.folder);
  }

  /** Waits until it has removed its own folder, and removes the place. */
  async forget(): Promise<void> {
    await expect.poll(() => this.leftovers(), { timeout: 10_000 }).toEqual([]);
    rmSync(this.folder, { recursive: true });
  }
}

/** Starts a server on a free port and waits until it is ready. */
export async function startReal(
  name: ServerName,
  ...flags: string[]
): Promise<RealReady & { readonly target: RealServerProcess }> {
  const target = new RealServerProcess(name, ["--port", "0", ...flags]);
  return { ...((await target.ready()) as RealReady), target };
}

/** The living processes of a process group. One that nobody has waited for yet does not live. */
export function membersOf(group: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat?.group === group && stat.state !== "Z";
    });
}

/** The process group that a process belongs to. */
export function groupIdOf(pid: number): number {
  const stat = statOf(pid);
  if (stat === undefined) throw new Error(`There is no process ${pid}`);
  return stat.group;
}

/** See proc_pid_stat(5): the name in parentheses may hold anything. */
function statOf(pid: number): { readonly state: string; readonly group: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", , group = ""] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}

/** Sends a GET over TLS and trusts this certificate alone. */
export function sendSecurely(url: string, certificateFile: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ca: readFileSync(certificateFile, "utf8"), agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

export function signal(pid: number, name: NodeJS.Signals): void {
  process.kill(pid, name);
}
