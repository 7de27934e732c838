/** Runs one trial in real time: a pacer, sockets, and what they cost. */

import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import type { OpenLoop } from "../../engine/open-loop.ts";
import type { Scheduler } from "../../engine/ports.ts";
import type { RealWorldSpec } from "../../engine/trial-spec.ts";
import type { TrialResult } from "../../result/schema.ts";
import { readCpu, stealRatio } from "./cpu-times.ts";
import { RealScheduler } from "./real-scheduler.ts";
import { UndiciTransport } from "./undici-transport.ts";

/** How often the outside world is looked at: a request to stop, progress. */
const POLL_MS = 200;

export interface RealRun {
  readonly loop: OpenLoop;
  readonly connections: NonNullable<TrialResult["connections"]>;
  readonly generator: NonNullable<TrialResult["generator"]>;
}

/**
 * @param build makes the loop on the scheduler.
 * @param poll called every 200 ms; may call `loop.stop()`.
 */
export async function runReal(
  spec: RealWorldSpec,
  build: (scheduler: Scheduler, ended: () => void) => OpenLoop,
  poll: (loop: OpenLoop, nowSeconds: number) => void,
): Promise<RealRun> {
  const scheduler = new RealScheduler(spec.pacing);
  let ended: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const loop = build(scheduler, () => ended());
  const transport = new UndiciTransport(spec, scheduler, loop);
  let rssMaxBytes = rssBytes();
  const before = readCpu();
  scheduler.restart();
  loop.start(transport);
  const timer = setInterval(() => {
    rssMaxBytes = Math.max(rssMaxBytes, rssBytes());
    if (!loop.done) poll(loop, scheduler.now());
  }, POLL_MS);
  try {
    await done;
  } finally {
    clearInterval(timer);
    scheduler.close();
  }
  const after = readCpu();
  const { connections } = transport;
  await transport.close();
  return {
    loop,
    connections,
    generator: {
      cpuSeconds: after.processSeconds - before.processSeconds,
      wallSeconds: loop.doneSeconds,
      workers: 1,
      inFlightMax: loop.inFlightMax,
      stealRatio: stealRatio(before, after),
      rssMaxBytes,
    },
  };
}

/** 0 when it cannot be read: that takes a file, and a trial that runs out of files must be reported, not lost. */
function rssBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
