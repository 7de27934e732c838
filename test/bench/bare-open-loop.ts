/**
 * An open loop over bare sockets: Poisson arrivals, spinning in between, and nothing else. What it is late by is the work of the
 * machine and of the runtime: no generator on this runtime is later by its own doing alone.
 */

import net from "node:net";
import { stream } from "../../src/plan/streams.ts";

export interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

const CONNECTIONS = 100;
const READ_BYTES = 65_536;
const PER_TURN = 16;

/** @param warmupSeconds left out. */
export async function bareLateness(url: URL, rps: number, warmupSeconds: number, seconds: number): Promise<Lateness> {
  const request = Buffer.from(`GET ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`);
  const free: net.Socket[] = [];
  const all: net.Socket[] = [];
  const buffer = Buffer.alloc(READ_BYTES);
  const open = (): net.Socket => {
    const socket: net.Socket = net.connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: {
        buffer,
        callback: () => {
          free.push(socket);
          return true;
        },
      },
    });
    all.push(socket);
    return socket;
  };
  for (let opened = 0; opened < CONNECTIONS; opened += 1) {
    const socket = open();
    await new Promise((resolve) => socket.once("connect", resolve));
    free.push(socket);
  }
  const late = new Float64Array(Math.ceil(1.1 * rps * seconds) + 1000);
  let noted = 0;
  const random = stream(1, "arrivals");
  const startMs = performance.now();
  let dueMs = 0;
  await new Promise<void>((resolve) => {
    const turn = (): void => {
      for (let sent = 0; sent < PER_TURN; sent += 1) {
        const nowMs = performance.now() - startMs;
        if (dueMs > nowMs) break;
        if (dueMs > 1000 * warmupSeconds && noted < late.length) {
          late[noted] = nowMs - dueMs;
          noted += 1;
        }
        (free.pop() ?? open()).write(request);
        dueMs -= (1000 * Math.log(1 - random.random())) / rps;
      }
      if (dueMs > 1000 * (warmupSeconds + seconds)) resolve();
      else setImmediate(turn);
    };
    turn();
  });
  for (const socket of all) socket.destroy();
  const sorted = late.subarray(0, noted).toSorted();
  const at = (share: number): number => sorted[Math.min(noted - 1, Math.floor(share * noted))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), maxMs: at(1) };
}
