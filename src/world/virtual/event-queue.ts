/** The virtual world's time: events in order of time, then of scheduling, and a clock that jumps from one to the next. */

import type { Scheduler, Task } from "../../engine/ports.ts";
import { TaskQueue } from "../../engine/task-queue.ts";

export class EventQueue implements Scheduler {
  readonly #queue: TaskQueue = new TaskQueue();
  #nowSeconds: number;

  /** @param startSeconds the time before the first event. */
  constructor(startSeconds = 0) {
    this.#nowSeconds = startSeconds;
  }

  now(): number {
    return this.#nowSeconds;
  }

  /** Virtual time is exact, so the precision makes no difference. A time in the past means now. */
  at(timeSeconds: number, task: Task): void {
    this.#queue.push(timeSeconds > this.#nowSeconds ? timeSeconds : this.#nowSeconds, task);
  }

  /**
   * Runs events until there are none, `isDone` says so, or `limit` have run.
   *
   * @returns the number of events run.
   */
  run(limit: number, isDone: () => boolean): number {
    let ran = 0;
    while (ran < limit && this.#queue.size > 0 && !isDone()) {
      this.#nowSeconds = this.#queue.nextSeconds;
      this.#queue.pop().run();
      ran += 1;
    }
    return ran;
  }
}
