/** A sweep: how goodput and what it costs change over its axis, against theory, the limits, and what is recommended. */

import { formatMetric, METRICS, type Metric, metricOf } from "../../figures/metrics.ts";
import { formatNumber, formatSeconds, NONE } from "../../figures/number-format.ts";
import { NOT_TOLD_APART } from "../../figures/verdict-words.ts";
import type { Sweep } from "../../result/sweep-schema.ts";
import { median } from "../../stats/median.ts";
import { nameText, shorten } from "./arm-name.ts";
import { type Cell, dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { type LegendItem, legend, pathItem } from "./legend.ts";
import { armClass } from "./palette.ts";
import { part, section } from "./section.ts";
import { markerPath } from "./shapes.ts";
import type { Subject } from "./subject.ts";
import { chooseAxis, type DrawnAxis, drawnAxis } from "./sweep-axis.ts";
import { drawnLimit } from "./sweep-limits.ts";
import { type CellPoint, type Standing, type SweepLine, sweepLines } from "./sweep-lines.ts";
import { type CellFigure, sweepPlot } from "./sweep-plot.ts";
import { standingsPart } from "./sweep-standings.ts";
import { theoryCurves, theoryOf } from "./sweep-theory.ts";
import { axisNumber } from "./time-plot.ts";

const ALWAYS = ["goodput", "waste", "responseOkP99Ms"];

const STANDING_TEXT: Readonly<Record<Standing, string>> = {
  recommended: "★ recommended",
  plateau: NOT_TOLD_APART,
  excluded: "excluded",
  other: "",
};

export function sweepSection(subject: Subject): Html {
  const { sweep } = subject.result;
  const chosen = sweep === undefined ? undefined : chooseAxis(sweep);
  if (sweep === undefined || chosen === undefined) return EMPTY;
  const axis = drawnAxis(chosen);
  const lines = sweepLines(sweep, subject.arms, axis);
  if (lines.length === 0) return EMPTY;
  return section(
    subject,
    "The sweep",
    html`${sweepFigure(subject, sweep, axis, lines)}${standingsPart(subject, sweep)}${recommendationPart(sweep)}`,
  );
}

function sweepFigure(subject: Subject, sweep: Sweep, axis: DrawnAxis, lines: readonly SweepLine[]): Html {
  const limits = sweep.limits.flatMap((limit) => drawnLimit(limit) ?? []);
  const metrics = METRICS.filter(
    ({ key }) => ALWAYS.includes(key) || limits.some(({ metric }) => metric === key),
  ).filter((metric) => lines.some(({ points }) => points.some((point) => (cellFigure(metric, point)?.max ?? 0) > 0)));
  const theory = theoryCurves(sweep, axis, lines);
  const plots = metrics.map((metric) => {
    const share = metric.unit === "share";
    return sweepPlot(subject.ids, {
      title: titleOf(metric),
      unit: unitOf(metric),
      description: describe(metric, lines, axis),
      lines,
      axis,
      figure: (point) => cellFigure(metric, point),
      limits: limits.filter((limit) => limit.metric === metric.key).map(({ value }) => value),
      ...(share && { most: 1, format: (value: number) => `${axisNumber(100 * value)}%` }),
      ...(metric.key === "goodput" && { theory }),
      ranked: metric.key === "goodput",
    });
  });
  const recovery = recoveryPlot(subject, sweep, axis, lines);
  return figureBlock({
    plots: [...plots, ...(recovery === undefined ? [] : [recovery])],
    legend: legend(legendItems(sweep, lines, theory.length > 0, limits.length > 0)),
    caption: html`Marks are medians over the trials of a cell; bars reach from the least to the most of them.${theory.length > 0 && sweep.closedForm !== undefined && ` Closed form: C / (1 + r (K - 1)) with C = ${formatNumber(sweep.closedForm.capacity)}/s and r = ${formatNumber(sweep.closedForm.rejectCost)}, from K times that many calls/s on; below C all are served. ${sweep.closedForm.source}`}${sweep.recoveryScenario !== undefined && ` Recovery: ${sweep.recoveryScenario}${stuckNote(sweep)}`}${sweep.limits.length > 0 && html` Limits: ${sweep.limits.map((limit, index) => html`${index > 0 && ", "}<code>${limit}</code>`)}.`}`,
    table: cellTable(sweep, axis, lines, metrics),
  });
}

function cellFigure(metric: Metric, { arm }: CellPoint): CellFigure | undefined {
  const values = arm.trials.flatMap((trial) => metric.figure(trial)?.value ?? []);
  if (values.length === 0) return undefined;
  return { middle: median(values), min: Math.min(...values), max: Math.max(...values) };
}

function recoveryPlot(
  subject: Subject,
  { recovery = [] }: Sweep,
  axis: DrawnAxis,
  lines: readonly SweepLine[],
): Html | undefined {
  if (recovery.length === 0) return undefined;
  const byArm = new Map(recovery.map((entry) => [entry.arm, entry]));
  const horizon = Math.max(...recovery.map(({ horizonSeconds }) => horizonSeconds));
  return sweepPlot(subject.ids, {
    title: "Recovery (simulated)",
    unit: "seconds until 95 % are served again",
    description: recovery.map(({ arm, seconds }) => `${shorten(arm)}: ${recoveryText(seconds)}.`).join(" "),
    lines,
    axis,
    figure: ({ arm }) => {
      const entry = byArm.get(arm.name);
      if (entry === undefined) return undefined;
      const value = entry.seconds ?? horizon;
      return { middle: value, min: value, max: value };
    },
    limits: [],
    ranked: false,
  });
}

function stuckNote({ recovery = [] }: Sweep): string {
  const [stuck] = recovery.filter(({ seconds }) => seconds === null);
  if (stuck === undefined) return "";
  return ` What had not come back after ${formatSeconds(stuck.horizonSeconds)} is drawn there.`;
}

function recoveryText(seconds: number | null): string {
  return seconds === null ? "not within the horizon" : formatSeconds(seconds);
}

function legendItems(sweep: Sweep, lines: readonly SweepLine[], theory: boolean, limits: boolean): LegendItem[] {
  const named = lines.length > 1 ? lines : [];
  const ring = (radius: number, className: string): Html =>
    html`<circle class="${className}" cx="15" cy="7" r="${radius}"/>`;
  return [
    ...named.map(({ index, label }) => ({
      swatch: html`<g class="${armClass(index)}"><path class="line dash" d="M0,7H30"/><path class="dot" transform="translate(15,7)" d="${markerPath(index)}"/></g>`,
      label: nameText(label),
      toggle: `line-${index}`,
    })),
    ...(sweep.recommendations.some(({ arm }) => arm !== null)
      ? [{ swatch: ring(5.8, "halo"), label: "recommended" }]
      : []),
    ...(sweep.recommendations.some(({ plateau }) => plateau.length > 1)
      ? [{ swatch: ring(5, "halo faint"), label: NOT_TOLD_APART }]
      : []),
    ...(sweep.recommendations.some(({ excluded }) => excluded.length > 0)
      ? [{ swatch: html`<g class="a6"><circle class="hollow" cx="15" cy="7" r="4"/></g>`, label: "excluded" }]
      : []),
    ...(theory ? [pathItem("theory", "closed form")] : []),
    ...(limits ? [pathItem("limit", "limit")] : []),
  ];
}

function cellTable(sweep: Sweep, axis: DrawnAxis, lines: readonly SweepLine[], metrics: readonly Metric[]): Html {
  const recovery = new Map((sweep.recovery ?? []).map((entry) => [entry.arm, entry.seconds]));
  const axes = sweep.axes.filter(({ values }) => values.length > 1);
  const reasons = new Map(sweep.recommendations.flatMap(({ excluded }) => excluded.map(({ arm, why }) => [arm, why])));
  const shown = sweep.closedForm !== undefined && sweep.cells.some(({ k }) => k !== undefined);
  return dataTable({
    caption: `The cells by ${axes.map(({ name }) => name).join(" and ")}; medians over their trials, least and most in brackets`,
    head: [
      axis.name,
      ...axes.filter(({ name }) => name !== axis.name).map(({ name }) => ({ prose: name })),
      ...metrics.map(({ label }) => label),
      ...(shown ? ["closed form, per s"] : []),
      ...(recovery.size > 0 ? ["recovery"] : []),
      { prose: "Standing" },
    ],
    rows: lines.flatMap(({ points }) =>
      points.map((point) => {
        const { cell, standing } = point;
        return {
          best: standing === "recommended",
          cells: [
            nameText(cell.point[axis.name] ?? NONE),
            ...axes
              .filter(({ name }) => name !== axis.name)
              .map(({ name }): Cell => ({ prose: nameText(cell.point[name] ?? NONE) })),
            ...metrics.map((metric) => figureText(metric, point)),
            ...(shown ? [theoryText(sweep, point)] : []),
            ...(recovery.size > 0
              ? [recovery.has(cell.arm) ? recoveryText(recovery.get(cell.arm) ?? null) : NONE]
              : []),
            { prose: `${STANDING_TEXT[standing]}${standing === "excluded" ? `: ${reasons.get(cell.arm) ?? ""}` : ""}` },
          ],
        };
      }),
    ),
  });
}

function theoryText(sweep: Sweep, point: CellPoint): string {
  const goodput = theoryOf(sweep, point);
  return goodput === undefined ? NONE : formatNumber(goodput);
}

function figureText(metric: Metric, point: CellPoint): Html {
  const figure = cellFigure(metric, point);
  if (figure === undefined) return html`${NONE}`;
  const { middle, min, max } = figure;
  const range =
    min < max && html` <span class="muted">(${formatMetric(metric, min)}–${formatMetric(metric, max)})</span>`;
  return html`${formatMetric(metric, middle)}${range}`;
}

function describe(metric: Metric, lines: readonly SweepLine[], axis: DrawnAxis): string {
  return lines
    .map(({ label, points }) => {
      const values = points.map((point) => {
        const figure = cellFigure(metric, point);
        return `${formatMetric(metric, figure?.middle ?? null)} at ${shorten(point.cell.point[axis.name] ?? NONE, 20)}`;
      });
      return `${label === "" ? "" : `${shorten(label)}: `}${values.join(", ")}.`;
    })
    .join(" ");
}

function titleOf({ key }: Metric): string {
  const { name } = metricOf(key);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function unitOf({ unit, key }: Metric): string {
  switch (unit) {
    case "perSecond":
      return "per second";
    case "ms":
      return "ms";
    case "seconds":
      return "seconds";
    case "share":
      return key === "waste" ? "share of the attempts sent that were not accepted" : "share";
    case "plain":
      return "";
    default:
      return unit satisfies never;
  }
}

/** More excluded cells are folded away. */
const EXCLUDED_OPEN_MAX = 4;

function recommendationPart({ recommendations, overall }: Sweep): Html {
  const several = recommendations.length > 1;
  const told = recommendations.filter(({ reasons, excluded }) => reasons.length > 0 || excluded.length > 0);
  if (told.length === 0 && overall === undefined) return EMPTY;
  return html`${part("Why")}${overall !== undefined && reasonList(several ? overall.sentence : undefined, overall.reasons)}${told.map(
    ({ sentence, reasons, excluded }) =>
      html`${reasonList(several ? sentence : undefined, reasons)}${excluded.length > 0 && excludedList(excluded)}`,
  )}`;
}

function reasonList(sentence: string | undefined, reasons: readonly string[]): Html {
  return html`${sentence !== undefined && html`<p><strong>${sentence}</strong></p>`}<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`;
}

function excludedList(excluded: Sweep["recommendations"][number]["excluded"]): Html {
  const list = html`<ul>${excluded.map(({ arm, why }) => html`<li>${nameText(arm)}: ${why}</li>`)}</ul>`;
  const title = excluded.length === 1 ? "1 cell takes no part" : `${excluded.length} cells take no part`;
  return excluded.length <= EXCLUDED_OPEN_MAX
    ? html`<p>${title}:</p>${list}`
    : html`<details><summary>${title}</summary>${list}</details>`;
}
