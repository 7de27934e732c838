/** A guard for targets that others use too: it ends the arrivals when things have been bad for so long. */

import { formatDuration } from "../plan/units.ts";
import type { TrialResult } from "../result/schema.ts";
import type { AttemptClass, Call } from "./call.ts";
import type { Scheduler, Task } from "./ports.ts";
import type { AttemptWatcher } from "./recorder.ts";
import { type SparseData, SparseHistogram, sparseQuantileSeconds } from "./sparse-histogram.ts";
import type { AbortRule } from "./trial-spec.ts";

export type Aborted = NonNullable<TrialResult["aborted"]>;

/** One second of attempts. */
interface Second {
  /** Those that ended by themselves or by their deadline; what was sent again or cancelled for another copy is none. */
  readonly ended: number;
  readonly accepted: number;
  readonly service: SparseData;
}

/**
 * Judges each whole second of the trial once it is over: a rule is broken when `forSeconds` of them in a row break it. A second
 * in which no attempt ended breaks none. In a real world seconds end when their timer fires, some milliseconds late.
 *
 * When the arrivals have ended there is nothing left to spare the target, and only what is slow is still under way: no more
 * seconds are judged.
 */
export class AbortGuard implements AttemptWatcher, Task {
  readonly #rules: readonly AbortRule[];
  readonly #scheduler: Scheduler;
  readonly #broken: (aborted: Aborted) => void;
  /** By rule: seconds in a row that broke it. */
  readonly #streaks: number[];
  readonly #service = new SparseHistogram();
  #ended = 0;
  #accepted = 0;
  #watches = true;
  /** Whether the end of this second has been asked for. */
  #awake = false;
  #aborted: Aborted | undefined;

  /**
   * @param broken told once, when the first rule is broken.
   * @throws RangeError for a rule that cannot be kept.
   */
  constructor(rules: readonly AbortRule[], scheduler: Scheduler, broken: (aborted: Aborted) => void) {
    checkAbortRules(rules);
    this.#rules = rules;
    this.#scheduler = scheduler;
    this.#broken = broken;
    this.#streaks = rules.map(() => 0);
  }

  /** Undefined while no rule has been broken. */
  get aborted(): Aborted | undefined {
    return this.#aborted;
  }

  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    if (attemptClass === "cancelled" || attemptClass === "staleConnection" || !this.#watches) return;
    this.#ended += 1;
    if (attemptClass === "accepted") this.#accepted += 1;
    if (call.startedSeconds >= 0) this.#service.record(nowSeconds - call.startedSeconds);
    if (!this.#awake) this.#expectSecond(nowSeconds);
  }

  arrivalsEnded(): void {
    this.#watches = false;
  }

  run(): void {
    if (!this.#watches) return;
    const second = { ended: this.#ended, accepted: this.#accepted, service: this.#service.data() };
    this.#ended = 0;
    this.#accepted = 0;
    this.#service.clear();
    for (const [index, rule] of this.#rules.entries()) {
      const streak = figureOf(rule, second) > boundOf(rule) ? (this.#streaks[index] as number) + 1 : 0;
      this.#streaks[index] = streak;
      if (streak >= rule.forSeconds) {
        this.#abort(rule, second);
        return;
      }
    }
    this.#awake = false;
    // After a second without an attempt the next one that ends wakes it up.
    if (second.ended > 0) this.#expectSecond(this.#scheduler.now());
  }

  #expectSecond(nowSeconds: number): void {
    this.#awake = true;
    this.#scheduler.at(Math.floor(nowSeconds) + 1, this, "coarse");
  }

  #abort(rule: AbortRule, second: Second): void {
    this.#watches = false;
    const atSeconds = Math.max(0, this.#scheduler.now());
    this.#aborted = { atSeconds, text: `${abortRuleText(rule)}: ${describe(rule, second)}` };
    this.#broken(this.#aborted);
  }
}

/** As --abort-on writes it. */
export function abortRuleText(rule: AbortRule): string {
  const bound = rule.kind === "errors" ? `${Number((100 * rule.share).toFixed(6))}%` : formatDuration(rule.seconds);
  return `${rule.kind}>${bound}:${formatDuration(rule.forSeconds)}`;
}

/** @throws RangeError */
function checkAbortRules(rules: readonly AbortRule[]): void {
  for (const rule of rules) {
    const { forSeconds } = rule;
    check(forSeconds >= 1 && forSeconds < Number.POSITIVE_INFINITY, "'forSeconds' must be 1 or more", forSeconds);
    if (rule.kind === "errors")
      check(rule.share >= 0 && rule.share < 1, "'share' must be 0 or more and below 1", rule.share);
    else check(rule.seconds > 0 && rule.seconds < Number.POSITIVE_INFINITY, "'seconds' must be above 0", rule.seconds);
  }
}

/** 0 where no attempt ended: that breaks no rule. */
function figureOf(rule: AbortRule, { ended, accepted, service }: Second): number {
  switch (rule.kind) {
    case "errors":
      return ended === 0 ? 0 : (ended - accepted) / ended;
    case "p50":
      return sparseQuantileSeconds([service], 0.5) ?? 0;
    case "p99":
      return sparseQuantileSeconds([service], 0.99) ?? 0;
    default:
      return rule satisfies never;
  }
}

function boundOf(rule: AbortRule): number {
  return rule.kind === "errors" ? rule.share : rule.seconds;
}

function describe(rule: AbortRule, second: Second): string {
  const figure = figureOf(rule, second);
  const inTheLast = rule.forSeconds === 1 ? "in a second" : `in the last of ${rule.forSeconds} such seconds`;
  return rule.kind === "errors"
    ? `${rounded(100 * figure)} % of the attempts were not accepted ${inTheLast}`
    : `the ${rule.kind} of the service time was ${formatDuration(figure)} ${inTheLast}`;
}

function rounded(value: number): number {
  return Math.round(10 * value) / 10;
}

function check(holds: boolean, rule: string, value: number): void {
  if (!holds) throw new RangeError(`Cannot guard as ${rule}: current value is ${value}`);
}
