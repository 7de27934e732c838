/** When clients notice that their backend refuses. */

import type { SeriesRow, TrialResult } from "../../src/result/schema.ts";

/**
 * When the share of the calls rejected locally passes `least`, in seconds of the measured window, between the middles of two
 * seconds; half a second when that is so from the start, infinity when it never is.
 */
export function onsetOf({ series }: TrialResult, warmupSeconds: number, least: number): number {
  const rows = series.slice(warmupSeconds);
  const share = ({ throttled, offered }: SeriesRow): number => (offered === 0 ? 0 : throttled / offered);
  const index = rows.findIndex((row) => share(row) >= least);
  const [before, after] = [rows[index - 1], rows[index]];
  if (after === undefined) return Number.POSITIVE_INFINITY;
  if (before === undefined) return 0.5;
  const part = (least - share(before)) / (share(after) - share(before));
  return index - 0.5 + part;
}
