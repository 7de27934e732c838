/**
 * What p-values cost when several are read. The chance of any false verdict, over all metrics, arms and looks, is at most alpha:
 *
 * - Contrasts share alpha equally (Bonferroni): it holds whatever they have in common, and however many of them are true.
 * - Within a contrast goodput is tested first, with 0.8 of its alpha. The other metrics are tested together (Westfall and Young)
 *   with the other 0.2; where goodput is rejected, its share falls to them and they have all of it. Without goodput among the
 *   metrics, or with goodput alone, there is nothing to divide.
 * - An experiment that may stop early spends both parts over its looks: goodput by its sequential test, the others by what
 *   the last look added to what may be spent.
 *
 * It holds: if goodput is equal, it is rejected with at most 0.8 of alpha, and without that the others get 0.2; if it is not, the
 * others get alpha at most.
 *
 * Source: F. Bretz, W. Maurer, W. Brannath and M. Posch, "A graphical approach to sequentially rejective multiple test procedures",
 * Statistics in Medicine 28, 2009.
 */

import type { Metric } from "../figures/metrics.ts";
import type { Design } from "../result/design-schema.ts";
import { spentShare } from "../stats/alpha-spending.ts";

/** Goodput's share of a contrast's alpha, where other metrics are compared too. */
const GOODPUT_WEIGHT = 0.8;

/** How the metrics of a contrast share its alpha. */
export interface Weights {
  /** Of goodput, and of the first metric where goodput is none. */
  readonly lead: number;
  /** Of the others together, until goodput is rejected. */
  readonly others: number;
  /** Whether goodput is tested apart from the others. */
  readonly isDivided: boolean;
}

/** By the metrics that were asked for, whatever was measured of them. */
export function weightsOf(metrics: readonly Pick<Metric, "key">[]): Weights {
  const isDivided = metrics.length > 1 && metrics.some(({ key }) => key === "goodput");
  return isDivided
    ? { lead: GOODPUT_WEIGHT, others: 1 - GOODPUT_WEIGHT, isDivided }
    : { lead: 1, others: 1, isDivided };
}

/** What goodput may come to in each of so many contrasts, before looks divide it further. */
export function goodputLevel(alpha: number, contrasts: number): number {
  return (GOODPUT_WEIGHT * alpha) / contrasts;
}

/** What a p-value has to pay for. */
export interface Costs {
  readonly weights: Weights;
  /** How many contrasts share alpha. */
  readonly contrasts: number;
  /** The share of alpha that is there to be spent, see {@link shareOfAlpha}. */
  readonly share: number;
}

/** @returns the p-value of goodput; at most alpha where it is rejected. */
export function paidByGoodput(pValue: number, { weights, contrasts, share }: Costs): number {
  return scaled(contrasts * pValue, share * weights.lead);
}

/**
 * @param pValue corrected for the metrics that are tested together.
 * @param goodput what goodput came to, if it is tested apart.
 * @returns at most alpha where the metric is rejected.
 */
export function paidByOther(pValue: number, goodput: number | null, { weights, contrasts, share }: Costs): number {
  const whole = scaled(contrasts * pValue, share);
  if (!weights.isDivided) return whole;
  return Math.min(Math.max(goodput ?? 1, whole), scaled(contrasts * pValue, share * weights.others));
}

function scaled(pValue: number, share: number): number {
  return share === 0 ? 1 : Math.min(1, pValue / share);
}

/**
 * The share of alpha that may be spent at the end of an experiment on what it is not stopped by: one that may stop at any look
 * gives each of its p-values several chances. Spending is that of the stopping rule; a look at which so few pairs can reject
 * nothing spends nothing, and leaves its share to the next one.
 *
 * @param pairs that were run, whether they can be trusted or not.
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
