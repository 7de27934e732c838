/** Runs one trial in real time: a pacer, sockets, and what they cost. */

import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import type { LoopEvents, OpenLoop } from "../../engine/open-loop.ts";
import type { Scheduler } from "../../engine/ports.ts";
import type { WorldFacts } from "../../engine/trial-part.ts";
import type { RealWorldSpec } from "../../engine/trial-spec.ts";
import { type CpuReading, readCpu, stealRatio } from "./cpu-times.ts";
import { H2Transport } from "./http2/transport.ts";
import { monotonicSeconds, secondsOfSharedMs } from "./monotonic.ts";
import { RealScheduler } from "./real-scheduler.ts";
import { UndiciTransport } from "./undici-transport.ts";

/** How often the outside world is looked at: a request to stop, progress. */
const POLL_MS = 200;
const APPOINTMENT_SECONDS_MAX = 1;

export interface RealHooks {
  /** Asked while connections are opened ahead. */
  stopRequested(): boolean;
  /** All is ready. Resolves with the moment at which the trial is to start, in {@link sharedMs}; undefined: at once. */
  aboutToStart(): Promise<number | undefined>;
  /** The measured window begins. */
  measuring(): void;
  /** Called every 200 ms; may call `loop.stop()`. */
  poll(loop: OpenLoop, nowSeconds: number): void;
}

export interface RealRun extends WorldFacts {
  readonly loop: OpenLoop;
  readonly connections: NonNullable<WorldFacts["connections"]>;
  readonly generator: NonNullable<WorldFacts["generator"]>;
}

/** @param build makes the loop on the scheduler. */
export async function runReal(
  spec: RealWorldSpec,
  build: (scheduler: Scheduler, events: LoopEvents) => OpenLoop,
  hooks: RealHooks,
): Promise<RealRun> {
  const scheduler = new RealScheduler(spec.pacing);
  const costs = new Costs(scheduler);
  let ended: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const loop = build(scheduler, {
    measuring() {
      costs.begin();
      hooks.measuring();
    },
    ended: () => ended(),
  });
  const OverProtocol = spec.connections.http2 ? H2Transport : UndiciTransport;
  const transport = new OverProtocol(spec, scheduler, loop);
  try {
    await transport.prepare(() => hooks.stopRequested());
    const startMs = await hooks.aboutToStart();
    const startedAt = new Date().toISOString();
    scheduler.restart(startMs === undefined ? undefined : appointment(startMs));
    loop.start(transport);
    if (hooks.stopRequested()) loop.stop();
    await whilePolling(done, () => {
      costs.look();
      if (!loop.done) hooks.poll(loop, scheduler.now());
    });
    return {
      loop,
      startedAt,
      connections: transport.connections,
      remarks: transport.remarks,
      generator: { ...costs.end(), workers: 1, inFlightMax: loop.inFlightMax, stallMaxMs: 0, clockJumpMs: 0 },
    };
  } finally {
    scheduler.close();
    await transport.close();
  }
}

/** The moment on this thread's clock. One farther ahead is the work of a wall clock that stepped, and not waited for. */
function appointment(momentMs: number): number {
  return Math.min(secondsOfSharedMs(momentMs), monotonicSeconds() + APPOINTMENT_SECONDS_MAX);
}

async function whilePolling(done: Promise<void>, poll: () => void): Promise<void> {
  const timer = setInterval(poll, POLL_MS);
  try {
    await done;
  } finally {
    clearInterval(timer);
  }
}

/** What the measured window costs this process; nothing when it never begins. */
class Costs {
  readonly #scheduler: Scheduler;
  #before: CpuReading | undefined;
  #beganSeconds = 0;
  #rssMaxBytes = rssBytes();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  begin(): void {
    this.#before = readCpu();
    this.#beganSeconds = this.#scheduler.now();
  }

  look(): void {
    this.#rssMaxBytes = Math.max(this.#rssMaxBytes, rssBytes());
  }

  end(): { cpuSeconds: number; wallSeconds: number; stealRatio: number; rssMaxBytes: number } {
    this.look();
    const after = readCpu();
    const before = this.#before;
    if (before === undefined) return { cpuSeconds: 0, wallSeconds: 0, stealRatio: 0, rssMaxBytes: this.#rssMaxBytes };
    return {
      cpuSeconds: after.processSeconds - before.processSeconds,
      wallSeconds: this.#scheduler.now() - this.#beganSeconds,
      stealRatio: stealRatio(before, after),
      rssMaxBytes: this.#rssMaxBytes,
    };
  }
}

/** 0 when it cannot be read: that takes a file, and a trial that runs out of files must be reported, not lost. */
function rssBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
