/** Rates over the seconds of the trial. */

import { formatNumber } from "../../figures/number-format.ts";
import type { TrialResult } from "../../result/schema.ts";
import type { Bin, SeriesKey } from "./arm-series.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { ACROSS, plot, UPWARDS } from "./plot.ts";
import { exactScale, linearScale, type Scale } from "./scales.ts";
import { timeGround, timeLabels } from "./script-marks.ts";
import { bandPath, linePath } from "./shapes.ts";

/** A line, with the space between the least and the most of its trials. */
export interface TimeLine {
  readonly className: string;
  /** Lets the reader hide it. */
  readonly series: string;
  readonly bins: readonly Bin[];
  readonly key: SeriesKey;
  readonly band: boolean;
}

export interface TimePlotSpec {
  readonly title: string;
  readonly description: string;
  readonly lines: readonly TimeLine[];
  /** Of the trial whose phases and script are marked. */
  readonly trial: TrialResult;
  readonly lengthSeconds: number;
  /** The top of the axis, where plots are to be compared. */
  readonly top?: number;
}

/** Where a bin lies: its middle. */
export function timePlace(bin: Bin, x: Scale): number {
  return x.at(bin.second + bin.seconds / 2);
}

export function timeScale(lengthSeconds: number): Scale {
  return exactScale([0, lengthSeconds], ACROSS, 6);
}

export function timePlot(ids: Ids, spec: TimePlotSpec): Html {
  const x = timeScale(spec.lengthSeconds);
  const y = linearScale([0, spec.top ?? topOf(spec.lines)], UPWARDS, 4);
  return plot(ids, {
    title: spec.title,
    description: spec.description,
    x: { label: "second of the trial", scale: x, format: (value) => formatNumber(value).replace(/\.0+$/u, "") },
    y: { label: "per second", scale: y, format: axisNumber },
    ground: timeGround(spec.trial, x),
    marks: html`${spec.lines.map((line) => timeLine(line, x, y))}${timeLabels(spec.trial, x)}`,
  });
}

/** A tick's value: without the zeros that say nothing. */
export function axisNumber(value: number): string {
  return formatNumber(value)
    .replace(/(\.\d*?)0+$/u, "$1")
    .replace(/\.$/u, "");
}

export function topOf(lines: readonly Pick<TimeLine, "bins" | "key" | "band">[]): number {
  let top = 0;
  for (const { bins, key, band } of lines) {
    for (const bin of bins) {
      const spread = bin.of(key);
      top = Math.max(top, (band ? spread?.max : spread?.median) ?? 0);
    }
  }
  return top === 0 ? 1 : top;
}

function timeLine({ className, series, bins, key, band }: TimeLine, x: Scale, y: Scale): Html {
  const spreads = bins.map((bin) => ({ place: timePlace(bin, x), spread: bin.of(key) }));
  const line = linePath(
    spreads.map(({ place, spread }) => (spread === undefined ? undefined : { x: place, y: y.at(spread.median) })),
  );
  const outline = band
    ? bandPath(
        spreads.map(({ place, spread }) =>
          spread === undefined ? undefined : { x: place, low: y.at(spread.min), high: y.at(spread.max) },
        ),
      )
    : "";
  return html`<g class="${className}" data-series="${series}">${outline !== "" && html`<path class="band" d="${outline}"/>`}<path class="line dash" d="${line}"/></g>`;
}
