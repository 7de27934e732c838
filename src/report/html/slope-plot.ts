/** Goodput pair by pair: a line from the baseline's trial to the arm's, which walked the same arrivals. */

import { formatNumber } from "../../figures/number-format.ts";
import { shorten } from "./arm-name.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { armClass } from "./palette.ts";
import { AREA, drawing, PLOT, round, UPWARDS } from "./plot.ts";
import { linearScale } from "./scales.ts";
import { markerPath } from "./shapes.ts";
import type { ArmView } from "./subject.ts";
import { axisNumber } from "./time-plot.ts";

export interface PairPoint {
  readonly pair: number;
  readonly base: number;
  readonly other: number;
}

const LEFT = AREA.left + 70;
const RIGHT = AREA.right - 70;

export function slopePlot(ids: Ids, base: ArmView, other: ArmView, pairs: readonly PairPoint[]): Html {
  const y = linearScale([0, Math.max(1, ...pairs.flatMap((pair) => [pair.base, pair.other]))], UPWARDS, 4);
  const grid = y.ticks.map((tick) => {
    const place = round(y.at(tick));
    return html`<path class="grid" d="M${AREA.left},${place}H${AREA.right}"/><text x="${AREA.left - 6}" y="${place + 4}" text-anchor="end">${axisNumber(tick)}</text>`;
  });
  const joins = pairs.map(
    (pair) => html`<path class="join" d="M${LEFT},${round(y.at(pair.base))}L${RIGHT},${round(y.at(pair.other))}"/>`,
  );
  const dots = (arm: ArmView, x: number, figure: (pair: PairPoint) => number): Html =>
    html`<g class="${armClass(arm.index)}">${pairs.map(
      (pair) =>
        html`<path class="dot" transform="translate(${x},${round(y.at(figure(pair)))})" d="${markerPath(arm.index, 60)}"><title>pair ${pair.pair + 1}: ${formatNumber(figure(pair))}/s</title></path>`,
    )}</g>`;
  const title = "Goodput, pair by pair";
  const description = pairs
    .map((pair) => `Pair ${pair.pair + 1}: ${formatNumber(pair.base)} to ${formatNumber(pair.other)} per second.`)
    .join(" ");
  return drawing(
    ids,
    title,
    description,
    PLOT.height,
    html`${grid}<path class="axis" d="M${AREA.left},${AREA.bottom}H${AREA.right}"/><text class="name" x="2" y="14">${title}</text><text x="2" y="32">per second</text><text class="strong" x="${LEFT}" y="${AREA.bottom + 18}" text-anchor="middle">${shorten(base.name, 24)}</text><text class="strong" x="${RIGHT}" y="${AREA.bottom + 18}" text-anchor="middle">${shorten(other.name, 24)}</text><g class="s-offered">${joins}</g>${dots(base, LEFT, (pair) => pair.base)}${dots(other, RIGHT, (pair) => pair.other)}`,
  );
}
