/** How far the cells of a sweep lie from the best one of their load. */

import { formatEffect, formatEffectRange, metricOf } from "../../figures/metrics.ts";
import { NONE } from "../../figures/number-format.ts";
import type { Sweep, SweepRecommendation, SweepStanding } from "../../result/sweep-schema.ts";
import { nameText, shorten } from "./arm-name.ts";
import { dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { type ForestRow, forestPlot } from "./forest-plot.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { pText } from "./p-text.ts";
import type { Subject } from "./subject.ts";

/** Of more loads the plots are folded away. */
const OPEN_MAX = 4;

const VERDICT_TEXT: Readonly<Record<SweepStanding["verdict"], string>> = {
  best: "the best",
  equivalent: "no difference that matters",
  undecided: "not told apart",
  lower: "less in every pair, in pairs too few to prove it",
  worse: "worse",
  excluded: "takes no part",
};

export function standingsPart({ ids }: Subject, { recommendations }: Sweep): Html {
  const told = recommendations.filter(({ best, standings = [] }) => best !== undefined && standings.length > 1);
  if (told.length === 0) return EMPTY;
  const figure = figureBlock({
    plots: told.map((recommendation) => {
      const rows = (recommendation.standings ?? []).filter(({ ratio }) => ratio !== null).map(standingRow);
      return forestPlot(ids, {
        title: `Goodput against the best${loadText(recommendation)}`,
        description: rows.map(({ label, text }) => `${shorten(label)}: ${text}.`).join(" "),
        rows,
        effect: "ratio",
        axis: `times that of ${shorten(recommendation.best ?? "", 30)}`,
        compact: true,
      });
    }),
    caption:
      "Small dots and bars: the ratio's mean over the pairs and its interval (from 5 pairs on). Green: not told apart from the best; red: less. What takes no part is left out.",
    table: dataTable({
      caption: "Goodput against the best cell of the same load",
      head: ["Cell", "ratio", "interval", "p", { prose: "Verdict" }],
      rows: told.flatMap(({ standings = [] }) =>
        standings.map((standing) => ({
          best: standing.verdict === "best",
          cells: [
            nameText(standing.arm),
            ratioText(standing),
            rangeText(standing),
            standing.pValue === null ? NONE : pText(standing.pValue).replace(/^p (?:= )?/u, ""),
            { prose: VERDICT_TEXT[standing.verdict] },
          ],
        })),
      ),
    }),
  });
  return told.length <= OPEN_MAX
    ? figure
    : html`<details class="fold"><summary>How far the cells lie from the best of their load</summary>${figure}</details>`;
}

function loadText({ load }: SweepRecommendation): string {
  const text = Object.entries(load).map(([name, value]) => `${name}=${value}`);
  return text.length === 0 ? "" : `, ${shorten(text.join(", "), 30)}`;
}

function standingRow(standing: SweepStanding): ForestRow {
  const { arm, ratio, low, high, verdict } = standing;
  const good = verdict === "best" || verdict === "equivalent" || verdict === "undecided";
  return {
    label: arm,
    text: ratioText(standing),
    estimate: ratio ?? undefined,
    low,
    high,
    points: [],
    tone: good ? "good" : verdict === "excluded" ? "none" : "bad",
  };
}

function ratioText({ ratio }: SweepStanding): string {
  return formatEffect(metricOf("goodput"), ratio);
}

function rangeText({ low, high }: SweepStanding): string {
  return low === undefined || high === undefined ? NONE : formatEffectRange(metricOf("goodput"), low, high);
}
