/** What the harness says about its own measurement, trial by trial. */

import { formatFigure, latencyFigure, type Quantile } from "../../figures/figure.ts";
import { formatCount, formatNumber, formatPercent, NONE } from "../../figures/number-format.ts";
import { type SharedReason, sortedReasons } from "../../figures/shared-reasons.ts";
import type { TrialResult } from "../../result/schema.ts";
import { verdictSummary } from "../validity-text.ts";
import { nameText } from "./arm-name.ts";
import { type Cell, dataTable } from "./data-table.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { part, section } from "./section.ts";
import type { Subject } from "./subject.ts";

const LATENESS: readonly Quantile[] = ["p50Ms", "p99Ms", "p999Ms", "maxMs"];
/** More trials are not listed one by one beside a reason. */
const LISTED_MAX = 8;
/** More rows are folded away. */
const OPEN_ROWS_MAX = 12;

export function validitySection(subject: Subject): Html {
  const { trials } = subject.result;
  if (trials.length === 0) return EMPTY;
  const table = trialTable(trials);
  const body =
    trials.length <= OPEN_ROWS_MAX
      ? table
      : html`<details><summary>All ${formatCount(trials.length)} trials</summary>${table}</details>`;
  return section(
    subject,
    "Lateness and validity",
    html`<p>${verdictSummary(trials)} of ${formatCount(trials.length)} ${trials.length === 1 ? "trial" : "trials"}. Lateness is how long after its time the generator came to a call: its own error, not the target's.</p>${reasonTable(sortedReasons(trials))}${part("Trial by trial")}${body}`,
  );
}

function verdictMark(verdict: TrialResult["validity"]["verdict"]): Html {
  switch (verdict) {
    case "valid":
      return html`<span class="mark tone-good">✓ valid</span>`;
    case "suspect":
      return html`<span class="mark tone-doubt">! suspect</span>`;
    case "invalid":
      return html`<span class="mark tone-bad">✕ invalid</span>`;
    default:
      return verdict satisfies never;
  }
}

function reasonTable(reasons: readonly SharedReason[]): Html {
  if (reasons.length === 0) return html`<p>Nothing was found wrong with any of them.</p>`;
  return dataTable({
    caption: "Why, and what to do about it; figures are those of the first trial concerned",
    head: ["Reason", { prose: "Severity" }, { prose: "What was found" }, "figure", "limit", { prose: "Trials" }],
    rows: reasons.map(({ reason, where }) => ({
      cells: [
        html`<code>${reason.code}</code>`,
        {
          prose: html`<span class="mark tone-${reason.severity === "invalid" ? "bad" : reason.severity === "suspect" ? "doubt" : "none"}">${reason.severity}</span>`,
        },
        { prose: html`${reason.message}.<br><span class="muted">${reason.hint}.</span>` },
        formatNumber(reason.figure),
        formatNumber(reason.limit),
        { prose: whereText(where) },
      ],
    })),
  });
}

function whereText(where: readonly TrialResult[]): Html {
  const shown = where.slice(0, LISTED_MAX);
  return html`${shown.map(({ arm, pair }, index) => html`${index > 0 && ", "}${nameText(arm, 24)} ${pair + 1}`)}${where.length > shown.length && `, and ${where.length - shown.length} more`}`;
}

function trialTable(trials: readonly TrialResult[]): Html {
  const probed = trials.some(({ generator }) => (generator?.sentinel?.ok ?? 0) > 0);
  const measured = trials.some(({ generator }) => generator !== undefined);
  return dataTable({
    caption: html`Lateness in ms${probed && "; the sentinel probes a server that does nothing, so that its response is the generator's own error"}`,
    head: [
      "Arm",
      "pair",
      { prose: "Verdict" },
      "lateness p50",
      "p99",
      "p99.9",
      "max",
      ...(probed ? ["sentinel p50", "p90", "max"] : []),
      ...(measured ? ["generator CPU", "longest stall, ms"] : []),
    ],
    rows: trials.map((trial) => ({
      cells: [
        nameText(trial.arm),
        formatCount(trial.pair + 1),
        { prose: verdictMark(trial.validity.verdict) },
        ...LATENESS.map((quantile) => formatFigure(latencyFigure(trial.latency.lateness, quantile))),
        ...(probed ? sentinelCells(trial) : []),
        ...(measured ? generatorCells(trial) : []),
      ],
    })),
  });
}

function sentinelCells({ generator }: TrialResult): Cell[] {
  const sentinel = generator?.sentinel;
  if (sentinel === undefined || sentinel.ok === 0) return [NONE, NONE, NONE];
  const { p50Ms, p90Ms, maxMs } = sentinel.response;
  return [p50Ms, p90Ms, maxMs].map(formatNumber);
}

function generatorCells({ generator }: TrialResult): Cell[] {
  if (generator === undefined) return [NONE, NONE];
  const { cpuSeconds, wallSeconds, stallMaxMs } = generator;
  return [wallSeconds === 0 ? NONE : formatPercent(cpuSeconds / wallSeconds), formatNumber(stallMaxMs)];
}
