/** The frame of a plot: a drawing with a name, axes, and marks inside. Sizes are units of the drawing, which scales. */

import { EMPTY, type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import type { Scale } from "./scales.ts";

export const PLOT = { width: 460, height: 250 } as const;
/** The part of it that the axes enclose. */
export const AREA = { left: 52, right: 448, top: 46, bottom: 208 } as const;
/** The ranges of the scales of its axes. */
export const ACROSS: readonly [number, number] = [AREA.left, AREA.right];
export const UPWARDS: readonly [number, number] = [AREA.bottom, AREA.top];

export interface Axis {
  readonly label: string;
  readonly scale: Scale;
  readonly format: (value: number) => string;
}

export interface PlotSpec {
  /** Above the plot, and its name for those who cannot see it. */
  readonly title: string;
  /** What can be seen in it, for those who cannot. */
  readonly description: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Below the lines of the grid. */
  readonly ground?: Html;
  readonly marks: Html;
}

export function plot(ids: Ids, { title, description, x, y, ground = EMPTY, marks }: PlotSpec): Html {
  const vertical = x.scale.ticks.map((tick) => {
    const place = round(x.scale.at(tick));
    return html`<path class="grid" d="M${place},${AREA.top}V${AREA.bottom}"/><text x="${place}" y="${AREA.bottom + 16}" text-anchor="middle">${x.format(tick)}</text>`;
  });
  const horizontal = y.scale.ticks.map((tick) => {
    const place = round(y.scale.at(tick));
    return html`<path class="grid" d="M${AREA.left},${place}H${AREA.right}"/><text x="${AREA.left - 6}" y="${place + 4}" text-anchor="end">${y.format(tick)}</text>`;
  });
  return drawing(
    ids,
    title,
    description,
    PLOT.height,
    html`${ground}${horizontal}${vertical}<path class="axis" d="M${AREA.left},${AREA.bottom}H${AREA.right}"/><text class="name" x="2" y="14">${title}</text><text x="2" y="32">${y.label}</text><text x="${AREA.right}" y="${PLOT.height - 8}" text-anchor="end">${x.label}</text>${marks}`,
  );
}

/** A drawing of the common width with a name and a description. */
export function drawing(ids: Ids, title: string, description: string, height: number, marks: Html): Html {
  const id = ids("plot");
  return html`<svg class="plot" viewBox="0 0 ${PLOT.width} ${height}" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc" data-span="${AREA.top} ${AREA.bottom}"><title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>${marks}</svg>`;
}

/** A tenth of a unit is far below what can be seen. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
