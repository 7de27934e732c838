/** What came out, in words, whether it can be believed, and how sure it is: the first thing on the page. */

import { isSearch } from "../../figures/is-search.ts";
import { formatEffect, formatEffectRange, metricOf } from "../../figures/metrics.ts";
import { formatCount, formatPercent, formatSeconds } from "../../figures/number-format.ts";
import { pValueText } from "../../figures/p-value.ts";
import { sortedReasons } from "../../figures/shared-reasons.ts";
import { NOT_TOLD_APART } from "../../figures/verdict-words.ts";
import type { Contrast, MetricComparison } from "../../result/comparison-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import type { Sweep, SweepRecommendation } from "../../result/sweep-schema.ts";
import { answersOf } from "../answers.ts";
import { PARTIAL_TEXT } from "../context-line.ts";
import { verdictSummary } from "../validity-text.ts";
import { nameText } from "./arm-name.ts";
import { assertionTable } from "./assertion-table.ts";
import { capacityMark, goodputText } from "./capacity-section.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { recoveryMark } from "./recovery-section.ts";
import type { Subject } from "./subject.ts";

export type Tone = "good" | "doubt" | "bad" | "none";

/** More reasons than this are told further down. */
const REASONS_MAX = 3;
/** More contrasts than this are told further down. */
const CONTRASTS_MAX = 4;
/** More cells that are not told apart from the best are only counted. */
const NAMES_MAX = 4;

export function verdictSection(subject: Subject): Html {
  const { result } = subject;
  const tone = toneOf(result);
  return html`<div class="verdict tone-${tone}">${abortedNote(result)}${sentences(subject)}${partialNote(result)}<dl class="facts"><dt>Can it be believed?</dt><dd>${belief(result)}</dd>${howSure(subject)}${stopped(result)}</dl></div>${result.assertions !== undefined && assertionTable(result.assertions)}`;
}

/** The first sentence is what one takes away; of several loads each has its own, below the one for all. */
function sentences(subject: Subject): Html {
  const [main = "", ...others] = verdictSentences(subject);
  const [first = "", ...rest] = main.split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  return html`${isInvalid(subject) && html`<p class="say"><strong class="mark tone-bad">Do not rely on this measurement.</strong></p>`}<p class="say">${first}</p>${rest.length > 0 && html`<p>${rest.join(" ")}</p>`}${others.length > 0 && html`<ul>${others.map((sentence) => html`<li>${verdictWord(subject, sentence)}${sentence}</li>`)}</ul>`}`;
}

/** Before what is said of an arm's recovery: its verdict, as a mark. */
function verdictWord({ result: { command, recovery } }: Subject, sentence: string): Html {
  const arm = command === "recovery" ? recovery?.arms.find((one) => one.sentence === sentence) : undefined;
  return arm === undefined ? EMPTY : html`${recoveryMark(arm.verdict)} `;
}

/** A comparison says so itself. */
function isInvalid({ result: { trials, sweep }, comparison }: Subject): boolean {
  return (
    (sweep !== undefined || comparison === undefined) && trials.some(({ validity }) => validity.verdict === "invalid")
  );
}

/** With the comparison that the page makes where a result holds none. */
export function verdictSentences({ result, comparison }: Subject): string[] {
  const { comparison: _, ...rest } = result;
  return answersOf({ ...rest, ...(comparison === undefined ? {} : { comparison }) });
}

/** Bad where it must not be relied on, or an assertion failed. */
export function toneOf({ trials, assertions = [], partial, capacity }: Result): Tone {
  if (trials.length === 0) return "none";
  const verdicts = new Set(trials.map(({ validity }) => validity.verdict));
  if (verdicts.has("invalid") || assertions.some(({ holds }) => !holds) || capacity?.saturated === true) return "bad";
  return verdicts.has("suspect") || partial || capacity?.held === false ? "doubt" : "good";
}

/** More trials that a guard ended are only counted. */
const ABORTED_MAX = 3;

/** What a guard ended is told before all else: the target was in trouble. */
function abortedNote({ trials, capacityTrials = [] }: Result): Html {
  const all = [...capacityTrials, ...trials].flatMap(({ arm, pair, aborted }) =>
    aborted === undefined ? [] : [{ arm, pair, aborted }],
  );
  if (all.length === 0) return EMPTY;
  const shown = all.slice(0, ABORTED_MAX);
  return html`<p class="say"><strong class="mark tone-bad">✕ Aborted by a guard.</strong></p>${shown.map(({ arm, pair, aborted }) => html`<p>${nameText(arm)}, trial ${pair + 1}, after ${formatSeconds(aborted.atSeconds)}: ${aborted.text}</p>`)}${all.length > shown.length && html`<p>And ${formatCount(all.length - shown.length)} more.</p>`}`;
}

function partialNote({ partial }: Result): Html {
  return partial ? html`<p><strong>Partial: ${PARTIAL_TEXT}</strong></p>` : EMPTY;
}

function belief({ trials }: Result): Html {
  if (trials.length === 0) return html`<span class="mark">Nothing was measured.</span>`;
  const reasons = sortedReasons(trials).filter(({ reason }) => reason.severity !== "note");
  const shown = reasons.slice(0, REASONS_MAX);
  return html`${mark(trials)} ${trials.length > 1 && `${verdictSummary(trials)} of ${formatCount(trials.length)} trials.`}${shown.length > 0 && html`<ul>${shown.map(({ reason, where }) => html`<li>${reason.message}${where.length > 1 && ` (${formatCount(where.length)} trials)`}. <span class="muted">${reason.hint}.</span></li>`)}${reasons.length > shown.length && html`<li>${formatCount(reasons.length - shown.length)} more below.</li>`}</ul>`}`;
}

function mark(trials: readonly TrialResult[]): Html {
  const verdicts = new Set(trials.map(({ validity }) => validity.verdict));
  if (verdicts.has("invalid")) return html`<span class="mark tone-bad">✕ No: invalid.</span>`;
  if (verdicts.has("suspect")) return html`<span class="mark tone-doubt">! With care: suspect.</span>`;
  return html`<span class="mark tone-good">✓ Yes: valid.</span>`;
}

function howSure({ comparison, result }: Subject): Html {
  const { capacity } = result;
  if (isSearch(result)) {
    return capacity === undefined
      ? EMPTY
      : html`<dt>Is it a capacity?</dt><dd>${capacityMark(capacity)}</dd><dt>How sure is it?</dt><dd>Goodput ${goodputText(capacity)}.</dd>`;
  }
  if (result.command === "recovery") {
    return html`<dt>How sure is it?</dt><dd>${formatCount(result.design.pairs)} ${result.design.pairs === 1 ? "trial" : "trials"} of each arm, all on the same arrivals.</dd>`;
  }
  if (result.sweep !== undefined) return sweepSureness(result.sweep, result.design.pairs);
  if (comparison === undefined) return EMPTY;
  const { contrasts } = comparison;
  if (contrasts.length === 0) return EMPTY;
  const shown = contrasts.slice(0, CONTRASTS_MAX);
  return html`<dt>How sure is it?</dt><dd>${shown.map((contrast) => html`<div>${sureness(contrast, comparison.smallestEffect)}</div>`)}${contrasts.length > shown.length && html`<div>${formatCount(contrasts.length - shown.length)} more arms under “Pairs and effects”.</div>`}</dd>`;
}

function sweepSureness({ recommendations }: Sweep, pairs: number): Html {
  const [only] = recommendations;
  if (only === undefined) return EMPTY;
  const others = only.plateau.filter((arm) => arm !== only.arm);
  const told =
    recommendations.length > 1
      ? `At each load, what is ${NOT_TOLD_APART} is marked.`
      : others.length === 0
        ? alone(only)
        : html`Not told apart from the best: ${others.slice(0, NAMES_MAX).map((arm, index) => html`${index > 0 && ", "}${nameText(arm, 32)}`)}${others.length > NAMES_MAX && ` and ${formatCount(others.length - NAMES_MAX)} more`}.`;
  return html`<dt>How sure is it?</dt><dd>${formatCount(pairs)} ${pairs === 1 ? "trial" : "trials"} of each cell. ${told}</dd>`;
}

function alone({ standings = [] }: SweepRecommendation): string {
  return standings.some(({ verdict }) => verdict === "lower")
    ? "Every other cell served less in each pair, which so few pairs do not prove."
    : "Every other cell is worse or takes no part.";
}

function sureness(contrast: Contrast, smallestEffect: number): Html {
  const { arm, baseline, pairs, metrics, suggestedPairs } = contrast;
  const goodput = metrics.find(({ metric }) => metric === "goodput") ?? metrics[0];
  const count = pairs.length === 1 ? "1 pair" : `${formatCount(pairs.length)} pairs`;
  const names = html`${nameText(arm)} / ${nameText(baseline)}: ${count}`;
  if (goodput === undefined) return html`${names}.`;
  const metric = metricOf(goodput.metric);
  const { estimate, interval, adjustedPValue, detectable } = goodput;
  const parts = [
    ...(estimate === null ? [] : [`goodput ${formatEffect(metric, estimate)}`]),
    ...(interval === undefined
      ? []
      : [`${formatPercent(interval.confidence)} interval ${formatEffectRange(metric, interval.low, interval.high)}`]),
    ...(adjustedPValue === null ? [] : [`adjusted ${pValueText(adjustedPValue)}`]),
    ...(detectable === null ? [] : [`would have found a change of ${formatPercent(detectable)} in 4 of 5 experiments`]),
    ...(goodput.verdict !== "undecided" ||
    suggestedPairs === null ||
    suggestedPairs <= pairs.length ||
    isFarBeyond(goodput, smallestEffect)
      ? []
      : [`${formatCount(suggestedPairs)} pairs would be enough for the smallest change that matters`]),
  ];
  return html`${names}${parts.map((text) => `, ${text}`)}.`;
}

/** What a small change would take says nothing about an effect many times its size. */
function isFarBeyond({ effect, estimate }: MetricComparison, smallestEffect: number): boolean {
  return estimate !== null && Math.abs(effect === "ratio" ? estimate - 1 : estimate) > 4 * smallestEffect;
}

function stopped({ design }: Result): Html {
  return design.stopped === undefined
    ? EMPTY
    : html`<dt>Stopped early</dt><dd>After ${formatCount(design.stopped.pairs)} of at most ${formatCount(design.pairs)} pairs. ${design.stopped.text}</dd>`;
}
