/**
 * When requests reached the receiver's network stack, as the kernel stamps them (tcpdump): the arrivals themselves, without
 * what any receiver in user space adds, which on a machine of two processors is most of what it sees.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { findExecutable } from "./executables.ts";

export interface WireCapture {
  /** Ends it, and gives the times of the requests in seconds. */
  stop(): Promise<readonly number[]>;
}

/** The start of a request to a port: `GET ` as payload, and a path that is none of the receiver's own (`/__...`). */
const filterFor = (port: number): string => {
  const payload = "((tcp[12:1] & 0xf0) >> 2)";
  return `tcp dst port ${port} and tcp[${payload}:4] = 0x47455420 and tcp[${payload} + 4:2] != 0x2f5f`;
};

/** Captures the requests to `port` on the loopback interface. @returns undefined where tcpdump is missing or not allowed. */
export async function captureRequests(port: number): Promise<WireCapture | undefined> {
  const tcpdump = findExecutable("tcpdump");
  if (tcpdump === undefined) return undefined;
  const args = [
    "-i",
    "lo",
    "-n",
    "-tt",
    "-q",
    "-s",
    "96",
    "-B",
    "16384",
    "--time-stamp-precision=nano",
    filterFor(port),
  ];
  const child = spawn(tcpdump, args, { stdio: ["ignore", "pipe", "pipe"] });
  const times: number[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => times.push(Number.parseFloat(line)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const listening = await new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", () => resolve(false));
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes("listening on")) resolve(true);
    });
  });
  if (!listening) return undefined;
  return {
    async stop() {
      child.kill("SIGINT");
      await ended;
      return times;
    },
  };
}

/** Gaps between times from `skipSeconds` after the first on: their number, coefficient of variation, and the gaps. */
export function gapsOf(
  times: readonly number[],
  skipSeconds: number,
): { readonly cv: number; readonly gaps: readonly number[] } {
  const from = (times[0] ?? 0) + skipSeconds;
  const kept = times.filter((time) => time >= from);
  const gaps = kept.slice(1).map((time, i) => time - (kept[i] as number));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return { cv: Math.sqrt(variance) / mean, gaps };
}
