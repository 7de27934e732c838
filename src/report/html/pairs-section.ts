/** The arms against the baseline: pair by pair, and what follows for each metric. */

import { completePairs } from "../../comparison/arms.ts";
import { formatEffect, formatEffectRange, formatMetric, type Metric, metricOf } from "../../figures/metrics.ts";
import { formatCount, formatNumber, formatPercent, NONE } from "../../figures/number-format.ts";
import { formatPValue } from "../../figures/p-value.ts";
import { EFFECT_WORDS } from "../../figures/verdict-words.ts";
import type { Contrast, MetricComparison } from "../../result/comparison-schema.ts";
import { nameText, shorten } from "./arm-name.ts";
import { type Cell, dataTable, type Row } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { type ForestRow, forestPlot } from "./forest-plot.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { part, section } from "./section.ts";
import { type PairPoint, slopePlot } from "./slope-plot.ts";
import type { Subject } from "./subject.ts";

/** Of more, each is folded away and all stand in one plot by goodput. */
const OPEN_MAX = 3;

export function pairsSection(subject: Subject): Html {
  const contrasts = subject.comparison?.contrasts ?? [];
  if (contrasts.length === 0) return EMPTY;
  if (subject.result.sweep !== undefined) return sweepPairs(subject, contrasts);
  const each = contrasts.map((contrast) =>
    contrasts.length <= OPEN_MAX
      ? html`${part(html`${nameText(contrast.arm)} against ${nameText(contrast.baseline)}`)}${contrastBody(subject, contrast)}`
      : html`<details class="fold"><summary>${nameText(contrast.arm)} against ${nameText(contrast.baseline)}</summary>${contrastBody(subject, contrast)}</details>`,
  );
  return section(
    subject,
    "Pairs and effects",
    html`<p class="muted">The trials of a pair walked the same arrivals. An effect is the arm's figure over the baseline's, or minus it; p-values are corrected for all metrics and arms (at ${formatPercent(subject.comparison?.alpha ?? 0)}).</p>${contrasts.length > OPEN_MAX && overview(subject, contrasts)}${each}`,
  );
}

/** A sweep sets its cells against the best one; here they are against the first of the same load, by all metrics. */
function sweepPairs(subject: Subject, contrasts: readonly Contrast[]): Html {
  const each = contrasts.map(
    (contrast) =>
      html`<details><summary>${nameText(contrast.arm)} against ${nameText(contrast.baseline)}</summary>${contrast.sentence !== "" && html`<p>${contrast.sentence}</p>`}${metricTable(contrast)}</details>`,
  );
  return section(
    subject,
    "Pairs and effects",
    html`<p class="muted">Each cell against the first one of the same load, over the pairs; p-values are corrected for all metrics and cells.</p><details class="fold"><summary>All ${formatCount(contrasts.length)} comparisons</summary>${each}</details>`,
  );
}

/** Goodput of all arms. */
function overview(subject: Subject, contrasts: readonly Contrast[]): Html {
  const metric = metricOf("goodput");
  const rows = contrasts.flatMap((contrast) => {
    const compared = contrast.metrics.find((entry) => entry.metric === "goodput");
    return compared === undefined ? [] : [{ ...forestRow(metric, compared), label: contrast.arm }];
  });
  return figureBlock({
    plots: [
      forestPlot(subject.ids, {
        title: "Goodput against the baseline",
        description: rows.map(({ label, text }) => `${shorten(label)}: ${text}.`).join(" "),
        rows,
        effect: "ratio",
        axis: "times the baseline",
        compact: true,
      }),
    ],
    caption: "Small dots are pairs, diamonds their geometric mean, bars its interval.",
    table: dataTable({
      caption: "Goodput against the baseline",
      head: ["Arm", { prose: "Baseline" }, "effect", "interval", "p, corrected", { prose: "Verdict" }],
      rows: contrasts.map((contrast) => {
        const compared = contrast.metrics.find((entry) => entry.metric === "goodput");
        return {
          cells: [
            nameText(contrast.arm),
            { prose: nameText(contrast.baseline) },
            ...(compared === undefined ? [NONE, NONE, NONE, NONE] : effectCells(metric, compared)),
          ],
        };
      }),
    }),
  });
}

function contrastBody(subject: Subject, contrast: Contrast): Html {
  return html`${contrast.sentence !== "" && html`<p>${contrast.sentence}</p>`}${pairFigure(subject, contrast)}${effectTable(contrast)}${lookTable(contrast)}`;
}

function pairFigure(subject: Subject, contrast: Contrast): Html {
  const base = subject.arms.find(({ name }) => name === contrast.baseline);
  const other = subject.arms.find(({ name }) => name === contrast.arm);
  if (base === undefined || other === undefined) return EMPTY;
  const points: PairPoint[] = completePairs(subject.result.trials, contrast).map((pair) => ({
    pair: pair.pair,
    base: pair.base.rates.goodput,
    other: pair.other.rates.goodput,
  }));
  const counted = new Set(contrast.pairs);
  const forests = forestPlots(subject, contrast);
  return figureBlock({
    plots: [
      slopePlot(subject.ids, base, other, points),
      ...(forests.length > 0 ? [html`<div class="stack">${forests}</div>`] : []),
    ],
    caption: html`Left: a line is a pair.${forests.length > 0 && " Effects: small dots are pairs, diamonds their mean, bars its interval (from 5 pairs on); green is better, red is worse, grey is the same or unclear."}`,
    table: dataTable({
      caption: "Goodput per second, pair by pair",
      head: ["Pair", nameText(base.name, 30), nameText(other.name, 30), "ratio", { prose: "" }],
      rows: points.map(({ pair, base: low, other: high }) => ({
        cells: [
          formatCount(pair + 1),
          formatNumber(low),
          formatNumber(high),
          low === 0 ? NONE : formatNumber(high / low),
          { prose: counted.has(pair) ? "" : "takes no part: a trial is invalid, or the arrivals differ" },
        ],
      })),
    }),
  });
}

function forestPlots(subject: Subject, { metrics, arm, baseline }: Contrast): Html[] {
  const kinds = [
    ["ratio", "Effects, as ratios", `times that of ${shorten(baseline, 30)}`],
    ["difference", "Effects, as differences", "percentage points (fairness: hundredths)"],
  ] as const;
  return kinds.flatMap(([effect, title, axis]) => {
    const rows = metrics
      .filter((entry) => entry.effect === effect)
      .map((entry) => forestRow(metricOf(entry.metric), entry));
    const drawn = rows.filter(({ estimate, points }) => estimate !== undefined || points.length > 0);
    if (drawn.length === 0) return [];
    const description = `${shorten(arm)} against ${shorten(baseline)}. ${drawn.map(({ label, text }) => `${label}: ${text}.`).join(" ")}`;
    return [forestPlot(subject.ids, { title, description, rows: drawn, effect, axis })];
  });
}

function forestRow(metric: Metric, { effects, estimate, interval, verdict }: MetricComparison): ForestRow {
  const scale = metric.effect === "difference" ? 100 : 1;
  const scaled = (value: number | null | undefined): number | undefined =>
    value === null || value === undefined ? undefined : value * scale;
  const range = interval === undefined ? "" : ` (${formatEffectRange(metric, interval.low, interval.high)})`;
  return {
    label: metric.name,
    text: `${formatEffect(metric, estimate)}${range}`,
    estimate: scaled(estimate),
    low: scaled(interval?.low),
    high: scaled(interval?.high),
    points: effects.filter((effect) => effect !== null).map((effect) => effect * scale),
    tone: verdict === "better" ? "good" : verdict === "worse" ? "bad" : "none",
  };
}

function effectTable(contrast: Contrast): Html {
  return html`<details><summary>All metrics with intervals and p-values as a table</summary>${metricTable(contrast)}</details>`;
}

function metricTable({ metrics, arm, baseline }: Contrast): Html {
  const rows: Row[] = metrics.map((compared) => {
    const metric = metricOf(compared.metric);
    return {
      cells: [
        metric.label,
        formatMetric(metric, compared.baseline),
        formatMetric(metric, compared.arm),
        ...effectCells(metric, compared),
        detectableText(compared),
      ],
    };
  });
  return dataTable({
    caption: `${shorten(arm)} against ${shorten(baseline)}; baseline and arm are medians over the pairs`,
    head: [
      "Metric",
      nameText(baseline, 24),
      nameText(arm, 24),
      "effect",
      "interval",
      "p, corrected",
      { prose: "Verdict" },
      "detectable",
    ],
    rows,
  });
}

function effectCells(metric: Metric, { estimate, interval, adjustedPValue, verdict }: MetricComparison): Cell[] {
  return [
    formatEffect(metric, estimate),
    interval === undefined ? NONE : formatEffectRange(metric, interval.low, interval.high),
    formatPValue(adjustedPValue),
    { prose: EFFECT_WORDS[verdict].long },
  ];
}

function detectableText({ detectable, effect }: MetricComparison): string {
  if (detectable === null) return NONE;
  return effect === "ratio" ? formatPercent(detectable) : formatNumber(detectable);
}

function lookTable({ looks }: Contrast): Html {
  if (looks === undefined || looks.length === 0) return EMPTY;
  return html`<details><summary>The looks at which the experiment could stop</summary>${dataTable({
    caption: "It is decided when the p-value of goodput is at most the level, which spends alpha over all looks",
    head: ["after pairs", "p", "level"],
    rows: looks.map(({ pairs, pValue, level }) => ({
      cells: [formatCount(pairs), formatPValue(pValue), formatNumber(level)],
    })),
  })}</details>`;
}
