/**
 * Which arms cannot be told from the best one. The best is picked by the data, so that to test the others against it as if it had
 * been named before would find differences too often. This is subset selection instead: an arm leaves the plateau when the best
 * is better by a one-sided test at alpha / (arms - 1). The truly best arm then leaves it with a probability of at most alpha,
 * whichever arm came out first, as one of arms - 1 tests would have to err about it.
 *
 * Few pairs can prove nothing: the least one-sided p-value of n pairs is 1 / 2^n. Until there are enough, an arm that served less
 * in every pair, and less by what matters on average, is set apart from those that did not, and is said to be so unproven.
 *
 * Sources: S. S. Gupta, "On some multiple decision (selection and ranking) rules", Technometrics 7, 1965; J. C. Hsu, "Multiple
 * Comparisons: Theory and Methods", 1996, chapter 4 (multiple comparisons with the best).
 */

import { METRICS } from "../figures/metrics.ts";
import type { Contrast } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import type { SweepStanding } from "../result/sweep-schema.ts";
import { compareArms } from "./compare-arms.ts";

export const ALPHA = 0.05;
/** The smallest difference of goodput that matters where nobody said another, as a share. */
export const SMALLEST_EFFECT = 0.05;

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
  return { arm, verdict: "undecided", ratio: null, pValue: null, pairs: 0, suggestedPairs: null };
}

function standingOf({ arm, pairs, metrics, suggestedPairs }: Contrast, arms: number, smallestEffect: number): Standing {
  const goodput = metrics[0];
  if (goodput === undefined) return untold(arm);
  const { estimate: ratio, effects, interval } = goodput;
  const isBelow = ratio !== null ? ratio < 1 : effects.every((effect) => effect !== null && effect < 1);
  const pValue = goodput.pValue === null ? null : Math.min(1, (arms - 1) * (isBelow ? goodput.pValue / 2 : 1));
  const bounds = {
    ...(typeof interval?.low === "number" ? { low: interval.low } : {}),
    ...(typeof interval?.high === "number" ? { high: interval.high } : {}),
  };
  const verdict = verdictOf(effects, ratio, bounds, pValue, pairs.length < pairsToProve(arms), smallestEffect);
  return { arm, verdict, ratio, ...bounds, pValue, pairs: pairs.length, suggestedPairs };
}

function verdictOf(
  effects: readonly (number | null)[],
  ratio: number | null,
  { low, high }: { readonly low?: number; readonly high?: number },
  pValue: number | null,
  isTooFew: boolean,
  smallestEffect: number,
): SweepStanding["verdict"] {
  if (low !== undefined && high !== undefined && low >= 1 - smallestEffect && high <= 1 + smallestEffect) {
    return "equivalent";
  }
  // Nothing served at all has no logarithm to be tested, and needs no test.
  if (effects.length > 0 && effects.every((effect) => effect === 0)) return isTooFew ? "lower" : "worse";
  if (ratio === null || ratio >= 1) return "undecided";
  if (pValue !== null && pValue <= ALPHA) return "worse";
  const isBelowInAll = effects.every((effect) => effect !== null && effect < 1);
  return isTooFew && isBelowInAll && ratio <= 1 - smallestEffect ? "lower" : "undecided";
}
