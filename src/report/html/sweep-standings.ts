/** How far the cells of a sweep lie from the best one of their load. */

import { formatEffect, formatEffectRange, metricOf } from "../../figures/metrics.ts";
import { NONE } from "../../figures/number-format.ts";
import { formatPValue } from "../../figures/p-value.ts";
import { STANDING_WORDS } from "../../figures/verdict-words.ts";
import type { Sweep, SweepRecommendation, SweepStanding } from "../../result/sweep-schema.ts";
import { nameText, shorten } from "./arm-name.ts";
import { dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { type ForestRow, forestPlot } from "./forest-plot.ts";
import { EMPTY, type Html, html } from "./html.ts";
import type { Subject } from "./subject.ts";

/** Of more loads the plots are folded away. */
const OPEN_MAX = 4;

/** As elsewhere on the page, grey is what is not decided. */
const TONES: Readonly<Record<SweepStanding["verdict"], ForestRow["tone"]>> = {
  best: "good",
  equivalent: "good",
  undecided: "none",
  lower: "none",
  worse: "bad",
  excluded: "none",
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
      "Small dots and bars: the ratio's mean over the pairs and its interval (from 5 pairs on). Green: the best, or the same; red: worse; grey: not decided. What takes no part is left out.",
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
            formatPValue(standing.pValue),
            { prose: STANDING_WORDS[standing.verdict].long },
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
  return {
    label: arm,
    text: ratioText(standing),
    estimate: ratio ?? undefined,
    low,
    high,
    points: [],
    tone: TONES[verdict],
  };
}

function ratioText({ ratio }: SweepStanding): string {
  return formatEffect(metricOf("goodput"), ratio);
}

function rangeText({ low, high }: SweepStanding): string {
  return low === undefined || high === undefined ? NONE : formatEffectRange(metricOf("goodput"), low, high);
}
