/**
 * The deadlines of all attempts under way. Attempts that get the same time fall due in the order in which they were handed
 * over: a list through the calls themselves, one timer for the first of them, none per attempt. An attempt that its policy
 * gives less time has an entry of its own in the scheduler.
 */

import type { Call } from "./call.ts";
import type { Scheduler, Task } from "./ports.ts";

/** O(1) a deadline of the usual length, no allocation; holds the attempts in flight and nothing else. */
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
    if (call.timeoutSeconds < this.#timeoutSeconds) {
      this.#watchAlone(call);
      return;
    }
    const last = this.#last;
    call.watchedBefore = last;
    if (last === undefined) this.#first = call;
    else last.watchedAfter = call;
    this.#last = call;
    if (!this.#armed) this.#arm(call);
  }

  /** The watched attempt of `call` has ended. */
  unwatch(call: Call): void {
    if (call.dueSeconds !== Number.POSITIVE_INFINITY) {
      call.dueSeconds = Number.POSITIVE_INFINITY;
      return;
    }
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

  #watchAlone(call: Call): void {
    call.dueSeconds = call.handedSeconds + call.timeoutSeconds;
    call.dueTask ??= { run: () => this.#expireAlone(call) };
    this.#scheduler.at(call.dueSeconds, call.dueTask, "coarse");
  }

  /** Entries of attempts that ended meanwhile stay in the scheduler until their time, and change nothing then. */
  #expireAlone(call: Call): void {
    if (call.dueSeconds > this.#scheduler.now()) return;
    call.dueSeconds = Number.POSITIVE_INFINITY;
    this.#expired(call);
  }

  #arm(first: Call): void {
    this.#armed = true;
    this.#scheduler.at(this.#dueOf(first), this, "coarse");
  }

  #dueOf(call: Call): number {
    return call.handedSeconds + this.#timeoutSeconds;
  }
}
