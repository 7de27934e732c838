import { naturalLog } from "../plan/natural-log.ts";
import type { Pair } from "./arms.ts";

/** What pairs say of goodput, on a scale on which swapping the arms swaps the sign. */
export interface GoodputEffects {
  readonly values: readonly number[];
  /** The smallest effect that matters, on that scale. */
  readonly margin: number;
  readonly scale: "ratio" | "difference";
}

/**
 * The logarithms of the ratios, arm over baseline. Where some trial served nothing at all there is no such ratio; then all pairs
 * are taken by their difference over their sum, (a - b) / (a + b), which is half the logarithm for small ones, 1 and -1 where one of
 * the two served nothing, and 0 where neither did.
 *
 * @param smallestEffect as a share: 0.05 is 5 %.
 */
export function goodputEffects(pairs: readonly Pair[], smallestEffect: number): GoodputEffects {
  const figures = pairs.map(({ base, other }) => [base.rates.goodput, other.rates.goodput] as const);
  if (figures.every(([base, other]) => base > 0 && other > 0)) {
    const values = figures.map(([base, other]) => (base === other ? 0 : naturalLog(other / base)));
    return { values, margin: naturalLog(1 + smallestEffect), scale: "ratio" };
  }
  const values = figures.map(([base, other]) => (base === other ? 0 : (other - base) / (other + base)));
  return { values, margin: smallestEffect / (2 + smallestEffect), scale: "difference" };
}
