/** A capacity: the figures at the failure bound, how the governor got there, and what lies around the knee. */

import { isSearch } from "../../figures/is-search.ts";
import { formatCount, formatNumber, formatPercent, formatRate, formatSeconds } from "../../figures/number-format.ts";
import { offerText } from "../../figures/offer-text.ts";
import type { Capacity, Governed } from "../../result/governor-schema.ts";
import type { TrialResult } from "../../result/schema.ts";
import { kneeFigure } from "./capacity-knee.ts";
import { eventTable, traceFigure } from "./capacity-trace.ts";
import { type Child, EMPTY, type Html, html } from "./html.ts";
import { part, section } from "./section.ts";
import type { Subject } from "./subject.ts";

/** A trial that the governor drove. */
export interface GovernedTrial {
  readonly trial: TrialResult;
  readonly governed: Governed;
}

export function capacitySection(subject: Subject): Html {
  const { command, capacity, trials, capacityTrials = [] } = subject.result;
  if (isSearch({ command })) {
    const governed = governedTrials(trials);
    if (capacity === undefined && governed.length === 0) return EMPTY;
    return section(
      subject,
      "The capacity, and how it was found",
      html`${capacity !== undefined && capacityFacts(capacity, governed.length)}${searchParts(subject, capacity, governed)}<p class="muted">The sections below are about the whole trial, the climb to the capacity and each back-off included.</p>`,
    );
  }
  if (capacity === undefined) return EMPTY;
  return section(
    subject,
    "The capacity that the load is a multiple of",
    html`<p>${capacity.sentence}</p>${remarkList(capacity)}${capacityFacts(capacity, governedTrials(capacityTrials).length)}<details class="fold"><summary>How it was found</summary>${searchParts(subject, capacity, governedTrials(capacityTrials))}</details>`,
  );
}

function governedTrials(trials: readonly TrialResult[]): GovernedTrial[] {
  return trials.flatMap((trial) => (trial.governor === undefined ? [] : [{ trial, governed: trial.governor }]));
}

function remarkList({ remarks }: Capacity): Html {
  return remarks.length === 0 ? EMPTY : html`<ul>${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>`;
}

/** Whether the figures are a capacity at all, as a mark. */
export function capacityMark({ held, saturated, uncaused }: Capacity): Html {
  if (uncaused === true)
    return html`<span class="mark tone-bad">✕ Failures that the load does not cause:</span> no capacity.`;
  if (!held) return html`<span class="mark tone-doubt">! Not held:</span> the offer did not come to rest.`;
  if (saturated) return html`<span class="mark tone-bad">✕ A saturation artefact:</span> no capacity.`;
  return html`<span class="mark tone-good">✓ The offer held.</span>`;
}

/** `397/s; 95 % interval 395 to 399/s`. */
export function goodputText({ goodput, interval }: Capacity): string {
  if (interval === null) return formatRate(goodput);
  const { low, high, confidence } = interval;
  const range = formatNumber(low) === formatNumber(high) ? "no wider" : `${formatNumber(low)} to ${formatRate(high)}`;
  return `${formatRate(goodput)}; ${formatPercent(confidence)} interval ${range}`;
}

/** @param searches those that there were. */
function capacityFacts(capacity: Capacity, searches: number): Html {
  const { failureBound, failedShare, offer, control, interval, kneeOffer, saturated } = capacity;
  const facts: readonly (readonly [string, Child])[] = [
    ["At rest?", capacityMark(capacity)],
    [saturated ? "Goodput" : `Goodput at a bound of ${formatPercent(failureBound)}`, goodputText(capacity)],
    ["Offer", offerText(offer, control)],
    ["Attempts that failed", formatPercent(failedShare)],
    [
      "Measured over",
      interval === null
        ? "too few windows for an interval"
        : searches > 1
          ? `${formatCount(searches)} searches, ${formatCount(interval.windows)} windows at rest in all; the interval is that between searches`
          : `${formatCount(interval.windows)} windows, which are worth ${formatNumber(interval.effectiveWindows)} that do not depend on each other`,
    ],
    [
      "Knee",
      kneeOffer === null
        ? "not reached: the median latency did not double"
        : `from ${offerText(kneeOffer, control)} on the median latency is twice what it was at low offers`,
    ],
  ];
  return html`<dl class="facts">${facts.map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>`;
}

function searchParts(subject: Subject, capacity: Capacity | undefined, trials: readonly GovernedTrial[]): Html {
  const several = trials.length > 1;
  return html`${trials.map(
    ({ trial, governed }) =>
      html`${part(several ? `The search of trial ${trial.pair + 1}` : "The search")}<p class="muted">${governorText(governed)}</p>${traceFigure(subject, governed)}${eventTable(governed)}`,
  )}${capacity !== undefined && capacity.knee.length > 0 && html`${part("Around the knee")}${kneeFigure(subject, capacity)}`}`;
}

const ENDED_TEXT: Readonly<Record<Governed["ended"], string>> = {
  held: "It ended when the offer had held",
  duration: "It ended at its duration, before the offer had held",
  interrupted: "It was interrupted",
  aborted: "A guard ended it",
};

function governorText(governed: Governed): string {
  const { control, high, low, floor, ceiling, start, windowSeconds, holdWindows, holdBand, ended, windows } = governed;
  const bounds = `from ${offerText(start, control)} on, not below ${formatNumber(floor)}${ceiling === null ? "" : `, not above ${formatNumber(ceiling)}`}`;
  const law = control === "rate" ? "calls per second" : "calls at once, a closed loop";
  const last = windows.at(-1);
  return `The governor moved the ${control} (${law}) ${bounds}: lowered where more than ${formatPercent(high)} of the attempts of ${formatSeconds(windowSeconds)} failed, raised below ${formatPercent(low)}. To hold is ${formatCount(holdWindows)} windows in a row whose highest offer is at most ${formatNumber(1 + holdBand)} times the lowest, or 1 above it. ${ENDED_TEXT[ended]}${last === undefined ? "" : `, after ${formatSeconds(last.toSeconds)}`}.`;
}
