/**
 * What an experiment of so many pairs can find, and how many pairs it takes.
 *
 * The test by sign flips has about the power of the t test at the level that n pairs can attain: of the 2^n patterns a whole
 * number of opposite pairs is rejected, so that level is 2 floor(alpha 2^n / 2) / 2^n, below alpha for small n. The noncentral
 * t distribution, with v = n - 1 and the non-centrality c = effect sqrt(n) / sd, is taken as normal:
 *
 *     P(T > t) = Phi((c (1 - 1 / (4 v)) - t) / sqrt(1 + t^2 / (2 v)))
 *
 * so that the c for a wanted power follows in one step. (The other tail adds less than 0.1 % from a power of 50 % on.)
 *
 * Sources: M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 1964, 26.7.10; on the level, E. L. Lehmann and
 * J. P. Romano, "Testing Statistical Hypotheses", 2005, 5.9 and 15.2.
 */

import { inverseNormal } from "../plan/inverse-normal.ts";
import { sampleMoments } from "./sample-moments.ts";
import { studentCritical } from "./student-t.ts";

export interface PowerOptions {
  /** Chance of finding a difference where there is none, over all contrasts. */
  readonly alpha: number;
  /** Chance of finding the effect. */
  readonly power: number;
  /** Alpha is divided among so many. */
  readonly contrasts: number;
}

/** Confidence with which the true spread is below the one that pairs are suggested for: a pilot's few values may agree by luck. */
const SPREAD_CONFIDENCE = 0.8;
/** Nobody runs more. */
const PAIRS_MAX = 10_000;
/** From here on the attainable level is alpha, to nine digits. */
const FINE_LEVEL_PAIRS = 30;

/**
 * The smallest mean effect that an experiment like this one would find, in the unit of the values.
 *
 * @param values effects by pairs: logarithms of ratios, or differences.
 * @returns undefined where no effect could be found: so few pairs that not even equal signs in all of them are enough.
 * @throws RangeError for options out of range.
 */
export function detectableEffect(values: readonly number[], options: PowerOptions): number | undefined {
  const level = levelPerContrast(options);
  const n = values.length;
  if (n < pairsForSigns(level)) return undefined;
  return (sampleMoments(values).deviation * nonCentrality(n, level, options.power)) / Math.sqrt(n);
}

/**
 * The pairs of an experiment that finds `effect` with the given power. As the values are few, not their spread is used, but the
 * upper end of where it may lie, s sqrt((n - 1) / q) with q the 20 % quantile of the chi-squared distribution.
 *
 * @param values effects by pairs of a pilot.
 * @param effect in the unit of the values, of either sign.
 * @returns undefined where nothing is known of the spread (fewer than two values), and beyond 10,000 pairs.
 * @throws RangeError for options out of range, and where `effect` is 0 or not finite.
 */
export function suggestedPairs(values: readonly number[], effect: number, options: PowerOptions): number | undefined {
  const level = levelPerContrast(options);
  if (effect === 0 || !Number.isFinite(effect)) {
    throw new RangeError(`Cannot suggest pairs as 'effect' must be finite and not 0: current value is ${effect}`);
  }
  if (values.length < 2) return undefined;
  const freedom = values.length - 1;
  const spread =
    sampleMoments(values).deviation * Math.sqrt(freedom / chiSquaredQuantile(1 - SPREAD_CONFIDENCE, freedom));
  const wanted = Math.abs(effect) / spread;
  // What the normal distribution would need is never enough, so there is nothing to try below it.
  const normal = (inverseNormal(1 - level / 2) + inverseNormal(options.power)) / wanted;
  if (normal * normal > PAIRS_MAX) return undefined;
  for (let n = Math.max(pairsForSigns(level), Math.floor(normal * normal)); n <= PAIRS_MAX; n += 1) {
    if (nonCentrality(n, level, options.power) <= wanted * Math.sqrt(n)) return n;
  }
  return undefined;
}

/** The fewest pairs at which the same sign in all of them is rare enough: 2 / 2^n is at most the level. */
export function pairsForSigns(level: number): number {
  let pairs = 1;
  while (2 / 2 ** pairs > level) pairs += 1;
  return pairs;
}

/** The c at which the test of n pairs has the wanted power. */
function nonCentrality(n: number, level: number, power: number): number {
  const freedom = n - 1;
  const attained = n < FINE_LEVEL_PAIRS ? (2 * Math.floor((level * 2 ** n) / 2)) / 2 ** n : level;
  const t = studentCritical(attained, freedom);
  return (t + inverseNormal(power) * Math.sqrt(1 + (t * t) / (2 * freedom))) / (1 - 1 / (4 * freedom));
}

/**
 * E. B. Wilson and M. M. Hilferty, "The distribution of chi-square", PNAS 17, 1931: the cube root is about normal. Within 1 % at
 * the 20 % quantile from two degrees of freedom on, and 14 % too small, on the safe side, with one.
 */
function chiSquaredQuantile(p: number, freedom: number): number {
  const variance = 2 / (9 * freedom);
  return freedom * (1 - variance + inverseNormal(p) * Math.sqrt(variance)) ** 3;
}

function levelPerContrast({ alpha, power, contrasts }: PowerOptions): number {
  if (!(alpha > 0 && alpha < 1)) {
    throw new RangeError(`Cannot plan pairs as 'alpha' must be above 0 and below 1: current value is ${alpha}`);
  }
  if (!(power >= 0.5 && power < 1)) {
    throw new RangeError(`Cannot plan pairs as 'power' must be at least 0.5 and below 1: current value is ${power}`);
  }
  if (!(Number.isInteger(contrasts) && contrasts > 0)) {
    throw new RangeError(
      `Cannot plan pairs as 'contrasts' must be a positive whole number: current value is ${contrasts}`,
    );
  }
  return alpha / contrasts;
}
