/** A result whose load is a multiple of a capacity, and was never sent: all there is is the search for the capacity. */

import type { Result } from "../result/schema.ts";
import { renderCapacity } from "./capacity-text.ts";
import { page } from "./page.ts";
import { wrap } from "./wrap.ts";

/** @returns undefined where there are trials of the load, or was no search. */
export function renderSearchAlone(result: Result): string | undefined {
  const { capacityTrials, trials, plan } = result;
  if (capacityTrials === undefined || trials.length > 0) return undefined;
  // As they are those of a result of `capacity`: a search has arrivals of its own.
  const search: Result = { ...result, partial: false, trials: capacityTrials, plan: { ...plan, arrival: "constant" } };
  return (
    page(wrap(`PARTIAL: the load itself, ${plan.rate}, was not sent: there is but the search for the capacity.`)) +
    renderCapacity(search)
  );
}
