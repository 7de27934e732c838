/** Runs one trial in real time: a pacer, sockets, and what they cost. */

import { clearInterval, setInterval } from "node:timers";
import type { LoopEvents, OpenLoop } from "../../engine/open-loop.ts";
import type { Scheduler } from "../../engine/ports.ts";
import type { WorldFacts } from "../../engine/trial-part.ts";
import type { RealWorldSpec } from "../../engine/trial-spec.ts";
import { Health } from "./health.ts";
import { Http1Transport } from "./http1-transport.ts";
import { H2Transport } from "./http2/transport.ts";
import { monotonicSeconds, secondsOfSharedMs } from "./monotonic.ts";
import { RealScheduler } from "./real-scheduler.ts";
import { Sentinel, type SentinelSpec } from "./sentinel.ts";

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
  /** Called every 200 ms; may call `loop.stop()`. @param facts tells what the world can say so far. */
  poll(loop: OpenLoop, nowSeconds: number, facts: () => WorldFacts): void;
}

export interface RealRun extends WorldFacts {
  readonly loop: OpenLoop;
  readonly connections: NonNullable<WorldFacts["connections"]>;
  readonly generator: NonNullable<WorldFacts["generator"]>;
}

/**
 * @param build makes the loop on the scheduler.
 * @param watch the sentinel beside the load, if there is to be one.
 */
export async function runReal(
  spec: RealWorldSpec,
  build: (scheduler: Scheduler, events: LoopEvents) => OpenLoop,
  hooks: RealHooks,
  watch: SentinelSpec | undefined,
): Promise<RealRun> {
  const scheduler = new RealScheduler(spec.pacing);
  const health = new Health(scheduler);
  let ended: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const loop = build(scheduler, {
    measuring() {
      health.begin();
      hooks.measuring();
    },
    ended: () => ended(),
  });
  const OverProtocol = spec.connections.http2 ? H2Transport : Http1Transport;
  const transport = new OverProtocol(spec, scheduler, loop);
  const sentinel = watch === undefined ? undefined : new Sentinel(watch, scheduler);
  try {
    await Promise.all([transport, sentinel].map((part) => part?.prepare(() => hooks.stopRequested())));
    const startMs = await hooks.aboutToStart();
    const startedAt = new Date().toISOString();
    scheduler.restart(startMs === undefined ? undefined : appointment(startMs));
    const soFar = (): WorldFacts => ({
      startedAt,
      transport: transport.name,
      connections: transport.connections,
      remarks: transport.remarks,
      generator: { ...health.soFar(), workers: 1, inFlightMax: loop.inFlightMax },
    });
    loop.start(transport);
    sentinel?.start();
    if (hooks.stopRequested()) loop.stop();
    await whilePolling(done, () => {
      health.look();
      if (!loop.arriving) health.arrivalsEnded();
      if (!loop.done) hooks.poll(loop, scheduler.now(), soFar);
      if (!loop.arriving) sentinel?.stop();
    });
    const generator = { ...health.end(), workers: 1, inFlightMax: loop.inFlightMax };
    sentinel?.stop();
    await sentinel?.ended;
    return {
      loop,
      startedAt,
      transport: transport.name,
      connections: transport.connections,
      remarks: [...transport.remarks, ...(sentinel?.remarks ?? [])],
      generator,
      ...(sentinel === undefined ? {} : { sentinel: sentinel.data }),
    };
  } finally {
    health.stop();
    scheduler.close();
    await Promise.all([transport.close(), sentinel?.close()]);
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
