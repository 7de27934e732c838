/** Attempts that wait, first in, first out. */

import type { PendingAttempt } from "./pending-attempt.ts";

const INITIAL_CAPACITY = 64;

/** A ring that grows to what it must hold and then allocates nothing. O(1) at both ends. */
export class AttemptLine {
  /** Its length is a power of two. */
  #ring: (PendingAttempt | undefined)[] = new Array<PendingAttempt | undefined>(INITIAL_CAPACITY);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(attempt: PendingAttempt): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = attempt;
    this.#length += 1;
  }

  /** Takes the oldest one, or undefined when none waits. */
  shift(): PendingAttempt | undefined {
    if (this.#length === 0) return undefined;
    const attempt = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#length -= 1;
    return attempt;
  }

  #grow(): void {
    const ring = [...this.#ring.slice(this.#head), ...this.#ring.slice(0, this.#head)];
    ring.length = 2 * this.#ring.length;
    this.#ring = ring;
    this.#head = 0;
  }
}
