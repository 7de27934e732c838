import { inverseNormal } from "../plan/inverse-normal.ts";
import { pairsForSigns } from "./power.ts";
import { sampleMoments } from "./sample-moments.ts";
import { studentCritical } from "./student-t.ts";

export interface Outlook {
  /** Pairs that can still be run. */
  readonly left: number;
  /** The true mean effect that is hoped for: a size. */
  readonly effect: number;
  /** What the p-value must not exceed at the end. */
  readonly level: number;
}

/**
 * Whether an experiment that is not decided yet will be, at its end, with a probability below `chance`, though there be an
 * effect: one of the hoped-for size, or as large as the values' mean so far if that is larger, in the direction of it. With n
 * values of sum S, standard deviation s, m pairs left, N = n + m and t the two-sided critical value of Student's distribution,
 * the sum at the end is about normal, and the conditional power
 *
 *     P(S_N > t s sqrt(N)) = Phi((S + m effect - t s sqrt(N)) / (s sqrt(m)))
 *
 * It leaves out that some of the level was spent at earlier looks, so it is somewhat too large: an experiment is given up rather
 * too late than too early. Giving up never rejects anything, so the error rate is kept whatever this says.
 *
 * Source: J. M. Lachin, "A review of methods for futility stopping based on conditional power", Statistics in Medicine 24, 2005.
 *
 * @param values effects so far.
 * @param chance 0.1: less than 10 %.
 */
export function isHopeless(values: readonly number[], { left, effect, level }: Outlook, chance: number): boolean {
  const total = values.length + left;
  if (total < pairsForSigns(level)) return true;
  if (values.length < 2 || left === 0) return false;
  const { mean, deviation } = sampleMoments(values);
  if (deviation === 0) return false;
  const size = Math.abs(mean);
  const needed = studentCritical(level, total - 1) * deviation * Math.sqrt(total);
  const expected = values.length * size + left * Math.max(effect, size);
  return (expected - needed) / (deviation * Math.sqrt(left)) < inverseNormal(chance);
}
