import { median } from "./median.ts";

/** Pools of so many seconds are looked at ... */
export const POOLED_SECONDS = 5;
/** ... and of the calls of one, this share is to come back ok for a system to be served, or back. */
export const BACK_SHARE = 0.95;

/** What was intended for one second, and how much of it came back ok. */
interface SecondCounts {
  readonly offered: number;
  readonly ok: number;
}

/**
 * The recovery time T_rec(q): the first whole second from which on a share q of what was intended within five seconds came back
 * ok. The five are pooled: to ask it of each of them would add seconds of chance at some hundred calls a second.
 *
 * @param series one row a second, from second 0 on; rows at its end in which nothing was offered are no part of it.
 * @param fromSecond when the trouble ended; a second that has begun by then is left out.
 * @param share q, 0 to 1.
 * @returns seconds since the first one looked at; undefined: not within the series. Tell it with the length of that, since
 *   near a threshold "never" means nothing without it.
 */
export function recoverySeconds(
  series: readonly SecondCounts[],
  fromSecond: number,
  share = BACK_SHARE,
): number | undefined {
  const first = Math.ceil(fromSecond);
  const end = series.findLastIndex(({ offered }) => offered > 0) + 1;
  for (let second = first; second + POOLED_SECONDS <= end; second += 1) {
    let offered = 0;
    let ok = 0;
    for (const row of series.slice(second, second + POOLED_SECONDS)) {
      offered += row.offered;
      ok += row.ok;
    }
    if (offered > 0 && ok >= share * offered) return second - first;
  }
  return undefined;
}

/**
 * The median of times of which null is later than any that is known.
 *
 * @returns null where the median is among those, or the mean with one, and of no times at all.
 */
export function medianTime(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  const middle = median(values.map((value) => value ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(middle) ? middle : null;
}
