/**
 * The next turn of the event loop, after it has looked at the sockets. A connection that was kept may have ended, or carry
 * bytes that nobody asked for, without our having seen it yet: a request that is written before we look would meet the one and
 * take the other for its answer. One callback serves all requests of a turn.
 */

import { setImmediate } from "node:timers";

export class NextTurn {
  #due: (() => void)[] = [];
  #running: (() => void)[] = [];

  readonly #run = (): void => {
    const due = this.#due;
    this.#due = this.#running;
    this.#running = due;
    for (const task of due) task();
    due.length = 0;
  };

  /** @param task kept by its owner: nothing is allocated here. */
  do(task: () => void): void {
    if (this.#due.push(task) === 1) setImmediate(this.#run);
  }
}
