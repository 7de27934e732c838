/** Latency percentiles on an axis of 1 / (1 - p), on which each further nine takes the same room. */

import { formatNumber, formatPercent } from "../../figures/number-format.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { armClass } from "./palette.ts";
import type { Curve, CurvePoint } from "./percentile-curve.ts";
import { ACROSS, plot, round, UPWARDS } from "./plot.ts";
import { linearScale, logScale, type Scale } from "./scales.ts";
import { linePath, markerPath } from "./shapes.ts";
import type { ArmView } from "./subject.ts";
import { axisNumber } from "./time-plot.ts";

export interface ArmCurve {
  readonly arm: ArmView;
  readonly curve: Curve;
}

/** Values that span more than this are drawn by even factors. */
const LINEAR_UP_TO = 15;
/** Shorter times cannot be told apart in a result file. */
const SHORTEST_MS = 0.001;

/** Of all curves that are to be compared. */
export function oddsScale(curves: readonly ArmCurve[]): Scale {
  const most = Math.max(10, ...curves.map(({ curve }) => curve.count));
  const scale = logScale([1, most], ACROSS);
  const ticks = [2];
  for (let tick = 10; tick <= most; tick *= 10) ticks.push(tick);
  return { ...scale, ticks };
}

export function valueScale(curves: readonly ArmCurve[]): Scale {
  const values = curves.flatMap(({ curve }) => curve.points.map(({ valueMs }) => valueMs));
  const high = Math.max(SHORTEST_MS, ...values);
  const low = Math.max(SHORTEST_MS, Math.min(high, ...values.filter((value) => value > 0)));
  return high / low > LINEAR_UP_TO ? logScale([low, high * 1.2], UPWARDS) : linearScale([0, high], UPWARDS, 4);
}

export function percentilePlot(
  ids: Ids,
  title: string,
  description: string,
  curves: readonly ArmCurve[],
  x: Scale,
  y: Scale,
): Html {
  return plot(ids, {
    title,
    description,
    x: { label: "share of the values at or below", scale: x, format: shareOfOdds },
    y: { label: "ms", scale: y, format: axisNumber },
    marks: html`${curves.map(({ arm, curve }) => armMarks(arm, curve, x, y))}`,
  });
}

/** `99.9 %` of 1,000. */
export function shareOfOdds(odds: number): string {
  const nines = String(Math.round(odds)).length - 1;
  if (odds < 1000)
    return formatPercent(1 - 1 / odds)
      .replace(/\.0/u, "")
      .replace(" ", "");
  return `99.${"9".repeat(nines - 2)}%`;
}

function armMarks({ index }: ArmView, { points }: Curve, x: Scale, y: Scale): Html {
  const place = ({ odds, valueMs }: CurvePoint): { x: number; y: number } => ({ x: x.at(odds), y: y.at(valueMs) });
  const firstBound = points.findIndex(({ lowerBound }) => lowerBound);
  const measured = firstBound < 0 ? points : points.slice(0, firstBound);
  // From the last value that was measured on.
  const bounds = firstBound < 0 ? [] : points.slice(Math.max(0, firstBound - 1));
  const last = points.at(-1);
  const end = last === undefined ? undefined : place(last);
  return html`<g class="${armClass(index)}" data-series="arm-${index}"><path class="line dash" d="${linePath(measured.map(place))}"/>${bounds.length > 0 && html`<path class="line bound" d="${linePath(bounds.map(place))}"/>`}${end !== undefined && html`<path class="${last?.lowerBound === true ? "hollow" : "dot"}" transform="translate(${round(end.x)},${round(end.y)})" d="${markerPath(index)}"><title>${last?.lowerBound === true && "at least "}${formatNumber(last?.valueMs ?? 0)} ms at most</title></path>`}</g>`;
}
