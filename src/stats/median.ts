/**
 * The median: the middle value of the sorted ones, or the mean of the middle two.
 *
 * @param values in any order; they are not changed.
 * @throws RangeError when there is none, or when one is not a number.
 */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) throw new RangeError("Cannot take the median as 'values' must not be empty");
  // The sort puts a NaN last.
  if (Number.isNaN(sorted[sorted.length - 1])) {
    throw new RangeError("Cannot take the median as 'values' must be numbers: one of them is NaN");
  }
  if (sorted.length % 2 === 1) return upper;
  const lower = sorted[(sorted.length >> 1) - 1] ?? upper;
  // Halved before they are added, so that two huge values do not overflow.
  return lower === upper ? upper : lower / 2 + upper / 2;
}
