/**
 * The real world's scheduler. Timers alone are late by 0.6 to 1.5 ms at the median, so in `precise` mode it sleeps until
 * shortly before the next exact task and then spins on `setImmediate`, which lets the sockets be served in between.
 */

import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import type { Scheduler, Task } from "../../engine/ports.ts";
import { TaskQueue } from "../../engine/task-queue.ts";
import type { Pacing } from "../../engine/trial-spec.ts";
import { currentRuntime } from "../runtime.ts";
import { monotonicSeconds } from "./monotonic.ts";

/** How long before a task the sleep ends, at the least. */
const SPIN_SECONDS = 0.0015;
/**
 * Timers lag more on some runtimes, after long sleeps and on busy machines (medians: Bun 0.15 ms after a sleep of 1 ms and
 * 0.4 after 200, Node 0.2 and 0.8, Deno 1.3 and 1.8), so the sleep ends earlier there, up to this.
 */
const SPIN_SECONDS_MAX = 0.0025;
/**
 * What is kept is the lag that nine wakes in ten stay below: each one over it moves it up by nine steps, each one under it
 * down by one. A rare long one is not followed.
 */
const LAG_STEP_SECONDS = 0.00002;
const LAG_STEPS_UP = 9;
/** From the wake-up to the first turn in which the task can run. */
const WAKE_SECONDS = 0.0003;
/**
 * How long a turn that came early looks at the clock before the next one. On Bun a turn makes garbage, and half a million of
 * them a second keep its collector's threads busy, which take processors from the target and from this thread: with a tenth
 * of them lateness p99 at 1,000/s falls from 0.35 ms to 0.1 (two processors), and the sockets are still looked at often
 * enough. Node needs no such thing (0.01 ms), and Deno looks at its sockets in one turn of 61 only.
 */
const LOOK_SECONDS = currentRuntime().name === "bun" ? 0.00002 : 0;
/** Exact tasks run in one turn when many are due: then the sockets get their turn, so that answers are timed in time. */
const TASKS_PER_TURN = 16;
/** The longest delay that a timer takes (a signed 32-bit count of milliseconds). */
const TIMER_LIMIT_MS = 2_147_483_647;

/**
 * What a turn with nothing to do takes is known as the lower quartile of all turns without a task: sockets are served in
 * the others. Each one below it moves it down by three steps, each one above it up by one; a step is 2 % of it.
 */
const IDLE_STEP = 0.02;

type Waiting = "nothing" | "timer" | "turn";

export class RealScheduler implements Scheduler {
  readonly #spin: boolean;
  readonly #exact: TaskQueue = new TaskQueue();
  readonly #coarse: Set<NodeJS.Timeout> = new Set();
  #originSeconds = monotonicSeconds();
  #waiting: Waiting = "nothing";
  #timer: NodeJS.Timeout | undefined;
  /** The task that the timer is for, and when the timer is due. */
  #wakeSeconds = 0;
  #timerSeconds = 0;
  #lagSeconds = 0;
  #turnEndSeconds = 0;
  #idleTurnSeconds = 0.00001;
  #idleSpinSeconds = 0;
  #running = false;
  #closed = false;
  readonly #turn = (): void => this.#run();

  constructor(pacing: Pacing) {
    this.#spin = pacing === "precise";
  }

  now(): number {
    return monotonicSeconds() - this.#originSeconds;
  }

  /** How long it has spun with nothing to do, cumulative: processor time that nobody is short of. */
  get idleSpinSeconds(): number {
    return this.#idleSpinSeconds;
  }

  /** Makes a moment of this thread's clock the start of the trial, by default this one; it may lie ahead. */
  restart(originSeconds: number = monotonicSeconds()): void {
    this.#originSeconds = originSeconds;
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
    const beganSeconds = this.now();
    const spun = this.#waiting === "turn";
    if (this.#waiting === "timer") this.#noteLag(beganSeconds - this.#timerSeconds);
    this.#waiting = "nothing";
    if (this.#spin && LOOK_SECONDS > 0) this.#look(beganSeconds);
    this.#running = true;
    let ran = 0;
    for (; ran < TASKS_PER_TURN && this.#exact.nextSeconds <= this.now(); ran += 1) this.#exact.pop().run();
    this.#running = false;
    if (spun && ran === 0) this.#noteIdleTurn(beganSeconds - this.#turnEndSeconds);
    this.#arm();
  }

  #look(beganSeconds: number): void {
    const endSeconds = Math.min(this.#exact.nextSeconds, beganSeconds + LOOK_SECONDS);
    if (!(beganSeconds < endSeconds)) return;
    while (this.now() < endSeconds);
    this.#idleSpinSeconds += endSeconds - beganSeconds;
  }

  #arm(): void {
    if (this.#closed || this.#exact.size === 0 || this.#waiting === "turn") return;
    const next = this.#exact.nextSeconds;
    if (this.#waiting === "timer") {
      if (next >= this.#wakeSeconds) return;
      clearTimeout(this.#timer);
    }
    const now = this.now();
    const sleepMs = Math.min(this.#sleepMs(next - now), TIMER_LIMIT_MS);
    if (sleepMs < 1) {
      this.#waiting = "turn";
      this.#turnEndSeconds = now;
      setImmediate(this.#turn);
      return;
    }
    this.#waiting = "timer";
    this.#wakeSeconds = next;
    this.#timerSeconds = now + sleepMs / 1000;
    this.#timer = setTimeout(this.#turn, sleepMs);
  }

  #sleepMs(remainingSeconds: number): number {
    if (!this.#spin) return Math.ceil(remainingSeconds * 1000);
    const margin = Math.min(Math.max(this.#lagSeconds + WAKE_SECONDS, SPIN_SECONDS), SPIN_SECONDS_MAX);
    return Math.floor((remainingSeconds - margin) * 1000);
  }

  #noteLag(lagSeconds: number): void {
    this.#lagSeconds += lagSeconds > this.#lagSeconds ? LAG_STEPS_UP * LAG_STEP_SECONDS : -LAG_STEP_SECONDS;
  }

  #noteIdleTurn(tookSeconds: number): void {
    this.#idleSpinSeconds += Math.min(tookSeconds, this.#idleTurnSeconds);
    this.#idleTurnSeconds *= tookSeconds < this.#idleTurnSeconds ? 1 - 3 * IDLE_STEP : 1 + IDLE_STEP;
  }
}
