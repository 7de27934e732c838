import type { LatencyBin } from "../export/export-input.ts";

/** A share of the values, 0..1, lies at or below `micros`. */
export interface PercentilePoint {
  readonly share: number;
  readonly micros: number;
}

/** Ten points for each further nine of the share, the usual ones among them: as the preferred numbers R10 of ISO 3. */
const STEPS = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8] as const;

/**
 * A distribution at the shares 1 - 1/x, x growing by about even factors up to the number of values; the last point is the
 * largest value.
 *
 * @param bins in ascending order, none empty.
 */
export function percentilePoints(bins: readonly LatencyBin[]): PercentilePoint[] {
  const last = bins.at(-1);
  if (last === undefined) return [];
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const points: PercentilePoint[] = [];
  let index = 0;
  let upTo = bins[0]?.count ?? 0;
  for (const share of shares(total)) {
    // As many values as the share asks for, at least one; the rounding of 1 - 1/x must not ask for one more.
    const rank = Math.max(1, Math.ceil(share * total - 1e-6));
    while (upTo < rank && index < bins.length - 1) {
      index++;
      upTo += bins[index]?.count ?? 0;
    }
    points.push({ share, micros: bins[index]?.highMicros ?? 0 });
  }
  return [...points, { share: 1, micros: last.highMicros }];
}

function shares(total: number): number[] {
  const found: number[] = [];
  for (let decade = 1; decade < total; decade *= 10) {
    for (const step of STEPS) if (decade * step < total) found.push(1 - 1 / (decade * step));
  }
  return found;
}
