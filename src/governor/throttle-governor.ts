/** The backpressure governor: finds out how much a target takes, and holds the offer there. */

import type { Clock } from "../policy/policy.ts";
import { type Decision, decide } from "./decide.ts";
import {
  climbMode,
  type GovernedWindow,
  type GovernorEvent,
  type GovernorLine,
  governorLine,
} from "./governor-line.ts";
import {
  type ResolvedGovernorOptions,
  resolveGovernorOptions,
  type ThrottleGovernorOptions,
} from "./governor-options.ts";
import { memoryClearStep } from "./memory-clear-step.ts";

/** The one thing that the governor moves, such as the rate of an open loop. Others may move it too. */
export interface GovernedControl {
  /** The value in force, whoever set it; `undefined` or NaN while that is not known. */
  committed(): number | undefined;
  /**
   * Asks for another value, a fraction as a rule. It may take effect later or not at all: what comes of it, {@link committed}
   * says. What it throws is told in a line, and nothing else.
   */
  commit(offer: number): void;
}

/** How many attempts have ended so far. Attempts, not calls: calls that come right after retries hide an overload. */
export interface AttemptCounts {
  readonly successes: number;
  readonly failures: number;
}

/**
 * Watches the share of attempts that fail, window by window, and moves one control: it starts low, doubles while all is well,
 * backs off by how much failed, remembers where that was and comes back to it with care; see {@link decide}.
 *
 * Against a target of sharp capacity C it settles at an offer X with `1 - C / X` in the dead band, so
 * `C / (1 - low) < X <= C / (1 - high)`, after about `log2(C / start)` windows. It is not X that is the capacity: that is the
 * goodput at X, and it belongs to the declared bound `high`.
 *
 * What it takes for an evaluation, in this order:
 *
 * 1. `window` seconds have passed since the last one. The next window begins now: windows drift, and never overlap.
 * 2. Attempts ended in the window, by the differences of the counts (a count that fell gives 0). Without any nothing changes,
 *    whatever was counted towards forgetting a failure.
 * 3. The control's value is known. It is the value to go from: what others set is respected.
 * 4. The memory is cleared, by the third window in a row below `low` at an offer not below the one that failed; see
 *    {@link memoryClearStep}. The same window may then double the offer.
 * 5. The decision. A cut remembers the offer that failed, also when it is lower than the one remembered before; at the floor
 *    there is no cut, and nothing to remember.
 *
 * Attempts started before a cut end in the next window, so one overload may be cut twice where answers take long. Who would
 * not have that counts no attempts that were started before the last cut.
 *
 * Source: see {@link decide}.
 */
export class ThrottleGovernor {
  private readonly clock: Clock;
  private readonly control: GovernedControl;
  private readonly options: ResolvedGovernorOptions;
  private readonly tell: (line: GovernorLine) => void;
  private windowFromSeconds: number;
  private successes = 0;
  private failures = 0;
  private lastBadOffer: number | undefined;
  private cleanStreak = 0;

  /**
   * Puts the control to the first offer.
   *
   * @param tell is given a line for the start and for each movement.
   * @throws {RangeError} when an option breaks its rule.
   */
  constructor(
    clock: Clock,
    control: GovernedControl,
    options: ThrottleGovernorOptions = {},
    tell: (line: GovernorLine) => void = () => {},
  ) {
    this.clock = clock;
    this.control = control;
    this.options = resolveGovernorOptions(options);
    this.tell = tell;
    this.windowFromSeconds = clock.now();
    this.say({ kind: "started", ...this.options });
    this.write(this.options.start);
  }

  /** The offer at which attempts last failed; `undefined` while none is remembered. */
  get lastBad(): number | undefined {
    return this.lastBadOffer;
  }

  /** Windows in a row that count towards forgetting {@link lastBad}. */
  get streak(): number {
    return this.cleanStreak;
  }

  /**
   * To be called as often as one likes, at least once a window: all but one call in each window does nothing.
   *
   * @param counts since the governor was made; those of the first window count from 0.
   * @returns what was decided; `undefined` when there was nothing to decide.
   */
  tick(counts: AttemptCounts): Decision | undefined {
    const window = this.takeWindow(counts);
    if (window === undefined) return undefined;
    const current = this.control.committed();
    if (current === undefined || Number.isNaN(current)) return undefined;
    this.remember(window, current);
    const { high, low, floor, ceiling } = this.options;
    const decision = decide({ frac: window.frac, current, high, low, floor, ceiling, lastBad: this.lastBadOffer });
    this.carryOut(decision, window, current);
    return decision;
  }

  private takeWindow({ successes, failures }: AttemptCounts): GovernedWindow | undefined {
    const now = this.clock.now();
    const { windowSeconds } = this.options;
    // A clock that is set back begins the window anew, instead of holding it until that time comes again.
    if (now < this.windowFromSeconds) this.windowFromSeconds = now;
    if (now - this.windowFromSeconds < windowSeconds) return undefined;
    this.windowFromSeconds = now;
    const failed = Math.max(0, failures - this.failures);
    const attempts = failed + Math.max(0, successes - this.successes);
    this.successes = successes;
    this.failures = failures;
    return attempts > 0 ? { failures: failed, attempts, frac: failed / attempts, windowSeconds } : undefined;
  }

  private remember({ frac }: GovernedWindow, current: number): void {
    const lastBad = this.lastBadOffer;
    if (lastBad === undefined) return;
    const evidence = frac < this.options.low && current >= lastBad;
    const { streak, cleared } = memoryClearStep(this.cleanStreak, evidence);
    this.cleanStreak = streak;
    if (cleared) {
      this.lastBadOffer = undefined;
      this.say({ kind: "cleared", lastBad, current });
    } else if (evidence) {
      this.say({ kind: "evidence", streak, lastBad, current });
    }
  }

  private carryOut({ kind, offer: to }: Decision, window: GovernedWindow, from: number): void {
    if (kind === "hold") return;
    if (kind === "down") {
      this.lastBadOffer = from;
      this.say({ kind, from, to, ...window });
    } else {
      this.say({ kind, mode: climbMode(to, this.lastBadOffer), from, to, ...window });
    }
    this.write(to);
  }

  private write(offer: number): void {
    try {
      this.control.commit(offer);
    } catch (error) {
      this.say({ kind: "refused", offer, why: error instanceof Error ? error.message : String(error) });
    }
  }

  private say(event: GovernorEvent): void {
    this.tell(governorLine(event, this.options));
  }
}
