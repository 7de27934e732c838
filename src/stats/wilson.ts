/** The standard normal distribution's 97.5 % quantile: 95 % lie within so many standard deviations. */
const Z = 1.959963984540054;

/** A share with its interval. */
export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * The 95 % interval of a share by its score, which keeps its level near 0 and 1 and for few trials: the shares p for which
 * |count / trials - p| <= z sqrt(p (1 - p) / trials). Source: E. B. Wilson, JASA 22 (1927) 209; recommended for few trials by
 * Brown, Cai and DasGupta, Statistical Science 16 (2001) 101.
 *
 * @param count of the trials, those that had it; 0 to `trials`.
 * @returns 0 to 1 where there is no trial.
 * @throws RangeError
 */
export function wilsonInterval(count: number, trials: number): ShareInterval {
  if (!Number.isSafeInteger(trials) || trials < 0) {
    throw new RangeError(
      `Cannot take a share as 'trials' must be a whole number, not negative: current value is ${trials}`,
    );
  }
  if (!Number.isSafeInteger(count) || count < 0 || count > trials) {
    throw new RangeError(
      `Cannot take a share as 'count' must be a whole number from 0 to ${trials}: current value is ${count}`,
    );
  }
  if (trials === 0) return { low: 0, high: 1 };
  const share = count / trials;
  const square = (Z * Z) / trials;
  const middle = share + square / 2;
  const half = Z * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials));
  // At the ends one bound is the share itself, which rounding would miss.
  return {
    low: count === 0 ? 0 : (middle - half) / (1 + square),
    high: count === trials ? 1 : (middle + half) / (1 + square),
  };
}
