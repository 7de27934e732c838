/**
 * The test of paired effects by sign flips, jointly over several metrics. Were two arms equal, each pair's effects would have had
 * the other sign just as well; so the effects are compared with what all 2^n choices of signs would have given. Nothing is
 * assumed of their distribution, and the error rate is exact for any number of pairs.
 *
 * The statistic is the studentised mean, t = mean / (s / sqrt(n)). With Q the sum of the squares, which no flip changes, and S
 * the sum, u = |S| / sqrt(n Q) gives t^2 = (n - 1) u^2 / (1 - u^2): |t| grows with u, by the same law for every metric. So u is
 * compared instead; it lies in [0, 1], and the zero variance of equal effects, u = 1, needs no exception.
 *
 * Adjusted p-values are those of Westfall and Young's step-down maxima: metrics in the order of u; each is compared with the
 * largest u of those from it on, under the same flips for all. What metrics have in common is thereby kept, and correlated
 * ones cost little, where Holm's correction would charge for each.
 *
 * Sources: R. A. Fisher, "The Design of Experiments", 1935, section 21; P. H. Westfall and S. S. Young, "Resampling-Based
 * Multiple Testing", 1993, algorithm 2.8; J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple
 * hypothesis testing", JASA 100, 2005 (why it holds with any subset of the hypotheses true); B. Phipson and G. K. Smyth,
 * "Permutation p-values should never be zero", SAGMB 9, 2010 (the +1 of samples).
 */

import type { Random } from "../policy/policy.ts";
import { eachSignPattern, TIE } from "./sign-patterns.ts";

export interface SignFlipTest {
  /** Two-sided, one a metric; the smallest possible is 2 / 2^n. */
  readonly pValues: readonly number[];
  /** Corrected for all metrics: at least the p-value, and no smaller than that of a metric with a larger |t|. */
  readonly adjusted: readonly number[];
}

/**
 * Tests each metric's mean effect against zero.
 *
 * @param effects a row a metric, a column a pair: logarithms of ratios, or differences. A metric that lacks the effect of some
 *   pair is to be left out. Metrics may have different units.
 * @param random draws patterns when there are too many to look at each, see {@link eachSignPattern}.
 * @returns p-values in (0, 1]; 1 for a metric without any effect.
 * @throws RangeError when rows differ in length, there is no pair, or an effect is not finite.
 */
export function signFlipTest(effects: readonly (readonly number[])[], random: Random): SignFlipTest {
  const first = effects[0];
  if (first === undefined) return { pValues: [], adjusted: [] };
  const pairs = first.length;
  const rows = effects.map((row) => normalised(row, pairs));
  const observed = rows.map((row) => Math.abs(row.reduce((sum, value) => sum + value, 0)));
  // From the smallest to the largest, so that the maximum over "this one and all smaller ones" is one running maximum.
  const order = observed.map((_, metric) => metric).sort((a, b) => (observed[a] as number) - (observed[b] as number));
  const reached = new Float64Array(rows.length);
  const reachedByMax = new Float64Array(rows.length);
  const patterns = eachSignPattern(rows, random, (sums) => {
    let max = 0;
    for (const metric of order) {
      const least = (observed[metric] as number) - TIE;
      const u = Math.abs(sums[metric] as number);
      if (u > max) max = u;
      if (u >= least) reached[metric] = (reached[metric] as number) + 1;
      if (max >= least) reachedByMax[metric] = (reachedByMax[metric] as number) + 1;
    }
  });
  const adjusted = Array.from(reachedByMax, (count) => count / patterns);
  let most = 0;
  for (const metric of order.toReversed()) {
    most = Math.max(most, adjusted[metric] as number);
    adjusted[metric] = most;
  }
  return { pValues: Array.from(reached, (count) => count / patterns), adjusted };
}

/** Divided by sqrt(n Q), so that |sum| is u; all zeros where they are. */
function normalised(row: readonly number[], pairs: number): readonly number[] {
  if (row.length !== pairs || pairs === 0) {
    throw new RangeError(
      `Cannot test by sign flips as all metrics must have the same pairs, at least one: one has ${row.length}, the first has ${pairs}`,
    );
  }
  const wrong = row.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) {
    throw new RangeError(`Cannot test by sign flips as effects must be finite: one of them is ${wrong}`);
  }
  // By the largest first: squares of tiny or huge effects would leave the range of numbers.
  const largest = row.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  if (largest === 0) return row;
  const scaled = row.map((value) => value / largest);
  const length = Math.sqrt(pairs * scaled.reduce((sum, value) => sum + value * value, 0));
  return scaled.map((value) => value / length);
}
