/** What the trials under the governor say of the target: a capacity, at the share of failed attempts that was declared bearable. */

import type { Capacity, Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { borneOf, restFigures, restOf, secondsOf } from "../stats/at-rest.ts";
import { type CorrelatedMean, correlatedMean } from "../stats/correlated-mean.ts";
import { sampleMoments } from "../stats/sample-moments.ts";
import { studentCritical } from "../stats/student-t.ts";
import { backgroundFailures } from "./background-failures.ts";
import { kneeOf, kneeOfferOf } from "./capacity-knee.ts";
import { capacityRemarks, capacitySentence } from "./capacity-words.ts";

const CONFIDENCE = 0.95;

/** A search that came to a figure. */
export interface CapacitySearch {
  readonly trial: TrialResult;
  readonly governed: Governed;
  /** At the end of the search, those whose offers lie within the band; of two offers one call apart, those of the lower one. */
  readonly rest: readonly GovernedWindowRow[];
  /** Over them. */
  readonly offer: number;
  readonly goodput: number;
  readonly failures: number;
  readonly attempts: number;
}

export type CapacityFigures = Omit<Capacity, "sentence" | "remarks">;

/**
 * Trials that are invalid, or cut short, count only where there are no others; and where some were held and some were not, the
 * figures are those of the ones that were.
 *
 * @param trials of one search, or several of the same.
 * @param arrival the law of their arrivals.
 * @returns undefined without a trial under the governor that has a window.
 */
export function concludeCapacity(trials: readonly TrialResult[], arrival = "constant"): Capacity | undefined {
  const all = trials.flatMap(searchOf);
  const vouched = all.filter(({ trial }) => trial.validity.verdict !== "invalid");
  const whole = vouched.filter(({ governed: { ended } }) => ended === "held" || ended === "duration");
  const searches = [whole, vouched, all].find((some) => some.length > 0) ?? [];
  const first = searches[0];
  if (first === undefined) return undefined;
  const atRest = searches.filter(({ governed: { ended } }) => ended === "held");
  const shown = atRest.length > 0 ? atRest : searches;
  const mean = (of: (search: CapacitySearch) => number): number =>
    shown.reduce((sum, search) => sum + of(search), 0) / shown.length;
  const attempts = mean((search) => search.attempts);
  const failedShare = attempts === 0 ? 0 : mean(({ failures }) => failures) / attempts;
  const { control, high: failureBound } = first.governed;
  const saturated = failedShare > failureBound;
  // Fewer would have raised the offer: it is not among them that it rests.
  const background = failedShare < first.governed.low ? "none" : backgroundFailures(shown);
  const isUncaused = !saturated && atRest.length > 0 && background === "background";
  const knee = kneeOf(searches.map(({ governed }) => governed));
  const figures: CapacityFigures = {
    control,
    failureBound,
    held: atRest.length === searches.length && !isUncaused,
    saturated,
    ...(isUncaused ? { uncaused: true } : {}),
    offer: mean(({ offer }) => offer),
    goodput: mean(({ goodput }) => goodput),
    failedShare,
    interval: shown.length === 1 ? withinOne(shown[0] ?? first) : betweenAll(shown),
    knee,
    kneeOffer: kneeOfferOf(knee),
  };
  return {
    ...figures,
    sentence: capacitySentence(figures, searches),
    remarks: capacityRemarks(figures, searches, { arrival, left: all.length - searches.length, background }),
  };
}

function searchOf(trial: TrialResult): readonly CapacitySearch[] {
  const { governor: governed } = trial;
  if (governed === undefined || governed.windows.length === 0) return [];
  const rest = borneOf(restOf(governed.windows, governed), governed);
  const { offer, goodput, failures, attempts } = restFigures(rest, governed.control);
  if (offer === null || goodput === null) return [];
  const search: CapacitySearch = { trial, governed, rest, offer, goodput, failures, attempts };
  return [search];
}

/** From window to window, each of which is like the one before: see {@link correlatedMean}. */
function withinOne({ rest, goodput }: CapacitySearch): Capacity["interval"] {
  const found = correlatedMean(
    rest.map((window) => window.ok / secondsOf(window)),
    CONFIDENCE,
  );
  return found === undefined ? null : intervalOf(found, goodput, rest.length);
}

/** From search to search, each with arrivals of its own: Student's interval. */
function betweenAll(searches: readonly CapacitySearch[]): Capacity["interval"] {
  const { mean, deviation } = sampleMoments(searches.map(({ goodput }) => goodput));
  const count = searches.length;
  const half = (studentCritical(1 - CONFIDENCE, count - 1) * deviation) / Math.sqrt(count);
  const windows = searches.reduce((sum, { rest }) => sum + rest.length, 0);
  return intervalOf({ mean, low: mean - half, high: mean + half, effectiveCount: count }, mean, windows);
}

/** About the figure that is given: windows differ in their length by what a timer is late. */
function intervalOf(
  { mean, low, high, effectiveCount: effectiveWindows }: CorrelatedMean,
  goodput: number,
  windows: number,
): Capacity["interval"] {
  return {
    low: Math.max(0, goodput - (mean - low)),
    high: goodput + (high - mean),
    confidence: CONFIDENCE,
    windows,
    effectiveWindows,
  };
}
