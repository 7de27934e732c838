/** The result of `capacity` as text, within 80 columns: what the target takes first, then how the search came to it. */

import { intervalText } from "../figures/interval-text.ts";
import { formatCount, formatNumber, formatPercent, formatSeconds, NONE } from "../figures/number-format.ts";
import { bandText, offerNumber, offerText } from "../figures/offer-text.ts";
import { policySpec } from "../figures/policy-text.ts";
import type { Capacity, Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { offered } from "../stats/at-rest.ts";
import { median } from "../stats/median.ts";
import { kneeLines } from "./capacity-knee-text.ts";
import { PARTIAL_TEXT, worldText } from "./context-line.ts";
import { page } from "./page.ts";
import { resumedLines } from "./resumed-text.ts";
import { renderRun } from "./run-text.ts";
import { renderTable } from "./table.ts";
import { reasonLines, sharedReasonLines, verdictHead, verdictSummary } from "./validity-text.ts";
import { wrap } from "./wrap.ts";

const WIDTH = 80;
/** Of a trace: more lines are left out in the middle. */
const TRACE_LINES_MAX = 40;

interface Search {
  readonly trial: TrialResult;
  readonly governed: Governed;
}

export function renderCapacity(result: Result): string {
  const { capacity } = result;
  const searches = result.trials.flatMap((trial): readonly Search[] =>
    trial.governor === undefined ? [] : [{ trial, governed: trial.governor }],
  );
  const first = searches[0];
  if (first === undefined) return renderRun(result);
  const lines = [
    ...(result.partial ? prose(`PARTIAL: ${PARTIAL_TEXT}`) : []),
    ...conclusionLines(searches, capacity),
    ...(capacity?.remarks ?? []).flatMap((remark) => wrap(remark, "- ", "  ", WIDTH)),
    "",
    ...prose(contextLine(result, searches, first)),
    ...(first.trial.script === undefined ? [] : wrap(first.trial.script, "Script: ", undefined, WIDTH)),
    ...prose(resumedLines(result.design).join(" ")),
    ...(capacity === undefined ? [] : ["", ...figureLines(capacity, searches), "", ...kneeLines(capacity)]),
    ...(searches.length === 1 ? traceLines(first) : searchLines(searches)),
    ...tallyLines(searches),
    ...validityLines(result.trials),
  ];
  return page(lines);
}

function prose(text: string): string[] {
  return text === "" ? [] : wrap(text, "", "", WIDTH);
}

function conclusionLines(searches: readonly Search[], capacity: Capacity | undefined): string[] {
  const [only] = searches;
  const text = capacity?.sentence ?? "Nothing was found: no window of the governor came to its end.";
  const head = searches.length === 1 && only !== undefined ? `${verdictHead(only.trial.validity)} ` : "";
  return prose(`${head}${text}`);
}

function contextLine({ plan }: Result, searches: readonly Search[], { trial, governed }: Search): string {
  const { control, start, ceiling, high, low, windowSeconds } = governed;
  const count = searches.length === 1 ? "1 search" : `${formatCount(searches.length)} searches`;
  const most = ceiling === null ? "" : ` to at most ${offerText(ceiling, control)}`;
  const load =
    control === "rate"
      ? `${plan.arrival} arrivals from ${offerText(start, control)} on${most}`
      : `a closed loop of ${offerText(start, control)}${most}`;
  return (
    `${count}, policy ${policySpec(trial.policy)}, ${worldText(trial)}, ${load}, ${formatCount(plan.users)} users, ` +
    `seed ${plan.seed}; lowered above ${formatPercent(high)} failed attempts in ${formatSeconds(windowSeconds)}, ` +
    `raised below ${formatPercent(low)}.`
  );
}

function figureLines(capacity: Capacity, searches: readonly Search[]): string[] {
  const { control, offer, goodput, failedShare, failureBound, interval, kneeOffer, held } = capacity;
  const rows: string[][] = [
    [held ? "offer" : "last offer", offerText(offer, control), control === "rate" ? "calls" : ""],
    ["goodput", `${formatNumber(goodput)}/s`, goodputText(interval, searches)],
    ["failed", formatPercent(failedShare), `of attempts; declared bearable: ${formatPercent(failureBound)}`],
    ["knee", kneeOffer === null ? "none" : offerText(kneeOffer, control), kneeText(kneeOffer)],
  ];
  const [only] = searches;
  if (searches.length === 1 && only !== undefined)
    rows.push(["ended", held ? "at rest" : "not at rest", endText(only)]);
  const table = renderTable(rows, { align: ["left", "right", "left"], gap: 3 });
  return table.map((line) => `  ${line}`);
}

function goodputText(interval: Capacity["interval"], searches: readonly Search[]): string {
  if (interval === null) return "calls ok; too few windows for an interval";
  const { low, high, confidence, windows, effectiveWindows } = interval;
  const worth = effectiveWindows < windows ? `, worth ${formatNumber(effectiveWindows)}` : "";
  const over = searches.length === 1 ? `${windows} windows${worth}` : `${searches.length} searches`;
  return `calls ok; ${formatPercent(confidence)}: ${intervalText(low, high)} (${over})`;
}

function kneeText(kneeOffer: number | null): string {
  return kneeOffer === null ? "the median latency has not doubled" : "from there on the median latency has doubled";
}

function endText({ trial, governed }: Search): string {
  const { ended, holdWindows, windows } = governed;
  const after = formatSeconds(Math.round(windows.at(-1)?.toSeconds ?? trial.durationSeconds));
  switch (ended) {
    case "held":
      return `${holdWindows} windows within ${bandText(governed)}, after ${after}`;
    case "duration":
      return `the time was up, after ${after}`;
    case "interrupted":
      return `cut short, after ${after}`;
    case "aborted":
      return `given up by a guard, after ${after}`;
    default:
      return ended satisfies never;
  }
}

/** Windows in a row at the same offer. */
interface Step {
  readonly windows: readonly GovernedWindowRow[];
}

/** One line for each time that the offer stayed or came back, in the order of the search. */
function traceLines({ trial, governed }: Search): string[] {
  const steps = stepsOf(governed.windows);
  const aborted = trial.aborted === undefined ? [] : wrap(trial.aborted.text, "  Given up: ", undefined, WIDTH);
  if (steps.length === 0) return aborted;
  const half = TRACE_LINES_MAX / 2;
  const isLong = steps.length > TRACE_LINES_MAX;
  const row = ({ windows }: Step): string[] => {
    const from = windows[0]?.fromSeconds ?? 0;
    const to = windows.at(-1)?.toSeconds ?? 0;
    const offer = windows[0]?.offer ?? 0;
    return [
      `${from.toFixed(0)}..${to.toFixed(0)} s`,
      offerNumber(offered(governed.control, offer)),
      ...sharedCells(windows),
      DECISION[windows.at(-1)?.decision ?? "none"],
    ];
  };
  const shown = isLong ? [...steps.slice(0, half), ...steps.slice(-half)] : steps;
  const table = renderTable(
    [["Time", governed.control === "rate" ? "offer/s" : "at once", ...SHARED_HEAD, "then"], ...shown.map(row)],
    { align: ["left", "right", "right", "right", "right", "right", "left"], gap: 2 },
  );
  const left = isLong ? [`  ... ${formatCount(steps.length - 2 * half)} more ...`] : [];
  const cut = isLong ? half + 1 : table.length;
  return ["", ...table.slice(0, cut), ...left, ...table.slice(cut), ...aborted];
}

const DECISION: Readonly<Record<GovernedWindowRow["decision"], string>> = {
  up: "raised",
  down: "cut",
  hold: "held",
  none: "no attempt ended",
};

const SHARED_HEAD = ["ok/s", "failed", "p50 ms", "p99 ms"];

function sharedCells(windows: readonly GovernedWindowRow[]): string[] {
  const sum = (of: (window: GovernedWindowRow) => number): number =>
    windows.reduce((total, window) => total + of(window), 0);
  const failures = sum((window) => window.failures);
  const attempts = failures + sum(({ successes }) => successes);
  const seconds = sum(({ fromSeconds, toSeconds }) => toSeconds - fromSeconds);
  return [
    seconds === 0 ? NONE : formatNumber(sum(({ ok }) => ok) / seconds),
    attempts === 0 ? NONE : formatPercent(failures / attempts),
    msOf(windows.map(({ p50Ms }) => p50Ms)),
    msOf(windows.map(({ p99Ms }) => p99Ms)),
  ];
}

function msOf(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? NONE : formatNumber(median(known));
}

function stepsOf(windows: readonly GovernedWindowRow[]): readonly Step[] {
  const steps: GovernedWindowRow[][] = [];
  for (const window of windows) {
    const step = steps.at(-1);
    if (step?.[0]?.offer === window.offer) step.push(window);
    else steps.push([window]);
  }
  return steps.map((step) => ({ windows: step }));
}

/** Of several searches a line each. */
function searchLines(searches: readonly Search[]): string[] {
  const rows = searches.map(({ trial, governed }) => [
    `search ${trial.pair + 1}`,
    governed.offer === null ? NONE : offerNumber(governed.offer),
    governed.goodput === null ? NONE : formatNumber(governed.goodput),
    governed.failedShare === null ? NONE : formatPercent(governed.failedShare),
    endText({ trial, governed }),
  ]);
  const control = searches[0]?.governed.control;
  return [
    "",
    ...renderTable([["Search", control === "rate" ? "offer/s" : "at once", "ok/s", "failed", "ended"], ...rows], {
      align: ["left", "right", "right", "right", "left"],
      gap: 2,
    }),
  ];
}

/** What the attempts came to, over all searches. */
function tallyLines(searches: readonly Search[]): string[] {
  const lines = (["statuses", "errors"] as const).flatMap((name) => {
    const counts = new Map<string, number>();
    for (const { trial } of searches) {
      for (const [key, count] of Object.entries(trial[name])) counts.set(key, (counts.get(key) ?? 0) + count);
    }
    const text = [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([key, count]) => `${key}: ${formatCount(count)}`)
      .join("; ");
    return text === "" ? [] : wrap(text, (name === "statuses" ? "Statuses" : "Errors").padEnd(10), undefined, WIDTH);
  });
  return lines.length === 0 ? [] : ["", ...lines];
}

function validityLines(trials: readonly TrialResult[]): string[] {
  const [only] = trials;
  if (trials.length === 1 && only !== undefined) {
    const { reasons } = only.validity;
    return reasons.length === 0 ? [] : ["", "Validity", ...reasonLines(reasons, WIDTH)];
  }
  return ["", ...prose(`Validity of the searches: ${verdictSummary(trials)}.`), ...sharedReasonLines(trials, WIDTH)];
}
