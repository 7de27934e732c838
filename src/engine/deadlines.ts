/**
 * The deadlines of all attempts under way. Every attempt gets the same time, so deadlines fall due in the order in which
 * the attempts were handed over: a list through the calls themselves, one timer for the first of them, none per attempt.
 */

import type { Call } from "./call.ts";
import type { Scheduler, Task } from "./ports.ts";

/** O(1) a deadline, no allocation; holds the attempts in flight and nothing else. */
export class Deadlines implements Task {
  readonly #scheduler: Scheduler;
  readonly #timeoutSeconds: number;
  readonly #expired: (call: Call) => void;
  #first: Call | undefined;
  #last: Call | undefined;
  #armed = false;

  /** @param expired called for each attempt whose deadline has passed; it is no longer watched then. */
  constructor(scheduler: Scheduler, timeoutSeconds: number, expired: (call: Call) => void) {
    this.#scheduler = scheduler;
    this.#timeoutSeconds = timeoutSeconds;
    this.#expired = expired;
  }

  /** Watches the attempt of `call` that was just handed over. */
  watch(call: Call): void {
    const last = this.#last;
    call.watchedBefore = last;
    if (last === undefined) this.#first = call;
    else last.watchedAfter = call;
    this.#last = call;
    if (!this.#armed) this.#arm(call);
  }

  /** The watched attempt of `call` has ended. */
  unwatch(call: Call): void {
    const { watchedBefore, watchedAfter } = call;
    if (watchedBefore === undefined) this.#first = watchedAfter;
    else watchedBefore.watchedAfter = watchedAfter;
    if (watchedAfter === undefined) this.#last = watchedBefore;
    else watchedAfter.watchedBefore = watchedBefore;
    call.watchedBefore = undefined;
    call.watchedAfter = undefined;
  }

  run(): void {
    const now = this.#scheduler.now();
    // `expired` may hand further attempts over: they come last, so they are not the ones to wake up for.
    for (let call = this.#first; call !== undefined && this.#dueOf(call) <= now; call = this.#first) {
      this.unwatch(call);
      this.#expired(call);
    }
    this.#armed = false;
    if (this.#first !== undefined) this.#arm(this.#first);
  }

  #arm(first: Call): void {
    this.#armed = true;
    this.#scheduler.at(this.#dueOf(first), this, "coarse");
  }

  #dueOf(call: Call): number {
    return call.handedSeconds + this.#timeoutSeconds;
  }
}
