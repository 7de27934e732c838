/**
 * Jain's fairness index, (sum x)^2 / (n sum x^2): 1 when all shares are equal, 1 / n when one user has everything.
 *
 * Where nobody has anything (all zeros, or no user at all) the formula is 0 / 0; the index is then 1 by definition here,
 * because nobody is better off than another. Read it together with the total.
 *
 * Source: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984.
 *
 * @param values shares, all finite and at least 0.
 * @returns a number in [1 / n, 1].
 * @throws RangeError when a share is negative or not finite.
 */
export function jain(values: ArrayLike<number> & Iterable<number>): number {
  let max = 0;
  for (const value of values) {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(
        `Cannot compute fairness as 'values' must be finite and at least 0: one of them is ${value}`,
      );
    }
    if (value > max) max = value;
  }
  if (max === 0) return 1;
  let sum = 0;
  let sumOfSquares = 0;
  for (const value of values) {
    // Relative to the largest share, so that no square overflows or vanishes.
    const share = value / max;
    sum += share;
    sumOfSquares += share * share;
  }
  const index = (sum * sum) / (values.length * sumOfSquares);
  // Rounding may lead a hair outside the bounds that the Cauchy-Schwarz inequality sets.
  return Math.min(1, Math.max(1 / values.length, index));
}
