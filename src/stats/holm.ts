/**
 * Adjusts p-values for their number, whatever they have to do with each other: the smallest of m times m, the next times m - 1,
 * and so on, none below one before it, none above 1. Rejecting those that are at most alpha then rejects any true hypothesis
 * with a probability of at most alpha.
 *
 * Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
 *
 * @returns in the order given.
 * @throws RangeError when one is outside [0, 1].
 */
export function holm(pValues: readonly number[]): number[] {
  for (const pValue of pValues) {
    if (!(pValue >= 0 && pValue <= 1)) {
      throw new RangeError(`Cannot adjust p-values as each must be from 0 to 1: current value is ${pValue}`);
    }
  }
  const adjusted = [...pValues];
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] as number) - (pValues[b] as number));
  let least = 0;
  order.forEach((index, rank) => {
    least = Math.max(least, Math.min(1, (pValues.length - rank) * (pValues[index] as number)));
    adjusted[index] = least;
  });
  return adjusted;
}
