/** Horizontal bars of shares that add up to one, a bar a row, each under its label. */

import { formatPercent } from "../../figures/number-format.ts";
import { shorten } from "./arm-name.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { drawing, PLOT, round } from "./plot.ts";

export interface Segment {
  readonly className: string;
  readonly share: number;
}

export interface StackedBar {
  readonly label: string;
  readonly segments: readonly Segment[];
  /** At the right end of the label's line. */
  readonly note?: string;
}

const ROW = 42;
const BAR = 19;
const TOP = 26;
/** A narrower segment has no room for its share. */
const LABELLED_FROM = 40;

export function stackedBars(ids: Ids, title: string, description: string, bars: readonly StackedBar[]): Html {
  const rows = bars.map((bar, index) => barRow(bar, TOP + ROW * index));
  return drawing(
    ids,
    title,
    description,
    TOP + ROW * bars.length,
    html`<text class="name" x="2" y="14">${title}</text>${rows}`,
  );
}

function barRow({ label, segments, note }: StackedBar, top: number): Html {
  let left = 0;
  const pieces = segments.map(({ className, share }) => {
    const width = share * PLOT.width;
    const piece = html`<g class="${className}"><rect class="segment" x="${round(left)}" y="${top + 17}" width="${round(width)}" height="${BAR}"/>${width >= LABELLED_FROM && html`<text class="on" x="${round(left + width / 2)}" y="${top + 31}" text-anchor="middle">${formatPercent(share)}</text>`}</g>`;
    left += width;
    return piece;
  });
  return html`<text class="strong" x="2" y="${top + 12}">${shorten(label, note === undefined ? 60 : 40)}</text>${note !== undefined && html`<text x="${PLOT.width - 2}" y="${top + 12}" text-anchor="end">${note}</text>`}${pieces}`;
}
