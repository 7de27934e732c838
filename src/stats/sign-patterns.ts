/** The sign patterns of a test by sign flips: all of them, or a sample where they are too many. */

import type { Random } from "../policy/policy.ts";

/** Up to here all 2^n patterns are looked at: 32,768 sums, as the opposite of a pattern gives the opposite sums. */
const EXACT_PAIRS_MAX = 16;
/** Beyond it so many are drawn: a p-value of 0.05 has a standard error of 0.0015. The observed one counts as drawn, too. */
const SAMPLE = 19_999;
const TWO_32 = 0x100000000;

/** Sums, divided by the largest one that the pattern can give, count as equal from here on: the rest is rounding. */
export const TIE = 1e-10;

/**
 * Visits sign patterns, the observed one (all signs as they are) first. All patterns in the order of a Gray code, where each
 * changes one sign: one addition a row. The sign of the first pair stays, so that of two opposite patterns one is visited.
 *
 * @param rows values by pairs; all rows of the same length, at least one.
 * @param visit gets the sum of each row under the pattern, in an array that is used again.
 * @returns how many patterns were visited, the observed one included: what counts of visits are shares of.
 */
export function eachSignPattern(
  rows: readonly (readonly number[])[],
  random: Random,
  visit: (sums: Float64Array) => void,
): number {
  const pairs = rows[0]?.length ?? 0;
  return pairs <= EXACT_PAIRS_MAX ? visitAll(rows, pairs, visit) : visitSample(rows, pairs, random, visit);
}

function visitAll(rows: readonly (readonly number[])[], pairs: number, visit: (sums: Float64Array) => void): number {
  const sums = Float64Array.from(rows, (row) => row.reduce((sum, value) => sum + value, 0));
  const signs = new Int8Array(pairs).fill(1);
  visit(sums);
  const patterns = 2 ** (pairs - 1);
  for (let step = 1; step < patterns; step += 1) {
    // The lowest bit set in the step, counted from 1: the first pair, 0, never changes.
    const pair = 32 - Math.clz32(step & -step);
    const sign = -(signs[pair] as number);
    signs[pair] = sign;
    for (let row = 0; row < sums.length; row += 1) {
      sums[row] = (sums[row] as number) + 2 * sign * ((rows[row] as readonly number[])[pair] as number);
    }
    visit(sums);
  }
  return patterns;
}

function visitSample(
  rows: readonly (readonly number[])[],
  pairs: number,
  random: Random,
  visit: (sums: Float64Array) => void,
): number {
  const sums = Float64Array.from(rows, (row) => row.reduce((sum, value) => sum + value, 0));
  visit(sums);
  for (let drawn = 0; drawn < SAMPLE; drawn += 1) {
    sums.fill(0);
    let bits = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      if (pair % 32 === 0) bits = Math.floor(random.random() * TWO_32);
      const sign = (bits & 1) === 0 ? 1 : -1;
      bits >>>= 1;
      for (let row = 0; row < sums.length; row += 1) {
        sums[row] = (sums[row] as number) + sign * ((rows[row] as readonly number[])[pair] as number);
      }
    }
    visit(sums);
  }
  return SAMPLE + 1;
}
