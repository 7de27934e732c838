/** Measures how long the event loop of this thread stood still: a timer that should fire every 20 ms, and the gaps between. */

import { clearInterval, setInterval } from "node:timers";
import { monotonicSeconds } from "./monotonic.ts";

/**
 * 50 beats a second cost nothing that shows. Timers come up between the turns in which the pacer spins, on all three
 * runtimes.
 */
const BEAT_MS = 20;

export class Pulse {
  readonly #timer: NodeJS.Timeout;
  #lastSeconds = monotonicSeconds();
  #longestSeconds = 0;

  constructor() {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  /**
   * The longest that the loop stood still, up to now: by how much the longest gap was longer than it should be. The true
   * stall is at most one beat longer, never shorter.
   */
  get longestMs(): number {
    this.#beat();
    return Math.max(0, 1000 * this.#longestSeconds - BEAT_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const now = monotonicSeconds();
    this.#longestSeconds = Math.max(this.#longestSeconds, now - this.#lastSeconds);
    this.#lastSeconds = now;
  }
}
