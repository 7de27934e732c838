/** A closed loop: so many fibres, each of which begins its next call when its last one has ended. */

import type { CallSink } from "./call-source.ts";
import type { GovernedCalls } from "./governed-calls.ts";
import type { Scheduler, Task } from "./ports.ts";

/** A call that took no time at all (its policy refused it, or its backend answers at once) is followed after this. */
const IDLE_SECONDS = 0.001;

/**
 * The offer is the number of fibres, of which there are as many as it has whole ones, and one at least; fibre f is user f. When
 * it falls, the fibres of the highest numbers end with the call that they are at.
 *
 * Its calls do not come at times of their own: where the backend is slow they come less often, so that their response times
 * lack what callers who do not wait for each other would have seen (B. Schroeder, A. Wierman, M. Harchol-Balter, "Open Versus
 * Closed: A Cautionary Tale", NSDI 2006).
 */
export class Fibres implements GovernedCalls {
  readonly #scheduler: Scheduler;
  readonly #fibres: Fibre[] = [];
  #sink: CallSink | undefined;
  #offer = 0;
  #count = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get offer(): number {
    return this.#offer;
  }

  start(sink: CallSink): void {
    this.#sink = sink;
  }

  setOffer(offer: number, nowSeconds: number): void {
    this.#offer = offer;
    this.#count = Math.max(1, Math.floor(offer));
    for (let user = 0; user < this.#count; user += 1) {
      this.#fibres[user] ??= { running: false, beganSeconds: 0, run: () => this.#begin(user) };
      const fibre = this.#fibres[user] as Fibre;
      if (fibre.running) continue;
      fibre.running = true;
      this.#scheduler.at(nowSeconds, fibre, "exact");
    }
  }

  callEnded(user: number, nowSeconds: number): void {
    const fibre = this.#fibres[user] as Fibre;
    // By the scheduler in any case: of answers that come at once there may be many, and fibres take turns.
    const atSeconds = nowSeconds > fibre.beganSeconds ? nowSeconds : nowSeconds + IDLE_SECONDS;
    this.#scheduler.at(atSeconds, fibre, "exact");
  }

  #begin(user: number): void {
    const fibre = this.#fibres[user] as Fibre;
    if (user >= this.#count) {
      fibre.running = false;
      return;
    }
    fibre.beganSeconds = this.#scheduler.now();
    (this.#sink as CallSink).begin(user, fibre.beganSeconds);
  }
}

interface Fibre extends Task {
  /** It is at a call, or about to begin one. */
  running: boolean;
  beganSeconds: number;
}
