/** A governor at work, and what came of each of its windows. */

import type { Scheduler, Task } from "../../src/engine/ports.ts";
import type { Decision } from "../../src/governor/decide.ts";
import type { GovernorEvent } from "../../src/governor/governor-line.ts";
import type { ThrottleGovernorOptions } from "../../src/governor/governor-options.ts";
import { type AttemptCounts, type GovernedControl, ThrottleGovernor } from "../../src/governor/throttle-governor.ts";
import type { Clock } from "../../src/policy/policy.ts";

export const WINDOW_SECONDS = 2;

/** One window that had attempts, or none. */
export interface GovernedStep {
  /** In force while it lasted. */
  readonly offer: number;
  readonly successes: number;
  readonly failures: number;
  /** `undefined`: there was nothing to decide. */
  readonly decision: Decision["kind"] | undefined;
  /** Remembered after it. */
  readonly lastBad: number | undefined;
}

/** A value that is in force as soon as it is set. */
export class Offer implements GovernedControl {
  value = 0;

  committed(): number {
    return this.value;
  }

  commit(offer: number): void {
    this.value = offer;
  }
}

export class GovernorWatch {
  readonly offer: Offer = new Offer();
  readonly steps: GovernedStep[] = [];
  readonly windowSeconds: number;
  readonly #governor: ThrottleGovernor;
  readonly #events: GovernorEvent[] = [];
  #seen: AttemptCounts = { successes: 0, failures: 0 };

  constructor(clock: Clock, options: ThrottleGovernorOptions) {
    this.windowSeconds = options.window ?? WINDOW_SECONDS;
    this.#governor = new ThrottleGovernor(clock, this.offer, options, ({ event }) => this.#events.push(event));
  }

  /** Ends a window. @param counts all attempts so far. */
  tick(counts: AttemptCounts): void {
    const offer = this.offer.value;
    const decision = this.#governor.tick(counts)?.kind;
    this.steps.push({
      offer,
      successes: counts.successes - this.#seen.successes,
      failures: counts.failures - this.#seen.failures,
      decision,
      lastBad: this.#governor.lastBad,
    });
    this.#seen = counts;
  }

  /** Ends so many windows in virtual time. @param moved is told after each of them. */
  follow(scheduler: Scheduler, windows: number, counts: () => AttemptCounts, moved: () => void = () => {}): void {
    const { steps, windowSeconds } = this;
    const task: Task = {
      run: () => {
        this.tick(counts());
        moved();
        if (steps.length < windows) scheduler.at(windowSeconds * (steps.length + 1), task, "exact");
      },
    };
    scheduler.at(windowSeconds, task, "exact");
  }

  /** The offers that were cut. */
  cuts(): readonly number[] {
    return this.#events.flatMap((event) => (event.kind === "down" ? [event.from] : []));
  }
}
