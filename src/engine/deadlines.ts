/**
 * The deadlines of all attempts under way. Every attempt gets the same time, so deadlines fall due in the order in which
 * the attempts were handed over: a plain queue, no timer per attempt.
 */

import type { Call } from "./call.ts";
import type { Scheduler, Task } from "./ports.ts";

const INITIAL_CAPACITY = 256;

/** Amortised O(1) a deadline. Holds at most the attempts handed over within one time-out, and far fewer when most are quick. */
export class Deadlines implements Task {
  readonly #scheduler: Scheduler;
  readonly #timeoutSeconds: number;
  readonly #expired: (call: Call) => void;

  #calls: (Call | undefined)[] = new Array(INITIAL_CAPACITY).fill(undefined);
  #serials = new Float64Array(INITIAL_CAPACITY);
  #dues = new Float64Array(INITIAL_CAPACITY);
  #head = 0;
  #size = 0;
  #armed = false;

  /** @param expired called for each attempt whose deadline has passed while it was in flight. */
  constructor(scheduler: Scheduler, timeoutSeconds: number, expired: (call: Call) => void) {
    this.#scheduler = scheduler;
    this.#timeoutSeconds = timeoutSeconds;
    this.#expired = expired;
  }

  /** Entries held, dead ones included. For tests of the memory bound. */
  get size(): number {
    return this.#size;
  }

  /** Watches the attempt of `call` that was just handed over. */
  watch(call: Call): void {
    this.#dropDead();
    if (this.#size === this.#calls.length) this.#grow();
    const slot = (this.#head + this.#size) & (this.#calls.length - 1);
    this.#calls[slot] = call;
    this.#serials[slot] = call.serial;
    this.#dues[slot] = call.handedSeconds + this.#timeoutSeconds;
    this.#size += 1;
    this.#arm();
  }

  run(): void {
    this.#armed = false;
    const now = this.#scheduler.now();
    while (this.#size > 0 && (!this.#isLive() || (this.#dues[this.#head] as number) <= now)) {
      const call = this.#calls[this.#head] as Call;
      const live = this.#isLive();
      this.#drop();
      if (live) this.#expired(call);
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#armed || this.#size === 0) return;
    this.#armed = true;
    this.#scheduler.at(this.#dues[this.#head] as number, this, "coarse");
  }

  #isLive(): boolean {
    const call = this.#calls[this.#head] as Call;
    return call.serial === this.#serials[this.#head] && call.phase === "inFlight";
  }

  #dropDead(): void {
    while (this.#size > 0 && !this.#isLive()) this.#drop();
  }

  #drop(): void {
    this.#calls[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#calls.length - 1);
    this.#size -= 1;
  }

  #grow(): void {
    const capacity = this.#calls.length;
    const calls: (Call | undefined)[] = new Array(2 * capacity).fill(undefined);
    const serials = new Float64Array(2 * capacity);
    const dues = new Float64Array(2 * capacity);
    for (let i = 0; i < this.#size; i += 1) {
      const slot = (this.#head + i) & (capacity - 1);
      calls[i] = this.#calls[slot];
      serials[i] = this.#serials[slot] as number;
      dues[i] = this.#dues[slot] as number;
    }
    this.#calls = calls;
    this.#serials = serials;
    this.#dues = dues;
    this.#head = 0;
  }
}
