/** What a load is a multiple of, where the capacity was found before it. */

import { formatPercent, formatRate } from "../figures/number-format.ts";
import type { Result } from "../result/schema.ts";

/** The product is rounded, the multiple as it was written is not. */
const DIGITS = 3;

/**
 * What goes on after a rate: `, 2 x the capacity of 197/s (found first, at most 5 % failed)`; nothing where no capacity was found.
 *
 * @param rps of the load; undefined: several.
 */
export function multipleWords({ capacity, capacityTrials }: Result, rps: number | undefined): string {
  if (capacity === undefined || capacityTrials === undefined || capacity.goodput <= 0) return "";
  const times = rps === undefined ? "" : `${Number((rps / capacity.goodput).toPrecision(DIGITS))} x `;
  const bound = formatPercent(capacity.failureBound);
  return `, ${times}the capacity of ${formatRate(capacity.goodput)} (found first, at most ${bound} failed)`;
}
