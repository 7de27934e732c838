/** The text of `run`: one trial, to be read in ten seconds. */

import { formatFigure, latencyFigure, type Quantile } from "../figures/figure.ts";
import { formatCount, formatNumber, formatPercent, formatRate, formatSeconds, NONE } from "../figures/number-format.ts";
import { policySpec } from "../figures/policy-text.ts";
import { OUTCOME_TEXT, OUTCOMES, outcomeShare } from "../figures/trial-figures.ts";
import type { LatencySummary, Result, TrialResult } from "../result/schema.ts";
import { multipleWords } from "./capacity-load-text.ts";
import { clientsText, LOWER_BOUND_NOTE, worldText } from "./context-line.ts";
import { page } from "./page.ts";
import { renderTable } from "./table.ts";
import { detailLines } from "./trial-details.ts";
import { twinLines } from "./twin-text.ts";
import { reasonLines, verdictHead } from "./validity-text.ts";
import { wrap } from "./wrap.ts";

/** Stands under a table with a `≥` in it. */

/** @throws RangeError when there is no trial of that index. */
export function renderTrial(result: Result, trialIndex: number): string {
  const trial = result.trials[trialIndex];
  if (trial === undefined) {
    throw new RangeError(`Cannot render trial ${trialIndex} as the result has ${result.trials.length}`);
  }
  const latency = renderTable(latencyRows(trial));
  const lines = [
    ...wrap(`${verdictHead(trial.validity)} ${outcomeSentence(trial)}`),
    ...wrap(contextLine(result, trial)),
    ...scriptLines(trial),
    "",
    ...renderTable([...callRows(trial), [], ...attemptRows(trial)]),
    ...wrap(ratioLine(trial), "  "),
    "",
    ...latency,
    ...(latency.some((line) => line.includes("≥")) ? wrap(LOWER_BOUND_NOTE, "  ") : []),
    "",
    ...detailLines(trial),
  ];
  if (result.twin !== undefined) lines.push("", ...twinLines(result.twin, trial));
  if (trial.validity.reasons.length > 0) lines.push("", "Validity", ...reasonLines(trial.validity.reasons));
  return page(lines);
}

/** What changed at the backend meanwhile. */
export function scriptLines({ script }: TrialResult): string[] {
  return script === undefined ? [] : wrap(script, "Script: ");
}

export function outcomeSentence(trial: TrialResult): string {
  const cut = trial.interrupted ? `cut short after ${formatSeconds(trial.durationSeconds)}, ` : "";
  const ok = outcomeShare(trial, "ok");
  if (ok === undefined) return `${cut}no call was planned.`;
  const others = OUTCOMES.filter((outcome) => outcome !== "ok" && trial.calls[outcome] > 0)
    .sort((a, b) => trial.calls[b] - trial.calls[a])
    .map((outcome) => `${formatPercent(trial.calls[outcome] / trial.calls.planned)} ${OUTCOME_TEXT[outcome]}`);
  const rest = others.length === 0 ? "" : `; ${others.join(", ")}`;
  return `${cut}${formatRate(trial.rates.goodput)} of the ${formatRate(trial.rates.offered)} offered came back ok (${formatPercent(ok)})${rest}.`;
}

function contextLine(result: Result, trial: TrialResult): string {
  const { arrival, dispersion = 1, users, rate } = result.plan;
  const burstiness = dispersion > 1 ? ` (index of dispersion ${formatNumber(dispersion)})` : "";
  const warmup = trial.warmup === undefined ? "" : ` after ${formatSeconds(trial.warmup.seconds)} of warm-up`;
  const multiple = multipleWords(result, result.plan.rps);
  const clients = clientsText([trial]);
  const past = clients === undefined ? "" : `, ${clients}`;
  return `${trial.arm}: policy ${policySpec(trial.policy)}; ${worldText(trial)}, ${formatSeconds(trial.durationSeconds)}${warmup}, ${arrival} arrivals${burstiness} at ${rate}${multiple}, ${formatCount(users)} users${past}, seed ${trial.plan.seed}`;
}

function countRow(label: string, count: number, seconds: number, whole: number | undefined): string[] {
  return [
    `  ${label}`,
    seconds === 0 ? NONE : formatNumber(count / seconds),
    formatCount(count),
    whole === undefined || whole === 0 ? "" : formatPercent(count / whole),
  ];
}

function callRows(trial: TrialResult): string[][] {
  const { calls, durationSeconds } = trial;
  const shown = OUTCOMES.filter((outcome) => outcome === "ok" || calls[outcome] > 0);
  return [
    ["Calls", "per s", "total", "share"],
    countRow("offered", calls.planned, durationSeconds, undefined),
    ...shown.map((outcome) =>
      countRow(
        outcome === "ok" ? "ok (goodput)" : OUTCOME_TEXT[outcome],
        calls[outcome],
        durationSeconds,
        calls.planned,
      ),
    ),
  ];
}

function attemptRows(trial: TrialResult): string[][] {
  const { attempts, durationSeconds } = trial;
  const classes = [
    ["accepted", attempts.accepted],
    ["overloaded", attempts.overloaded],
    ["failed", attempts.failed],
    ["fault of this client", attempts.clientFault],
    ["stale connection", attempts.staleConnection],
    ["cancelled for another copy", attempts.cancelled ?? 0],
    ["still in flight", attempts.inFlight],
  ] as const;
  return [
    ["Attempts"],
    countRow("sent", attempts.sent, durationSeconds, undefined),
    ...classes
      .filter(([label, count]) => label === "accepted" || count > 0)
      .map(([label, count]) => countRow(label, count, durationSeconds, attempts.sent)),
  ];
}

function ratioLine(trial: TrialResult): string {
  return `amplification ${formatNumber(trial.amplification)} (sent per call), waste ${formatPercent(trial.waste)} (sent but not accepted)`;
}

function latencyRows(trial: TrialResult): string[][] {
  const { response, service, wait, lateness } = trial.latency;
  const quantiles: readonly Quantile[] = ["p50Ms", "p99Ms", "maxMs"];
  const row = (label: string, latency: LatencySummary | undefined): string[] => [
    `  ${label}`,
    ...quantiles.map((quantile) => formatFigure(latencyFigure(latency, quantile))),
    formatCount(latency?.count ?? 0),
  ];
  const ifAny = (label: string, latency: LatencySummary | undefined): string[][] =>
    latency === undefined || latency.count === 0 ? [] : [row(label, latency)];
  return [
    ["Latency, ms", "p50", "p99", "max", "count"],
    row("response, ok calls", response.ok),
    row("service, accepted attempts", service.accepted),
    ...ifAny("response, failed calls", response.failed),
    ...ifAny("response, unfinished calls", response.unfinished),
    ...ifAny("service, overloaded attempts", service.overloaded),
    ...ifAny("wait for a connection", wait),
    row("lateness of this generator", lateness),
  ];
}
