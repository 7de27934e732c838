/** CSV (RFC 4180) for spreadsheets and scripts: a row for each trial, or for each second of each trial. */

import { isSearch } from "../../figures/is-search.ts";
import { policySpec } from "../../figures/policy-text.ts";
import { OUTCOMES } from "../../figures/trial-figures.ts";
import type { Known } from "../../gate/known.ts";
import { isPoint } from "../../gate/span.ts";
import { figureOfTrial } from "../../gate/trial-lookup.ts";
import type { SeriesRow, TrialResult } from "../../result/schema.ts";
import type { NamedResult } from "../named-result.ts";
import { harmless } from "./harmless.ts";

type Cell = string | number | boolean | undefined;

/** What each column says that is no figure. */
const WORDS: readonly (readonly [string, (trial: TrialResult) => Cell])[] = [
  ["arm", ({ arm }) => arm],
  ["pair", ({ pair }) => pair],
  ["world", ({ world }) => world],
  ["policy", ({ policy }) => policySpec(policy)],
  ["verdict", ({ validity }) => validity.verdict],
  ["reasons", ({ validity }) => validity.reasons.map(({ code }) => code).join(" ")],
  ["interrupted", ({ interrupted }) => interrupted],
  ["startedAt", ({ startedAt }) => startedAt],
  ["plan.hash", ({ plan }) => plan.hash],
  ["plan.rate", ({ plan }) => plan.rate],
  ["statuses", ({ statuses }) => counts(statuses)],
  ["errors", ({ errors }) => counts(errors)],
];

const LATENCY = ["count", "meanMs", "p50Ms", "p90Ms", "p99Ms", "p999Ms", "maxMs", "censored"] as const;

/** Paths of the result file, by which assertions name the figures too. New ones are added at the end. */
const FIGURES: readonly string[] = [
  ...["plan.seed", "plan.arrivals", "plan.users", "plan.rps", "durationSeconds", "drainSeconds"],
  ...under("calls", [
    ...["planned", "ok", "throttled", "budget", "failed", "broken", "limited", "deadline", "dropped", "unfinished"],
  ]),
  ...under("attempts", [
    ...["made", "sent", "accepted", "overloaded", "failed", "clientFault", "staleConnection", "cancelled", "inFlight"],
  ]),
  ...under("rates", ["offered", "sent", "accepted", "goodput"]),
  ...["amplification", "waste"],
  ...under("latency.response.ok", LATENCY),
  ...under("latency.response.failed", LATENCY),
  ...under("latency.service.accepted", LATENCY),
  ...under("latency.service.overloaded", LATENCY),
  ...under("latency.wait", LATENCY),
  ...under("latency.lateness", LATENCY),
  ...under("users", ["active", "jain", "okMin", "okMax"]),
  ...["late.sent", "late.dropped"],
  ...under("connections", ["opened", "failed", "reused", "closedByPeer", "peak", "stale"]),
  ...under("generator", ["cpuSeconds", "workers", "inFlightMax", "stealRatio", "rssMaxBytes", "stallMaxMs"]),
  ...under("target", [
    ...["accepted", "rejected", "abandoned", "cpuAcceptSeconds", "cpuRejectSeconds", "cpuTotalSeconds", "queueMax"],
    "cpuRejectRatio",
  ]),
  ...under("age", ["seconds", "calls", "throttled"]),
  ...under("governor", ["high", "offer", "goodput", "failedShare"]),
  ...under("recovery", [
    ...["okBefore", "reactSeconds", "seconds", "stuck", "horizonSeconds", "depth"],
    ...["amplificationDuring", "amplificationAfter", "sentDuring"],
  ]),
  "aborted.atSeconds",
];

/** Means over a load; a search has none. */
const OF_A_LOAD = /^(?:rates|latency\.(?:response|service|wait))\.|^(?:amplification|waste)$/u;

/** One row per trial. A figure that does not exist is empty, and so are means over a search, see {@link isSearch}; `lowerBounds` lists the columns that are only bounds. */
export function renderCsv(results: readonly NamedResult[]): string {
  const head = ["result", "command", ...WORDS.map(([name]) => name), ...FIGURES, "lowerBounds"];
  const rows = results.flatMap(({ name, result }) =>
    result.trials.map((trial) => {
      const figures = FIGURES.map((path) =>
        isSearch(result) && OF_A_LOAD.test(path) ? undefined : figureOfTrial(trial, path.split(".")),
      );
      const bounds = FIGURES.filter((_, index) => isBound(figures[index]));
      const words = WORDS.map(([, word]) => word(trial));
      return [name, result.command, ...words, ...figures.map(numberOf), bounds.join(" ")];
    }),
  );
  return table([head, ...rows]);
}

const SERIES: readonly (keyof SeriesRow)[] = [
  "second",
  "offered",
  "late",
  "sent",
  "sentInSecond",
  "accepted",
  ...OUTCOMES,
];

/** One row per second of each trial. */
export function renderSeriesCsv(results: readonly NamedResult[]): string {
  const rows = results.flatMap(({ name, result }) =>
    result.trials.flatMap(({ arm, pair, series }) =>
      series.map((row) => [name, arm, pair, ...SERIES.map((column) => row[column])]),
    ),
  );
  return table([["result", "arm", "pair", ...SERIES], ...rows]);
}

function table(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it, which is how one writes texts there. */
function cell(value: Cell): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = harmless(value);
  const shown = /^\s*[=+\-@]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

function under(path: string, names: readonly string[]): string[] {
  return names.map((name) => `${path}.${name}`);
}

function counts(of: Readonly<Record<string, number>>): string {
  return Object.entries(of)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ");
}

function isBound(figure: Known | undefined): boolean {
  return figure?.kind === "value" && !isPoint(figure.span);
}

function numberOf(figure: Known | undefined): number | undefined {
  return figure?.kind === "value" ? figure.span.low : undefined;
}
