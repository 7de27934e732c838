/** What is shown of an experiment under way, as lines for a terminal of any width, or as one line for a file. */

import type { LiveFigures, RecentFigures } from "../../engine/live-trial.ts";
import type { Validity } from "../../engine/validity.ts";
import { formatMs, formatNumber, formatPercent, formatRate, formatRatio, NONE } from "../../figures/number-format.ts";
import { displayWidth } from "../../report/display-width.ts";
import { renderTable } from "../../report/table.ts";
import type { Contrast } from "../../result/comparison-schema.ts";
import type { TrialResult } from "../../result/schema.ts";
import { cutText } from "./cut-text.ts";
import type { LiveExperiment, UnderWay } from "./live-experiment.ts";
import type { Paint } from "./paint.ts";
import { sparkline } from "./sparkline.ts";
import { formatLeft } from "./time-left.ts";

/** How a line is to be seen. */
export type Tone = "plain" | "suspect" | "invalid";

export interface LiveRow {
  /** Words in front, the same for all runs; empty on a narrow terminal. */
  readonly label: string;
  readonly text: string;
  readonly tone: Tone;
}

const SEPARATOR = " · ";
/** Narrower than this, labels are left out. */
const LABELS_FROM_COLUMNS = 60;
const LABEL_COLUMNS = 12;
const TITLE_COLUMNS_MIN = 10;
/** Of a column with a goodput in it, and the space before. */
const COLUMN_MIN = 4;
/** Pairs, or trials, that are shown of those that ended: the last ones. */
const ENDED_SHOWN = 5;

/**
 * The rows of the screen, most important first; none is wider than `columns`.
 *
 * @param rows at most so many: the last ones go.
 */
export function liveRows(live: LiveExperiment, columns: number, rows: number): LiveRow[] {
  const { underWay } = live;
  if (underWay === undefined) return [];
  const row = (label: string, parts: readonly string[], tone: Tone = "plain"): LiveRow[] =>
    parts.length === 0 ? [] : [fitted(label, parts, columns, tone)];
  const figures = underWay.trial?.figures;
  const all = [
    titleRow(underWay.label, timeParts(live, underWay), columns),
    ...(underWay.text === undefined ? row("experiment", experimentParts(live)) : row("simulated", [underWay.text])),
    ...row("offer", offerParts(figures)),
    ...row("rates", rateParts(underWay)),
    ...goodputRow(figures, columns),
    ...row("calls", outcomeParts(underWay)),
    ...row("response", responseParts(figures)),
    ...row("generator", generatorParts(underWay)),
    ...verdictRow(figures, columns),
    ...endedRows(live, columns),
    ...row("so far", comparisonParts(live)),
  ];
  return all.slice(0, Math.max(1, rows));
}

/** The same facts in one line, for whoever reads them later. */
export function liveLine(live: LiveExperiment): string {
  const { underWay } = live;
  if (underWay === undefined) return "";
  if (underWay.text !== undefined) return `${underWay.label}  ${underWay.text}`;
  const figures = underWay.trial?.figures;
  const groups = [
    timeParts(live, underWay),
    experimentParts(live),
    offerParts(figures),
    rateParts(underWay),
    outcomeParts(underWay),
    responseParts(figures).map((part, index) => (index === 0 ? `response ${part}` : part)),
    generatorParts(underWay),
    ...(figures?.validity === undefined ? [] : [[verdictText(figures.validity)]]),
    comparisonParts(live),
  ];
  const text = groups
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.join(", "))
    .join(SEPARATOR);
  return `${underWay.label}  ${text}`;
}

/** A long name is cut so that the time is seen all the same. */
function titleRow(label: string, times: readonly string[], columns: number): LiveRow {
  const [time = ""] = times;
  const taken = time === "" ? 0 : displayWidth(SEPARATOR + time);
  return fitted("", [cutText(label, Math.max(TITLE_COLUMNS_MIN, columns - taken)), ...times], columns, "plain");
}

function timeParts({ trials }: LiveExperiment, { durationSeconds, progress, trial }: UnderWay): string[] {
  if (durationSeconds === 0) return [];
  const spec = trial?.spec;
  if (trials.some(({ arm, pair }) => arm === spec?.arm && pair === spec.pair)) return ["ended"];
  const elapsed = Math.min(progress?.elapsedSeconds ?? 0, durationSeconds);
  const left = durationSeconds - elapsed;
  return [
    `${elapsed.toFixed(0)}/${durationSeconds.toFixed(0)} s`,
    ...(left > 0 ? [`${formatLeft(left)} left`] : ["draining"]),
    ...(left > 0 && trial?.figures?.warmingUp === true ? ["warming up"] : []),
  ];
}

/** Of an experiment with more trials than the one under way. */
function experimentParts(live: LiveExperiment): string[] {
  const { ended, all } = live.count;
  const left = live.secondsLeft;
  if (all <= 1) return [];
  return [`${ended}/${all} trials`, ...(left === undefined || left <= 0 ? [] : [`about ${formatLeft(left)} left`])];
}

/** Where a governor drives the load: what it saw last. */
function offerParts(figures: LiveFigures | undefined): string[] {
  if (figures?.governed === undefined) return [];
  const { control, offer, failedShare } = figures.governed;
  return [
    control === "rate" ? `${formatRate(offer)} offer` : `${formatNumber(offer)} calls at once`,
    ...(failedShare === undefined ? [] : [`${formatPercent(failedShare)} of attempts failed`]),
  ];
}

/** Over the last seconds; where nobody keeps account by the second, over all. */
function rateParts({ trial, progress }: UnderWay): string[] {
  const rates = trial?.figures?.recent ?? (trial?.figures === undefined ? meanRates(progress) : undefined);
  if (rates === undefined) return [];
  return [
    `offered ${formatRate(rates.offered)}`,
    `goodput ${formatRate(rates.goodput)}`,
    `sent ${formatRate(rates.sent)}`,
  ];
}

function meanRates(progress: UnderWay["progress"]): Pick<RecentFigures, "offered" | "goodput" | "sent"> | undefined {
  if (progress === undefined || progress.elapsedSeconds === 0) return undefined;
  const { elapsedSeconds, planned, ok, attempts } = progress;
  return { offered: planned / elapsedSeconds, goodput: ok / elapsedSeconds, sent: attempts / elapsedSeconds };
}

function goodputRow(figures: LiveFigures | undefined, columns: number): LiveRow[] {
  const values = figures?.goodputBySecond ?? [];
  if (values.length < 2) return [];
  const label = columns < LABELS_FROM_COLUMNS ? "" : "goodput";
  const room = columns - (label === "" ? 0 : LABEL_COLUMNS);
  const most = ` up to ${formatRate(Math.max(...values))}`;
  const bars = sparkline(values.slice(-Math.max(1, room - displayWidth(most))));
  return [{ label, text: cutText(bars + most, room), tone: "plain" }];
}

/** Of the calls that ended, the ok ones first; zeros are left out, but for those. */
function outcomeParts({ trial, progress }: UnderWay): string[] {
  const outcomes = trial?.figures?.outcomes ?? progressOutcomes(progress);
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (ended === 0) return [];
  const { ok = 0, ...others } = outcomes;
  const rest = Object.entries(others)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  return [["ok", ok] as const, ...rest].map(([outcome, count]) => `${outcome} ${formatPercent(count / ended)}`);
}

function progressOutcomes(progress: UnderWay["progress"]): Readonly<Record<string, number>> {
  if (progress === undefined) return {};
  const { ok, throttled, failed } = progress;
  return { ok, throttled, failed };
}

function responseParts(figures: LiveFigures | undefined): string[] {
  const response = figures?.responseOk;
  if (response === undefined) return [];
  const { seconds = 0, responseOkP99Seconds: recent } = figures?.recent ?? {};
  return [
    `ok p99 ${formatMs(1000 * response.p99Seconds)}`,
    ...(recent === undefined ? [] : [`last ${Math.round(seconds)} s ${formatMs(1000 * recent)}`]),
    `p50 ${formatMs(1000 * response.p50Seconds)}`,
  ];
}

function generatorParts({ progress, trial }: UnderWay): string[] {
  const peak = trial?.figures?.connectionsPeak;
  if (progress === undefined) return [];
  return [
    `lateness p99 ${formatMs(progress.latenessP99Ms)}`,
    `${progress.inFlight} in flight`,
    ...(peak === undefined ? [] : [`${peak} connections at the peak`]),
  ];
}

function verdictRow(figures: LiveFigures | undefined, columns: number): LiveRow[] {
  if (figures?.validity === undefined) return [];
  const { verdict } = figures.validity;
  const tone = verdict === "valid" ? "plain" : verdict;
  return [fitted("verdict", [verdictText(figures.validity)], columns, tone)];
}

/** The worst reason first. */
function verdictText({ verdict, reasons }: Validity): string {
  const worst = reasons.filter(({ severity }) => severity === verdict);
  const [first] = worst;
  if (first === undefined) return `${verdict} so far`;
  const others = reasons.length - 1;
  return `${verdict} so far [${first.code}] ${first.message}${others === 0 ? "" : ` (and ${others} more)`}`;
}

function endedRows(live: LiveExperiment, columns: number): LiveRow[] {
  const { layout, trials } = live;
  if (layout === undefined || layout.arms.length * layout.pairs === 1 || trials.length === 0) return [];
  const indent = columns < LABELS_FROM_COLUMNS ? 0 : LABEL_COLUMNS;
  const room = columns - indent;
  const table = canFit(layout.arms.length, room) ? pairTable(trials, layout.arms, layout.pairs) : [];
  const fits = table.length > 0 && table.every((line) => displayWidth(line) <= room);
  const lines = fits ? table : latestTrials(trials);
  return lines.map((line, index) => ({
    label: indent > 0 && index === 0 ? "goodput of" : "",
    text:
      indent > 0 && index > 0 ? " ".repeat(indent) + cutText(line, columns - indent) : cutText(line, columns - indent),
    tone: "plain",
  }));
}

/** Whether it is worth making the table, which happens several times a second. */
function canFit(arms: number, room: number): boolean {
  return arms * COLUMN_MIN <= room;
}

function pairTable(
  trials: readonly TrialResult[],
  arms: readonly { readonly name: string }[],
  pairs: number,
): string[] {
  const cells = new Map(trials.map((trial) => [JSON.stringify([trial.arm, trial.pair]), goodputText(trial)]));
  const rows = Array.from({ length: pairs }, (_, pair) => ({
    name: `pair ${pair + 1}`,
    cells: arms.map(({ name }) => cells.get(JSON.stringify([name, pair])) ?? ""),
  })).filter((row) => row.cells.some((cell) => cell !== ""));
  return renderTable([
    ["", ...arms.map(({ name }) => name)],
    ...rows.slice(-ENDED_SHOWN).map((row) => [row.name, ...row.cells]),
  ]);
}

function latestTrials(trials: readonly TrialResult[]): string[] {
  return renderTable(
    trials.slice(-ENDED_SHOWN).map((trial) => [`${trial.arm}, pair ${trial.pair + 1}`, goodputText(trial)]),
  );
}

function goodputText({ rates, validity }: TrialResult): string {
  return `${formatRate(rates.goodput)}${validity.verdict === "valid" ? "" : ` ${validity.verdict}`}`;
}

/** Goodput of each arm over the baseline's; where there is one such arm, how the pairs differ too. */
function comparisonParts({ comparison }: LiveExperiment): string[] {
  const ratios = (comparison?.contrasts ?? []).map(goodputRatio).filter((ratio) => ratio !== undefined);
  const [first] = ratios;
  if (first === undefined) return [];
  const parts = ratios.map(({ text }, index) => (index === 0 ? `goodput ${text}` : text));
  return ratios.length > 1 ? parts : [...parts, ...first.spread];
}

interface GoodputRatio {
  readonly text: string;
  readonly spread: readonly string[];
}

function goodputRatio({ arm, baseline, pairs, metrics }: Contrast): GoodputRatio | undefined {
  const goodput = metrics.find(({ metric }) => metric === "goodput");
  if (goodput === undefined || pairs.length === 0) return undefined;
  const { estimate, interval } = goodput;
  const effects = goodput.effects.filter((effect) => effect !== null);
  const [low, high] = [interval?.low ?? Math.min(...effects), interval?.high ?? Math.max(...effects)];
  return {
    text: `${arm}/${baseline} ${estimate === null ? NONE : formatRatio(estimate)}`,
    spread: [
      ...(effects.length < 2 ? [] : [`${formatRatio(low)} to ${formatRatio(high)}`]),
      pairs.length === 1 ? "1 pair" : `${pairs.length} pairs`,
    ],
  };
}

/** As many parts as there is room for; the first one is cut if it must be. */
function fitted(label: string, [first = "", ...others]: readonly string[], columns: number, tone: Tone): LiveRow {
  const shown = columns < LABELS_FROM_COLUMNS ? "" : label;
  const room = columns - (shown === "" ? 0 : LABEL_COLUMNS);
  let text = cutText(first, room);
  for (const part of others) {
    const longer = text + SEPARATOR + cutText(part, room);
    if (displayWidth(longer) > room) break;
    text = longer;
  }
  return { label: shown, text, tone };
}

/** The row as text. @param paint gives a text its colours. */
export function rowText({ label, text, tone }: LiveRow, paint: Paint): string {
  const front = label === "" ? "" : paint("label", label.padEnd(LABEL_COLUMNS));
  return front + (tone === "plain" ? text : paint(tone, text));
}
