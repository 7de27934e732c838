/** What is known of an experiment while it runs, for whoever is shown it: trials that ended, the one under way, the time left. */

import { compareArms } from "../../comparison/compare-arms.ts";
import type { LiveTrial } from "../../engine/live-trial.ts";
import type { TrialProgress } from "../../engine/trial-spec.ts";
import { withComparison } from "../../experiment/with-trials.ts";
import { METRICS } from "../../figures/metrics.ts";
import type { Comparison } from "../../result/comparison-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";

/** More do not fit into a line, and take long to compare. */
const ARMS_COMPARED_MAX = 8;
const GOODPUT = METRICS.filter(({ key }) => key === "goodput");

/** How an experiment was laid out. */
export interface LiveLayout {
  /** The baseline first. @property seconds of load in each of its trials, the warm-up included. */
  readonly arms: readonly { readonly name: string; readonly seconds: number }[];
  /** At most: an experiment may be decided earlier. */
  readonly pairs: number;
}

/** What is under way. */
export interface UnderWay {
  readonly label: string;
  /** 0: not known, or none of the clock's. */
  readonly durationSeconds: number;
  /** Undefined until it tells something. */
  readonly progress: TrialProgress | undefined;
  /** Undefined where nobody keeps account by the second. */
  readonly trial: LiveTrial | undefined;
  /** How far simulations are, in words. */
  readonly text: string | undefined;
}

export class LiveExperiment {
  readonly #nowMs: () => number;
  #layout: LiveLayout | undefined;
  #underWay: UnderWay | undefined;
  #begunMs = 0;
  #trials: readonly TrialResult[] = [];
  #comparison: Comparison | undefined;
  /** From the end of the load of one trial to the beginning of the next: drains, waits for the target, files. */
  readonly #between = { count: 0, seconds: 0 };

  /** @param nowMs a clock that does not go back. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get layout(): LiveLayout | undefined {
    return this.#layout;
  }

  get underWay(): UnderWay | undefined {
    return this.#underWay;
  }

  /** Trials that ended, in the order of their ends. */
  get trials(): readonly TrialResult[] {
    return this.#trials;
  }

  get comparison(): Comparison | undefined {
    return this.#comparison;
  }

  planned(layout: LiveLayout, kept: readonly TrialResult[]): void {
    this.#layout = layout;
    this.#trials = kept;
  }

  begin(label: string, durationSeconds: number, trial: LiveTrial | undefined): void {
    const nowMs = this.#nowMs();
    const before = this.#underWay;
    if (trial !== undefined && before?.trial !== undefined) {
      this.#between.count += 1;
      this.#between.seconds += Math.max(0, (nowMs - this.#begunMs) / 1000 - before.durationSeconds);
    }
    this.#begunMs = nowMs;
    this.#underWay = { label, durationSeconds, trial, progress: undefined, text: undefined };
  }

  update(progress: TrialProgress): void {
    if (this.#underWay !== undefined) this.#underWay = { ...this.#underWay, progress };
  }

  simulated(text: string): void {
    if (this.#underWay !== undefined) this.#underWay = { ...this.#underWay, text };
  }

  ended(result: Result): void {
    this.#trials = result.trials;
    this.#comparison = result.comparison ?? goodputSoFar(result);
  }

  end(): void {
    this.#underWay = undefined;
  }

  /** Trials of the layout, and how many of them have ended. */
  get count(): { readonly ended: number; readonly all: number } {
    const all = this.#layout === undefined ? 0 : this.#layout.arms.length * this.#layout.pairs;
    return { ended: this.#trials.length, all };
  }

  /** Of all trials, at most; undefined while no trial of the clock's time is under way. */
  get secondsLeft(): number | undefined {
    const { trial, durationSeconds, progress } = this.#underWay ?? {};
    if (this.#layout === undefined || trial === undefined || durationSeconds === undefined) return undefined;
    const known = new Set([...this.#trials, trial.spec].map((one) => JSON.stringify([one.arm, one.pair])));
    let left = Math.max(0, durationSeconds - (progress?.elapsedSeconds ?? 0));
    const { count, seconds: waited } = this.#between;
    const betweenSeconds = count === 0 ? 0 : waited / count;
    for (const { name, seconds } of this.#layout.arms) {
      for (let index = 0; index < this.#layout.pairs; index += 1) {
        if (!known.has(JSON.stringify([name, index]))) left += seconds + betweenSeconds;
      }
    }
    return left;
  }
}

/** How the arms compare in goodput, where they are few; without the looks of an experiment that stops early. */
function goodputSoFar(result: Result): Comparison | undefined {
  if (result.design.arms.length > ARMS_COMPARED_MAX) return undefined;
  const design = { ...result.design, stopping: { rule: "all-pairs" } as const };
  return withComparison({ ...result, design }, (trials, baseline, facts) =>
    compareArms(trials, baseline, { ...facts, metrics: GOODPUT }),
  ).comparison;
}
