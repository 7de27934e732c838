/** One figure of the cells of a sweep over its axis. */

import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { armClass } from "./palette.ts";
import { AREA, plot, round, UPWARDS } from "./plot.ts";
import { linearScale, type Scale } from "./scales.ts";
import { linePath, markerPath } from "./shapes.ts";
import type { DrawnAxis } from "./sweep-axis.ts";
import type { CellPoint, SweepLine } from "./sweep-lines.ts";
import { axisNumber } from "./time-plot.ts";

/** A figure of a cell: in the middle of its trials, and the least and the most of them. */
export interface CellFigure {
  readonly middle: number;
  readonly min: number;
  readonly max: number;
}

export interface SweepPlotSpec {
  readonly title: string;
  readonly unit: string;
  readonly description: string;
  readonly lines: readonly SweepLine[];
  readonly axis: DrawnAxis;
  readonly figure: (point: CellPoint) => CellFigure | undefined;
  /** What theory says, by the axis; one list a curve. */
  readonly theory?: readonly (readonly { readonly x: number; readonly y: number }[])[];
  /** What was asked to be kept. */
  readonly limits: readonly number[];
  readonly format?: (value: number) => string;
  /** Whether it is by this figure that cells are as good as the best. */
  readonly ranked: boolean;
  /** No value can lie above it: 1 of a share. */
  readonly most?: number;
}

export function sweepPlot(ids: Ids, spec: SweepPlotSpec): Html {
  const { axis, lines, theory = [], limits } = spec;
  const figures = lines.flatMap(({ points }) => points.map(spec.figure)).filter((figure) => figure !== undefined);
  const top = Math.max(...figures.map(({ max }) => max), ...limits, ...theory.flat().map(({ y }) => y));
  const y = linearScale([0, top > 0 ? Math.min(top * 1.04, spec.most ?? Number.MAX_VALUE) : 1], UPWARDS, 4);
  return plot(ids, {
    title: spec.title,
    description: spec.description,
    x: { label: axis.label, scale: axis.scale, format: axis.format },
    y: { label: spec.unit, scale: y, format: spec.format ?? axisNumber },
    marks: html`${limits.map((limit) => limitMark(limit, y))}${theory.map((curve) => html`<path class="theory" d="${linePath(curve.map((point) => ({ x: axis.scale.at(point.x), y: y.at(point.y) })))}"/>`)}${lines.map((line) => lineMarks(line, spec, y))}`,
  });
}

function limitMark(limit: number, y: Scale): Html {
  const place = round(y.at(limit));
  return html`<path class="limit" d="M${AREA.left},${place}H${AREA.right}"/>`;
}

function lineMarks({ index, points }: SweepLine, { axis, figure, ranked }: SweepPlotSpec, y: Scale): Html {
  const drawn = points.flatMap((point) => {
    const value = figure(point);
    if (value === undefined || Number.isNaN(point.x)) return [];
    return [{ point, value, x: round(axis.scale.at(point.x)), y: round(y.at(value.middle)) }];
  });
  const path = axis.numeric && html`<path class="line dash" d="${linePath(drawn)}"/>`;
  const marks = drawn.map(({ point, value, x, y: middle }) => {
    const low = round(y.at(value.min));
    const high = round(y.at(value.max));
    const ring = point.standing === "recommended" ? 9 : ranked && point.standing === "plateau" ? 6.5 : 0;
    const rod =
      low - high >= 1 && html`<path class="rod" d="M${x},${low}V${high}M${x - 3},${low}h6M${x - 3},${high}h6"/>`;
    return html`${rod}${ring > 0 && html`<circle class="${point.standing === "recommended" ? "halo" : "halo faint"}" cx="${x}" cy="${middle}" r="${ring}"/>`}<path class="${point.standing === "excluded" ? "hollow" : "dot"}" transform="translate(${x},${middle})" d="${markerPath(index)}"/>`;
  });
  return html`<g class="${armClass(index)}" data-series="line-${index}">${path}${marks}</g>`;
}
