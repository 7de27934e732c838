/**
 * Which arms cannot be told from the best one. The best is picked by the data, so that to test the others against it as if it had
 * been named before would find differences too often. This is subset selection instead: an arm leaves the plateau when the best
 * is better by a one-sided test at alpha / (arms - 1), unless by less than matters. The one truly best arm then leaves it with a
 * probability of at most alpha, whichever arm came out first, as one of arms - 1 tests would have to err about it. It holds at
 * each load by itself, and for one arm: of several that are equally good, each stays so often, but not all of them at once.
 *
 * Few pairs can prove nothing: the least one-sided p-value of n pairs is 1 / 2^n. Until there are enough, an arm that served less
 * in every pair, and less by what matters on average, is set apart from those that did not, and is said to be so unproven.
 *
 * Sources: S. S. Gupta, "On some multiple decision (selection and ranking) rules", Technometrics 7, 1965; J. C. Hsu, "Multiple
 * Comparisons: Theory and Methods", 1996, chapter 4 (multiple comparisons with the best).
 */

import { METRICS } from "../figures/metrics.ts";
import type { Contrast, MetricComparison } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import type { SweepStanding } from "../result/sweep-schema.ts";
import { compareArms } from "./compare-arms.ts";
import { ALPHA } from "./defaults.ts";
import { isEquivalent, notMattering } from "./effects.ts";

const GOODPUT = METRICS.filter(({ key }) => key === "goodput");
/** So many pairs prove what can be proven between 200 arms. */
const PAIRS_MAX = 20;

/** The fewest pairs with which a difference between the best of so many arms and another can be proven. */
export function pairsToProve(arms: number): number {
  let pairs = 1;
  while ((arms - 1) / 2 ** pairs > ALPHA && pairs < PAIRS_MAX) pairs += 1;
  return pairs;
}

export interface Standing extends SweepStanding {
  /** Pairs in which both it and the best one can be trusted. */
  readonly pairs: number;
  /** Pairs that would find the smallest difference that matters; null: not known. */
  readonly suggestedPairs: number | null;
  /** Whether it differs from the best by less than what matters, if at all. */
  readonly isNear: boolean;
}

/**
 * Each contender but the best against it.
 *
 * @param trials of one load.
 * @param arms how many were measured at that load, those that broke a limit included: all of them could have been the best.
 */
export function standingsOf(
  trials: readonly TrialResult[],
  best: string,
  contenders: readonly string[],
  arms: number,
  smallestEffect: number,
): readonly Standing[] {
  const taking = trials.filter(({ arm }) => contenders.includes(arm));
  const { contrasts } = compareArms(taking, best, {
    alpha: ALPHA,
    smallestEffect,
    metrics: GOODPUT,
    opponents: contenders.filter((arm) => arm !== best).map((arm) => ({ arm, baseline: best })),
  });
  return contenders
    .filter((arm) => arm !== best)
    .map((arm) => {
      const contrast = contrasts.find((candidate) => candidate.arm === arm);
      return contrast === undefined ? untold(arm) : standingOf(contrast, arms, smallestEffect);
    });
}

function untold(arm: string): Standing {
  return { arm, verdict: "undecided", ratio: null, pValue: null, pairs: 0, suggestedPairs: null, isNear: false };
}

function standingOf({ arm, pairs, metrics, suggestedPairs }: Contrast, arms: number, smallestEffect: number): Standing {
  const goodput = metrics[0];
  if (goodput === undefined) return untold(arm);
  const { estimate: ratio, interval } = goodput;
  const isBelow = directionOf(goodput) < 0;
  const pValue = goodput.pValue === null ? null : Math.min(1, (arms - 1) * (isBelow ? goodput.pValue / 2 : 1));
  const bounds = {
    ...(typeof interval?.low === "number" ? { low: interval.low } : {}),
    ...(typeof interval?.high === "number" ? { high: interval.high } : {}),
  };
  const isNear = goodput.verdict === "equivalent" || isEquivalent("ratio", interval, smallestEffect);
  const isTooFew = pairs.length < pairsToProve(arms);
  const verdict =
    isBelow && isProven(goodput, pValue, isTooFew)
      ? "worse"
      : isNear
        ? "equivalent"
        : isTooFew && isLower(goodput, smallestEffect)
          ? "lower"
          : "undecided";
  return { arm, verdict, ratio, ...bounds, pValue, pairs: pairs.length, suggestedPairs, isNear };
}

/** Of what was tested: below 0 where it served less than the best. */
function directionOf({ estimate, balance }: MetricComparison): number {
  return balance ?? (estimate === null ? 0 : estimate - 1);
}

/** Nothing served at all needs no small p-value, but pairs enough. */
function isProven({ effects }: MetricComparison, pValue: number | null, isTooFew: boolean): boolean {
  if (effects.length > 0 && effects.every((effect) => effect === 0)) return !isTooFew;
  return pValue !== null && pValue <= ALPHA;
}

/** Less in every pair, and by what matters on average. */
function isLower({ effects, estimate, balance }: MetricComparison, smallestEffect: number): boolean {
  const { low } = notMattering("ratio", smallestEffect);
  const mean = balance === undefined ? estimate : (1 + balance) / (1 - balance);
  return effects.every((effect) => effect !== null && effect < 1) && mean !== null && mean <= low;
}
