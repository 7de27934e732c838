/** What becomes of p-values when several contrasts, or several looks, could have gone wrong. */

import type { Design } from "../result/design-schema.ts";
import { spentShare } from "../stats/alpha-spending.ts";
import { holm } from "../stats/holm.ts";

/**
 * Corrects the p-values of several contrasts, each of them already corrected for its metrics. By its smallest p-value a contrast
 * stands for "these arms are equal", and Holm's procedure over the contrasts bounds the chance of ever saying so wrongly; each
 * metric is then corrected by the factor that its contrast got there.
 *
 * @param adjusted per contrast its metrics' p-values, null where a metric has none.
 */
export function acrossContrasts(adjusted: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const smallest = adjusted.map((own) => Math.min(1, ...own.filter((p) => p !== null)));
  const bounds = holm(smallest);
  return adjusted.map((own, index) => {
    const bound = bounds[index] ?? 1;
    const factor = smallest.filter((p) => p >= (smallest[index] ?? 1)).length;
    return own.map((p) => (p === null ? null : Math.min(1, Math.max(bound, factor * p))));
  });
}

/**
 * The share of alpha that may be spent on metrics other than the one that an experiment is stopped by, when it was looked at
 * several times: an experiment that may stop at any look gives each of its p-values several chances. Spending is that of the
 * stopping rule; a look at which so few pairs can reject nothing spends nothing, and leaves its share to the
 * next one.
 *
 * @returns 1 where the number of pairs was settled beforehand.
 */
export function shareOfAlpha({ stopping, pairs: pairsMax }: Design, pairs: number, alpha: number): number {
  if (stopping.rule !== "sequential" || pairsMax === 0) return 1;
  const looks = [...stopping.looks.filter((look) => look < pairs), pairs];
  let spent = 0;
  let available = 0;
  for (const look of looks) {
    available = spentShare(Math.min(1, look / pairsMax)) - spent;
    if (2 / 2 ** look <= alpha * available && look < pairs) spent += available;
  }
  return Math.min(1, Math.max(0, available));
}
