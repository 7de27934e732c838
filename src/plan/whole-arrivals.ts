/** About 45 units in the last place: far more than a few roundings, and only 0.01 arrivals in 10^12. */
const ROUNDING = 1e-14;

/**
 * A cumulative rate that misses a whole number by rounding alone is that number: 1.1/s for 100 s are 110 arrivals, where
 * the product in doubles is a little over. Anything else stays as it is.
 */
export function wholeIfNear(arrivals: number): number {
  const nearest = Math.round(arrivals);
  return Math.abs(arrivals - nearest) <= ROUNDING * arrivals ? nearest : arrivals;
}
