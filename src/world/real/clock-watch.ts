/** Watches the wall clock against the monotonic one. */

import { monotonicSeconds } from "./monotonic.ts";

/** The clocks, in milliseconds since whatever moment. */
export interface Clocks {
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
}

const OWN_CLOCKS: Clocks = { monotonicMs: () => 1000 * monotonicSeconds(), wallMs: () => Date.now() };

/** The clocks are read one after the other: a reading that took longer may have been interrupted, and is made again. */
const READING_MS_MAX = 2;
const READINGS_MAX = 3;

/**
 * Finds steps: a machine that was suspended (the monotonic clock of Linux stands still meanwhile, the wall clock does not), or a
 * wall clock that was set. Only the change from one look to the next counts: a clock that is slewed (at most 0.05 % by the
 * kernel, adjtimex(2), 8 % by chrony) moves by a few milliseconds between two looks, and never steps.
 */
export class ClockWatch {
  readonly #clocks: Clocks;
  #offsetMs: number | undefined;
  #jumpMaxMs = 0;

  constructor(clocks: Clocks = OWN_CLOCKS) {
    this.#clocks = clocks;
  }

  /** The largest step so far. */
  get jumpMaxMs(): number {
    return this.#jumpMaxMs;
  }

  /** To be called a few times a second. */
  look(): void {
    const offsetMs = this.#read();
    if (offsetMs === undefined) return;
    if (this.#offsetMs !== undefined) this.#jumpMaxMs = Math.max(this.#jumpMaxMs, Math.abs(offsetMs - this.#offsetMs));
    this.#offsetMs = offsetMs;
  }

  #read(): number | undefined {
    for (let reading = 0; reading < READINGS_MAX; reading += 1) {
      const before = this.#clocks.monotonicMs();
      const wall = this.#clocks.wallMs();
      if (this.#clocks.monotonicMs() - before <= READING_MS_MAX) return wall - before;
    }
    return undefined;
  }
}
