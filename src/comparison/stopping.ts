/**
 * When an experiment may end before all its pairs are run, without deciding wrongly more often for it. It goes by goodput. After
 * some pairs (see lookSchedule) each arm's contrast with the baseline is one of
 *
 * - different: the sequential test by sign flips, which spends its alpha over the looks, rejects equality;
 * - equivalent: the 95 % interval lies within the smallest effect that matters, and so do two one-sided tests by sign flips, at
 *   what alpha this look adds to what was spent. The latter keep the chance of ever saying so of arms that differ by more;
 *   the interval alone, looked at again and again, would not. It is asked for because it is what a report shows;
 * - hopeless: neither, and the pairs left would find the smallest effect that matters with a chance below 10 %;
 * - open.
 *
 * The experiment ends as decided when all are different or equivalent, as hopeless when the others are hopeless. Hopelessness
 * binds nobody: it decides nothing, and so the error rate is kept with it or without. Contrasts share alpha equally (Bonferroni), as
 * they may be decided at different looks, and goodput has 0.8 of each part: the rest is for the other metrics (multiplicity.ts).
 */

import { stream } from "../plan/streams.ts";
import type { Contrast } from "../result/comparison-schema.ts";
import type { Design } from "../result/design-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { spentShare } from "../stats/alpha-spending.ts";
import { isHopeless } from "../stats/conditional-power.ts";
import { belowZeroPValue } from "../stats/one-sided-sign-flip.ts";
import { sequentialSignFlip } from "../stats/sequential-sign-flip.ts";
import { studentisedInterval } from "../stats/studentised-bootstrap.ts";
import { completePairs, type Opponents, type Pair, pairsOf } from "./arms.ts";
import { CHANCE, CONFIDENCE } from "./defaults.ts";
import { isEquivalent } from "./effects.ts";
import { type GoodputEffects, goodputEffects } from "./goodput-effects.ts";
import { lookSchedule } from "./look-schedule.ts";
import { goodputLevel } from "./multiplicity.ts";
import { stopText } from "./stopping-words.ts";

export interface StoppingOptions {
  /** All arms, the baseline first. */
  readonly arms: readonly string[];
  /** The most pairs. */
  readonly pairsMax: number;
  /** Chance of any false verdict, over all metrics, contrasts and looks. */
  readonly alpha: number;
  /** The smallest change of goodput that matters, as a share: 0.05 is 5 %. */
  readonly smallestEffect: number;
  /** Of the experiment: what chance there is in the tests follows from it. */
  readonly seed: number;
}

export interface Stopping {
  /** For the result file. All pairs are run where a look could not come before the last one. */
  readonly rule: Design["stopping"];
  /**
   * Whether the experiment ends here.
   *
   * @param trials of the pairs so far, in any order; pairs with an invalid or interrupted trial count as not there.
   * @param pairs how many have been run: one of the rule's looks, or nothing is decided.
   * @returns undefined when it goes on, and after the last pair, where it ends anyway.
   */
  decide(trials: readonly TrialResult[], pairs: number): Design["stopped"];
  /**
   * The looks at an arm's goodput that there have been, up to the one that told it from the baseline's.
   *
   * @returns undefined where the rule has none.
   */
  looks(trials: readonly TrialResult[], arm: string): Contrast["looks"];
}

type Look = NonNullable<Contrast["looks"]>[number];

export interface ContrastState {
  readonly arm: string;
  readonly verdict: "different" | "equivalent" | "hopeless" | "open";
  readonly scale: GoodputEffects["scale"];
  /** The last one. */
  readonly look?: Look;
}

/** Below this conditional power it is hopeless. */
const CHANCE_LEAST = 0.1;

/** @throws RangeError when an option is out of range. */
export function createStopping(options: StoppingOptions): Stopping {
  check(options);
  const { arms, pairsMax, alpha, smallestEffect, seed } = options;
  const [baseline = "", ...others] = arms;
  const schedule = lookSchedule(pairsMax);
  const levelAt = (pairs: number): number => goodputLevel(alpha, others.length) * spentShare(pairs / pairsMax);

  const effectsAt = (all: readonly Pair[], pairs: number): GoodputEffects =>
    goodputEffects(
      all.filter(({ pair }) => pair < pairs),
      smallestEffect,
    );

  const looksUpTo = (all: readonly Pair[], pairs: number): Look[] => {
    const due = schedule.filter((look) => look <= pairs);
    const tested = due.map((look) => ({ effects: effectsAt(all, look).values, level: levelAt(look) }));
    const pValues = sequentialSignFlip(tested, pairsMax, stream(seed, "comparison", CHANCE.looks));
    return pValues.map((pValue, index) => {
      const look = due[index] as number;
      return { pairs: look, pValue, level: levelAt(look) };
    });
  };

  const isShownEquivalent = ({ values, margin, effectOf }: GoodputEffects, pairs: number): boolean => {
    const interval = studentisedInterval(values, CONFIDENCE, stream(seed, "comparison", CHANCE.resamples));
    if (interval === undefined) return false;
    const effects = { low: effectOf(interval.low), high: effectOf(interval.high) };
    if (!isEquivalent("ratio", effects, smallestEffect)) return false;
    const before = schedule[schedule.indexOf(pairs) - 1];
    const level = levelAt(pairs) - (before === undefined ? 0 : levelAt(before));
    return [1, -1].every((side) => {
      const beyond = values.map((value) => side * value - margin);
      return belowZeroPValue(beyond, stream(seed, "comparison", CHANCE.equivalence)) <= level;
    });
  };

  const stateOf = (trials: readonly TrialResult[], opponents: Opponents, pairs: number): ContrastState => {
    const all = pairsOf(trials, opponents);
    const effects = effectsAt(all, pairs);
    const look = looksUpTo(all, pairs).at(-1);
    const facts = { arm: opponents.arm, scale: effects.scale, ...(look !== undefined && { look }) };
    if (look !== undefined && look.pValue <= look.level) return { ...facts, verdict: "different" };
    if (isShownEquivalent(effects, pairs)) return { ...facts, verdict: "equivalent" };
    const outlook = { left: pairsMax - pairs, effect: effects.margin, level: levelAt(pairsMax) };
    return { ...facts, verdict: isHopeless(effects.values, outlook, CHANCE_LEAST) ? "hopeless" : "open" };
  };

  if (schedule.length === 1) {
    return { rule: { rule: "all-pairs" }, decide: () => undefined, looks: () => undefined };
  }
  return {
    rule: { rule: "sequential", alpha, smallestEffect, looks: schedule },
    decide(trials, pairs) {
      if (!schedule.includes(pairs) || pairs === pairsMax) return undefined;
      const contrasts = others.map((arm) => stateOf(trials, { arm, baseline }, pairs));
      if (contrasts.some(({ verdict }) => verdict === "open")) return undefined;
      const because = contrasts.some(({ verdict }) => verdict === "hopeless") ? "hopeless" : "decided";
      return {
        pairs,
        because,
        text: stopText(because, { baseline, pairs, pairsMax, alpha, smallestEffect, contrasts }),
      };
    },
    looks(trials, arm) {
      const opponents = { arm, baseline };
      return looksUpTo(pairsOf(trials, opponents), pairsRun(trials, opponents));
    },
  };
}

/** How many pairs have been run without a gap: an experiment that was cut short may have ended in the middle of several. */
export function pairsRun(trials: readonly TrialResult[], opponents: Opponents): number {
  const run = new Set(completePairs(trials, opponents).map(({ pair }) => pair));
  let pairs = 0;
  while (run.has(pairs)) pairs += 1;
  return pairs;
}

function check({ arms, pairsMax, alpha, smallestEffect }: StoppingOptions): void {
  if (arms.length < 2) {
    throw new RangeError(
      `Cannot plan to stop as 'arms' must be a baseline and another one at least: there are ${arms.length}`,
    );
  }
  if (!(Number.isInteger(pairsMax) && pairsMax > 0)) {
    throw new RangeError(
      `Cannot plan to stop as 'pairsMax' must be a positive whole number: current value is ${pairsMax}`,
    );
  }
  if (!(alpha > 0 && alpha < 1)) {
    throw new RangeError(`Cannot plan to stop as 'alpha' must be above 0 and below 1: current value is ${alpha}`);
  }
  if (!(smallestEffect > 0 && smallestEffect < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`Cannot plan to stop as 'smallestEffect' must be above 0: current value is ${smallestEffect}`);
  }
}
