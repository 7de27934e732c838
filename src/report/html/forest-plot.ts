/** Effects with their intervals, a row each, and the pairs as dots: to the right of the line is more, to the left less. */

import { shorten } from "./arm-name.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { drawing, PLOT, round } from "./plot.ts";
import { linearScale, logScale, type Scale } from "./scales.ts";
import { markerPath } from "./shapes.ts";
import { axisNumber } from "./time-plot.ts";

export interface ForestRow {
  readonly label: string;
  /** In words, at the right end. */
  readonly text: string;
  readonly estimate: number | undefined;
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly points: readonly number[];
  readonly tone: "good" | "bad" | "none";
}

export interface ForestSpec {
  readonly title: string;
  readonly description: string;
  readonly rows: readonly ForestRow[];
  /** Ratios are drawn by even factors around 1, differences by even steps around 0. */
  readonly effect: "ratio" | "difference";
  /** Of a difference: what the axis counts in. */
  readonly axis: string;
  /** Short labels beside the marks instead of above them. */
  readonly compact?: boolean;
}

const TOP = 26;

/** Where the marks of a row lie, and how high it is. */
interface Layout {
  readonly row: number;
  readonly left: number;
  readonly right: number;
  readonly middle: number;
  readonly labelMax: number;
}

const ROOMY: Layout = { row: 38, left: 12, right: PLOT.width - 12, middle: 26, labelMax: 34 };
const COMPACT: Layout = { row: 23, left: 172, right: PLOT.width - 62, middle: 11, labelMax: 25 };
/** A ratio beyond this, either way, is drawn at the edge. */
const RATIO_MAX = 1000;

export function forestPlot(ids: Ids, { title, description, rows, effect, axis, compact = false }: ForestSpec): Html {
  const layout = compact ? COMPACT : ROOMY;
  const x = effect === "ratio" ? ratioScale(rows, layout) : differenceScale(rows, layout);
  const bottom = TOP + layout.row * rows.length + 6;
  const neutral = round(x.at(effect === "ratio" ? 1 : 0));
  const ticks = x.ticks.map((tick) => {
    const place = round(x.at(tick));
    return html`<path class="grid" d="M${place},${TOP}V${bottom}"/><text x="${place}" y="${bottom + 15}" text-anchor="middle">${tickText(tick, effect)}</text>`;
  });
  return drawing(
    ids,
    title,
    description,
    bottom + 38,
    html`<text class="name" x="2" y="14">${title}</text>${ticks}<path class="zero" d="M${neutral},${TOP}V${bottom}"/>${rows.map((row, index) => forestRow(row, TOP + layout.row * index, x, layout))}<text x="${layout.right}" y="${bottom + 33}" text-anchor="end">${axis}</text>`,
  );
}

function forestRow(
  { label, text, estimate, low, high, points, tone }: ForestRow,
  top: number,
  x: Scale,
  layout: Layout,
): Html {
  const { left, right } = layout;
  const middle = top + layout.middle;
  const base = top + (layout.middle > 20 ? 13 : layout.middle + 4);
  const place = (value: number): number => round(Math.min(right, Math.max(left, x.at(value))));
  const rod =
    low === undefined && high === undefined
      ? false
      : html`<path class="rod" d="M${low === undefined ? left : place(low)},${middle}H${high === undefined ? right : place(high)}"/>`;
  return html`<text class="strong over" x="2" y="${base}">${shorten(label, layout.labelMax)}</text><text class="over" x="${PLOT.width - 2}" y="${base}" text-anchor="end">${text}</text><g class="tone-${tone} forest">${points.map((point) => html`<circle class="point" cx="${place(point)}" cy="${middle}" r="2.6"/>`)}${rod}${estimate !== undefined && html`<path class="dot" transform="translate(${place(estimate)},${middle})" d="${markerPath(3, 70)}"/>`}</g>`;
}

function ratioScale(rows: readonly ForestRow[], { left, right }: Layout): Scale {
  const values = valuesOf(rows).filter((value) => value > 0);
  const far = Math.min(RATIO_MAX, Math.max(1.1, ...values.map((value) => Math.max(value, 1 / value))));
  return logScale(
    [
      values.some((value) => value < 1) ? 1 / (far * 1.05) : 0.95,
      values.some((value) => value > 1) ? far * 1.05 : 1.05,
    ],
    [left, right],
  );
}

function differenceScale(rows: readonly ForestRow[], { left, right }: Layout): Scale {
  const values = valuesOf(rows);
  return linearScale([Math.min(0, ...values), Math.max(0, ...values)], [left, right], 6);
}

function valuesOf(rows: readonly ForestRow[]): number[] {
  return rows
    .flatMap(({ estimate, low, high, points }) => [estimate, low, high, ...points])
    .filter((value) => value !== undefined);
}

function tickText(tick: number, effect: "ratio" | "difference"): string {
  if (effect === "ratio") return `${axisNumber(tick)}x`;
  return tick > 0 ? `+${axisNumber(tick)}` : axisNumber(tick);
}
