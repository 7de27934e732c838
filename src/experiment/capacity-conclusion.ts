/** What the trials under the governor say of the target: a capacity, at the share of failed attempts that was declared bearable. */

import type { Capacity, Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { type CorrelatedMean, correlatedMean } from "../stats/correlated-mean.ts";
import { sampleMoments } from "../stats/sample-moments.ts";
import { studentCritical } from "../stats/student-t.ts";
import { kneeOf, kneeOfferOf, offered, secondsOf } from "./capacity-knee.ts";
import { capacityRemarks, capacitySentence } from "./capacity-words.ts";

const CONFIDENCE = 0.95;

/** A search that came to a figure. */
export interface CapacitySearch {
  readonly trial: TrialResult;
  readonly governed: Governed;
  /** At the end of the search, those whose offers lie within the band: when it was held, as many as were asked for. */
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
  const knee = kneeOf(searches.map(({ governed }) => governed));
  const figures: CapacityFigures = {
    control,
    failureBound,
    held: atRest.length === searches.length,
    saturated: failedShare > failureBound,
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
    remarks: capacityRemarks(figures, searches, { arrival, left: all.length - searches.length }),
  };
}

function searchOf(trial: TrialResult): readonly CapacitySearch[] {
  const { governor: governed } = trial;
  if (governed === undefined || governed.windows.length === 0) return [];
  const rest = restOf(governed);
  const sum = (of: (window: GovernedWindowRow) => number): number =>
    rest.reduce((total, window) => total + of(window), 0);
  const failures = sum((window) => window.failures);
  const search: CapacitySearch = {
    trial,
    governed,
    rest,
    offer: sum(({ offer }) => offered(governed.control, offer)) / rest.length,
    goodput: sum(({ ok }) => ok) / sum(secondsOf),
    failures,
    attempts: failures + sum(({ successes }) => successes),
  };
  return [search];
}

function restOf({ windows, holdBand, holdWindows }: Governed): readonly GovernedWindowRow[] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  let from = windows.length;
  while (from > Math.max(0, windows.length - holdWindows)) {
    const { offer } = windows[from - 1] as GovernedWindowRow;
    lowest = Math.min(lowest, offer);
    highest = Math.max(highest, offer);
    if (highest > (1 + holdBand) * lowest) break;
    from -= 1;
  }
  return windows.slice(from);
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
