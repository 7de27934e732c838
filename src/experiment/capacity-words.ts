/** A capacity in words: what it is in one sentence, and what is to be known of it. */

import { intervalText } from "../figures/interval-text.ts";
import { formatNumber, formatPercent, formatRate, formatSeconds } from "../figures/number-format.ts";
import { bandText, offerText } from "../figures/offer-text.ts";
import { policySpec } from "../figures/policy-text.ts";
import { restOf } from "../stats/at-rest.ts";
import type { BackgroundFailures } from "./background-failures.ts";
import type { CapacityFigures, CapacitySearch } from "./capacity-conclusion.ts";
import { servedPoint } from "./capacity-knee.ts";

/** Sent or not: a client that holds back this share of its calls, or adds it, makes another load of the offer. */
const OTHER_LOAD = 0.02;
/** A knee below this share of the offer is worth a word. */
const EARLY_KNEE = 0.8;

export function capacitySentence(figures: CapacityFigures, searches: readonly CapacitySearch[]): string {
  const { held, saturated, failureBound, failedShare, goodput, offer } = figures;
  const failed = `${formatPercent(failedShare)} of attempts failed`;
  const at = offeredText(figures, offer);
  // What overshot at the moment that the search was ended was served before.
  if (saturated && (held || servedPoint(figures) === undefined)) {
    return (
      `No capacity was found: ${failed} at the last offers, ${at} on the average, and at most ${formatPercent(failureBound)} ` +
      `may. The ${callsPerSecond(goodput)} that came back ok are a saturation artefact, not a capacity.`
    );
  }
  if (figures.uncaused === true) {
    return `No capacity was found: ${failed} at ${at}, and as many at much lower offers, so it is not the load that they fail of.`;
  }
  const took = `${callsPerSecond(goodput)}${confidenceText(figures, searches.length)}`;
  if (!held) return `${unfinishedText(searches)}: ${servedText(figures)}.`;
  if (isAtCeiling(searches, figures)) {
    return `The target takes at least ${took}: at the ceiling of the search, ${at}, ${failed}.`;
  }
  return `The target takes ${took} where at most ${formatPercent(failureBound)} of attempts may fail: at ${at}, ${failed}.`;
}

function unfinishedText(searches: readonly CapacitySearch[]): string {
  const open = searches.filter(({ governed }) => governed.ended !== "held");
  const seconds = formatSeconds(Math.max(...open.map(({ governed }) => governed.windows.at(-1)?.toSeconds ?? 0)));
  const which = searches.length === 1 ? "The search" : `${open.length} of ${searches.length} searches`;
  const ends = new Set(open.map(({ governed }) => governed.ended));
  if (ends.has("aborted")) return `${which} ended by a guard after ${seconds}, before the offer came to rest`;
  if (ends.has("interrupted")) return `${which} ended by hand after ${seconds}, before the offer came to rest`;
  return `${which} found no rest in ${seconds}`;
}

/** What can be said all the same. */
function servedText(figures: CapacityFigures): string {
  const served = servedPoint(figures);
  const most = Math.max(...figures.knee.map(({ goodput }) => goodput));
  const best = figures.knee.find(({ goodput }) => goodput === most);
  if (best === undefined) return "no attempt ended";
  const seen = `the most that came back ok were ${callsPerSecond(most)}, at ${offeredText(figures, best.offer)}`;
  if (served === undefined) return `no load was served, ${seen}`;
  const upTo = `up to ${offeredText(figures, served.offer)} the load was served (${callsPerSecond(served.goodput)} ok, ${formatPercent(served.failedShare)} of attempts failed)`;
  return best === served ? upTo : `${upTo}, ${seen}`;
}

/** `409/s offered`, `6.2 calls at once`. */
export function offeredText({ control }: Pick<CapacityFigures, "control">, offer: number): string {
  const text = offerText(offer, control);
  return control === "rate" ? `${text} offered` : text;
}

function callsPerSecond(rate: number): string {
  return `${formatNumber(rate)} calls/s`;
}

function confidenceText({ interval }: CapacityFigures, searches: number): string {
  if (interval === null) return "";
  const { low, high, confidence } = interval;
  if (low === high) return searches === 1 ? " (the same in each window)" : " (the same in each search)";
  const over = searches === 1 ? "" : ` over ${searches} searches`;
  return ` (${formatPercent(confidence)} interval ${intervalText(low, high)}${over})`;
}

/** Raised as far as it was allowed, and clean there. */
function isAtCeiling(searches: readonly CapacitySearch[], { failedShare }: CapacityFigures): boolean {
  return searches.every(
    ({ governed: { ceiling, low, windows } }) =>
      ceiling !== null && windows.at(-1)?.offer === ceiling && failedShare < low,
  );
}

/** What is said of a conclusion besides its figures. */
interface Besides {
  /** The law of the arrivals. */
  readonly arrival: string;
  /** Searches that are left out as they are invalid or cut short. */
  readonly left: number;
  readonly background: BackgroundFailures;
}

/** One sentence each. */
export function capacityRemarks(
  figures: CapacityFigures,
  searches: readonly CapacitySearch[],
  { arrival, left, background }: Besides,
): string[] {
  return [
    ...validityRemarks(searches, left),
    ...endRemarks(figures, searches),
    ...backgroundRemarks(figures, background),
    ...risingRemarks(figures, searches),
    ...startRemarks(searches),
    ...lawRemarks(figures, arrival),
    ...loadRemarks(searches),
    ...kneeRemarks(figures),
    ...windowRemarks(searches),
  ];
}

function validityRemarks(searches: readonly CapacitySearch[], left: number): string[] {
  if (left > 0) return [`${left} of ${left + searches.length} searches are invalid or cut short, and left out.`];
  if (searches.every(({ trial }) => trial.validity.verdict !== "invalid")) return [];
  return ["The trial is invalid: these are not figures of the target alone (see its reasons)."];
}

function backgroundRemarks({ uncaused, held, failedShare }: CapacityFigures, background: BackgroundFailures): string[] {
  if (uncaused === true) {
    return [
      `Attempts fail whatever the load. If that is normal here, declare it: --governor high=..,low=.. with both above ${formatPercent(failedShare)}.`,
    ];
  }
  if (!held || background !== "unknown") return [];
  return [
    "Few attempts were made at lower offers: whether it is the load that attempts fail of cannot be told (longer windows would, --governor window=..).",
  ];
}

function endRemarks(figures: CapacityFigures, searches: readonly CapacitySearch[]): string[] {
  const { control, held, saturated, failedShare } = figures;
  const { governed } = searches[0] as CapacitySearch;
  const { floor, holdWindows, ceiling } = governed;
  const isAtFloor = searches.every(({ governed }) => governed.windows.at(-1)?.offer === floor);
  if (saturated && isAtFloor && failedShare < 1) {
    return [
      `The offer is at its floor, ${offeredText(figures, floor)}: these attempts fail whatever the load. If that is normal here, declare it: --governor high=..,low=.. with both above ${formatPercent(failedShare)}.`,
    ];
  }
  if (!held && searches.some(({ governed }) => governed.ended === "duration")) {
    return [
      `The offer comes to rest when ${holdWindows} windows in a row lie within ${bandText(governed)}: give it longer (--duration), longer windows (--governor window=..) or a wider band (band=..).`,
    ];
  }
  if (held && isAtCeiling(searches, figures) && ceiling !== null) {
    return [
      `The ceiling ended the search: for more, raise ${control === "rate" ? "--max-rps" : "--max-concurrency and --vus"}.`,
    ];
  }
  return [];
}

/** Few windows can lie within the band although each is above the one before. */
function risingRemarks(figures: CapacityFigures, searches: readonly CapacitySearch[]): string[] {
  const isRising = searches.some(({ governed }) =>
    restOf(governed.windows, governed).every(({ decision }) => decision === "up"),
  );
  if (!figures.held || !isRising || isAtCeiling(searches, figures)) return [];
  return [
    "The offer was still rising within the band when the search ended, so the target may take more: ask for more windows (--governor hold=..) or a narrower band (band=..).",
  ];
}

/** The first window that had attempts was followed by a cut. */
function startRemarks(searches: readonly CapacitySearch[]): string[] {
  const isAbove = searches.some(
    ({ governed: { windows } }) => windows.find(({ decision }) => decision !== "none")?.decision === "down",
  );
  return isAbove
    ? [
        "The very first offer was too much already, so the target was overloaded before it was found out: start lower (--governor start=..).",
      ]
    : [];
}

function lawRemarks({ control, goodput }: CapacityFigures, arrival: string): string[] {
  if (control === "concurrency") {
    return [
      "Concurrency is a closed loop: a call begins when the one before it has ended, so a slow target is offered less, and its response times are not those that callers who do not wait for each other would see.",
    ];
  }
  if (arrival === "constant") return [];
  return [
    `Random arrivals are turned away below the capacity: they come in bunches that a short queue cannot take, so with ${arrival} arrivals the offer settles lower (near 0.92 C with room for 10 calls) and ${formatRate(goodput)} is what this target takes of such a load. Of even arrivals it takes more: --arrival constant.`,
  ];
}

/** What the target got is not what was offered where the client holds calls back, or tries again. */
function loadRemarks(searches: readonly CapacitySearch[]): string[] {
  const rest = searches.flatMap((search) => search.rest);
  const calls = rest.reduce((sum, window) => sum + window.calls, 0);
  const sent = rest.reduce((sum, window) => sum + window.sent, 0);
  if (calls === 0 || Math.abs(sent / calls - 1) <= OTHER_LOAD) return [];
  const { policy } = (searches[0] as CapacitySearch).trial;
  return [
    `The clients (${policySpec(policy)}) sent ${formatNumber(sent / calls)} attempts a call, so the target got another load than was offered: --policy none sends each call once.`,
  ];
}

function kneeRemarks({ control, kneeOffer, offer, held }: CapacityFigures): string[] {
  if (!held || kneeOffer === null || kneeOffer > EARLY_KNEE * offer) return [];
  return [
    `The median latency has doubled from ${offeredText({ control }, kneeOffer)} on, well before attempts fail: what is served in good time is less than what is served.`,
  ];
}

/** Where one failure more or less decides. */
function windowRemarks(searches: readonly CapacitySearch[]): string[] {
  const attempts = searches.reduce((sum, search) => sum + search.attempts / search.rest.length, 0) / searches.length;
  const { high, windowSeconds } = (searches[0] as CapacitySearch).governed;
  if (attempts === 0 || attempts * high >= 1) return [];
  return [
    `A window of ${formatSeconds(windowSeconds)} saw ${formatNumber(attempts)} attempts, of which a single failure is more than ${formatPercent(high)}: longer ones (--governor window=..) tell chance from overload.`,
  ];
}
