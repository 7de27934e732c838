/**
 * The real world's scheduler. Timers alone are late by 0.6 to 1.5 ms at the median, so in `precise` mode it sleeps until
 * shortly before the next exact task and then spins on `setImmediate`, which lets the sockets be served in between.
 */

import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import type { Scheduler, Task } from "../../engine/ports.ts";
import { TaskQueue } from "../../engine/task-queue.ts";
import type { Pacing } from "../../engine/trial-spec.ts";
import { monotonicSeconds } from "./monotonic.ts";

/** How long before a task the sleep ends: the worst usual lag of a timer on the three runtimes. */
const SPIN_SECONDS = 0.0015;
/** Exact tasks run in one turn when many are due: then the sockets get their turn, so that answers are timed in time. */
const TASKS_PER_TURN = 16;
/** The longest delay that a timer takes (a signed 32-bit count of milliseconds). */
const TIMER_LIMIT_MS = 2_147_483_647;

type Waiting = "nothing" | "timer" | "turn";

export class RealScheduler implements Scheduler {
  readonly #spin: boolean;
  readonly #exact: TaskQueue = new TaskQueue();
  readonly #coarse: Set<NodeJS.Timeout> = new Set();
  #originSeconds = monotonicSeconds();
  #waiting: Waiting = "nothing";
  #timer: NodeJS.Timeout | undefined;
  #wakeSeconds = 0;
  #running = false;
  #closed = false;
  readonly #turn = (): void => this.#run();

  constructor(pacing: Pacing) {
    this.#spin = pacing === "precise";
  }

  now(): number {
    return monotonicSeconds() - this.#originSeconds;
  }

  /** Makes this moment the start of the trial. */
  restart(): void {
    this.#originSeconds = monotonicSeconds();
  }

  at(timeSeconds: number, task: Task, precision: "exact" | "coarse"): void {
    if (this.#closed) return;
    if (precision === "coarse") {
      this.#atCoarsely(timeSeconds, task);
      return;
    }
    this.#exact.push(timeSeconds, task);
    if (!this.#running) this.#arm();
  }

  /** Forgets all tasks; nothing keeps the process alive any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const timer of this.#coarse) clearTimeout(timer);
    this.#coarse.clear();
  }

  #atCoarsely(timeSeconds: number, task: Task): void {
    // A timer may fire a millisecond early: ask for the next whole one, and look at the clock when it fires.
    const delayMs = Math.ceil(Math.max(0, timeSeconds - this.now()) * 1000);
    const timer = setTimeout(
      () => {
        this.#coarse.delete(timer);
        if (this.now() < timeSeconds) this.#atCoarsely(timeSeconds, task);
        else task.run();
      },
      Math.min(delayMs, TIMER_LIMIT_MS),
    );
    this.#coarse.add(timer);
  }

  #run(): void {
    if (this.#closed) return;
    this.#waiting = "nothing";
    this.#running = true;
    for (let ran = 0; ran < TASKS_PER_TURN && this.#exact.nextSeconds <= this.now(); ran += 1) this.#exact.pop().run();
    this.#running = false;
    this.#arm();
  }

  #arm(): void {
    if (this.#closed || this.#exact.size === 0 || this.#waiting === "turn") return;
    const next = this.#exact.nextSeconds;
    if (this.#waiting === "timer") {
      if (next >= this.#wakeSeconds) return;
      clearTimeout(this.#timer);
    }
    const remaining = next - this.now();
    const sleepMs = this.#spin ? Math.floor((remaining - SPIN_SECONDS) * 1000) : Math.ceil(remaining * 1000);
    if (sleepMs < 1) {
      this.#waiting = "turn";
      setImmediate(this.#turn);
      return;
    }
    this.#waiting = "timer";
    this.#wakeSeconds = next;
    this.#timer = setTimeout(this.#turn, Math.min(sleepMs, TIMER_LIMIT_MS));
  }
}
