/** What the measured window costs this generator, and what was done to it meanwhile. */

import process from "node:process";
import type { WorldFacts } from "../../engine/trial-part.ts";
import { throttledSeconds } from "./cgroup.ts";
import { ClockWatch } from "./clock-watch.ts";
import { type CpuReading, readCpu, stealRatio } from "./cpu-times.ts";
import { Pulse } from "./pulse.ts";
import type { RealScheduler } from "./real-scheduler.ts";
import { readThreadTimes, type ThreadTimes } from "./thread-times.ts";

export type HealthFacts = Omit<NonNullable<WorldFacts["generator"]>, "workers" | "inFlightMax" | "gaps">;

/** A reading of the first moments says little: it is renewed when twice the time has passed, and from then on this often. */
const RECENT_SECONDS = 5;

/** Cumulative readings of one moment. */
interface Reading {
  readonly seconds: number;
  readonly idleSpinSeconds: number;
  readonly cpu: CpuReading;
  readonly thread: ThreadTimes | undefined;
  readonly throttledSeconds: number | undefined;
}

/** Of the thread that makes one. Figures are of the time from {@link begin} on; they are 0 when it is never called. */
export class Health {
  readonly #scheduler: RealScheduler;
  readonly #clock = new ClockWatch();
  #before: Reading | undefined;
  #after: Reading | undefined;
  #latest: Reading | undefined;
  #pulse: Pulse | undefined;
  #rssMaxBytes = rssBytes();

  constructor(scheduler: RealScheduler) {
    this.#scheduler = scheduler;
  }

  /** The measured window begins. */
  begin(): void {
    this.#before = this.#read();
    this.#latest = undefined;
    this.#clock.look();
    this.#pulse = new Pulse();
  }

  /** To be called a few times a second. */
  look(): void {
    this.#rssMaxBytes = Math.max(this.#rssMaxBytes, rssBytes());
    if (this.#before !== undefined) this.#clock.look();
  }

  /** What counts as a share of the time does so over the arrivals: a drain in which nothing is sent would dilute it. */
  arrivalsEnded(): void {
    this.#after ??= this.#read();
  }

  end(): HealthFacts {
    this.look();
    this.arrivalsEnded();
    const facts = this.soFar();
    this.stop();
    return facts;
  }

  /** The figures so far, up to a few seconds old: a reading takes most of a millisecond from the load. */
  soFar(): HealthFacts {
    const after = this.#after ?? this.#recent();
    const before = this.#before ?? after;
    return {
      cpuSeconds: after.cpu.processSeconds - before.cpu.processSeconds,
      wallSeconds: after.seconds - before.seconds,
      stealRatio: stealRatio(before.cpu, after.cpu),
      rssMaxBytes: this.#rssMaxBytes,
      ...threadRatios(before, after),
      ...throttledRatio(before, after),
      stallMaxMs: this.#pulse?.longestMs ?? 0,
      clockJumpMs: this.#clock.jumpMaxMs,
    };
  }

  /** Ends what goes on by itself; to be called also when {@link end} is not. */
  stop(): void {
    this.#pulse?.stop();
    this.#pulse = undefined;
  }

  #recent(): Reading {
    const known = this.#latest;
    const before = this.#before ?? known;
    if (known !== undefined && before !== undefined) {
      const recentSeconds = Math.min(RECENT_SECONDS, known.seconds - before.seconds);
      if (this.#scheduler.now() - known.seconds < recentSeconds) return known;
    }
    this.#latest = this.#read();
    return this.#latest;
  }

  #read(): Reading {
    return {
      seconds: this.#scheduler.now(),
      idleSpinSeconds: this.#scheduler.idleSpinSeconds,
      cpu: readCpu(),
      thread: readThreadTimes(),
      throttledSeconds: throttledSeconds(),
    };
  }
}

function threadRatios(before: Reading, after: Reading): Pick<HealthFacts, "busyRatio" | "waitRatio"> {
  const seconds = after.seconds - before.seconds;
  if (before.thread === undefined || after.thread === undefined || !(seconds > 0)) return {};
  const ran = after.thread.runSeconds - before.thread.runSeconds;
  const idle = after.idleSpinSeconds - before.idleSpinSeconds;
  const waited = Math.min(seconds, after.thread.waitSeconds - before.thread.waitSeconds);
  const had = seconds - waited;
  return {
    busyRatio: had > 0 ? Math.min(1, Math.max(0, ran - idle) / had) : 0,
    waitRatio: waited / seconds,
  };
}

/** Several processors may be held back at once, so the sum over them may be more than the time. */
function throttledRatio(before: Reading, after: Reading): Pick<HealthFacts, "throttledRatio"> {
  const seconds = after.seconds - before.seconds;
  if (before.throttledSeconds === undefined || after.throttledSeconds === undefined || !(seconds > 0)) return {};
  return { throttledRatio: Math.min(1, (after.throttledSeconds - before.throttledSeconds) / seconds) };
}

/** 0 when it cannot be read: that takes a file, and a trial that runs out of files must be reported, not lost. */
function rssBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
