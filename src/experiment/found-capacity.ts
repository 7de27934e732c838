/** A capacity that was found before an experiment, so that its load can be a multiple of it. */

import { formatPercent } from "../figures/number-format.ts";
import type { Capacity } from "../result/governor-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { concludeCapacity } from "./capacity-conclusion.ts";
import { offeredText } from "./capacity-words.ts";

export interface FoundCapacity {
  readonly capacity: Capacity;
  /** Those by which it was found. */
  readonly trials: readonly TrialResult[];
}

/** The capacity that an earlier result can be continued or repeated with; undefined where it found none. */
export function capacityOf({ capacity, capacityTrials = [] }: Result): FoundCapacity | undefined {
  if (capacity === undefined || capacityTrials.length === 0) return undefined;
  return whyNotFound(capacity, capacityTrials) === undefined ? { capacity, trials: capacityTrials } : undefined;
}

/** The result with the search for the capacity in it, whatever that found: all there is so far. */
export function withSearch(result: Result, trials: readonly TrialResult[]): Result {
  const capacity = concludeCapacity(trials, "constant");
  return { ...result, capacityTrials: [...trials], ...(capacity === undefined ? {} : { capacity }) };
}

/** Why no load can be a multiple of what these trials found: what goes on after `The capacity was not found: `. */
export function whyNotFound(capacity: Capacity | undefined, trials: readonly TrialResult[]): string | undefined {
  const aborted = trials.find((trial) => trial.aborted !== undefined)?.aborted;
  if (aborted !== undefined) return `the search was given up (${aborted.text})`;
  if (trials.some(({ interrupted }) => interrupted)) return "the search was interrupted";
  const codes = trials.flatMap(({ validity }) =>
    validity.reasons.filter(({ severity }) => severity === "invalid").map(({ code }) => code),
  );
  if (codes.length > 0) return `the trial that looked for it is invalid (${[...new Set(codes)].join(", ")})`;
  if (capacity === undefined) return "not a single window of the governor came to its end";
  const { saturated, held, failedShare, failureBound, goodput } = capacity;
  if (saturated) {
    const failed = `${formatPercent(failedShare)} of the attempts failed at ${offeredText(capacity, capacity.offer)}`;
    return `${failed}, and ${formatPercent(failureBound)} is the most that was said to be bearable`;
  }
  if (capacity.uncaused === true) {
    return `${formatPercent(failedShare)} of the attempts fail whatever the load: declare them (--governor high=..,low=..)`;
  }
  if (!held) return `the load, in the end ${offeredText(capacity, capacity.offer)}, did not come to rest in time`;
  return goodput > 0 ? undefined : "no call came back ok";
}
