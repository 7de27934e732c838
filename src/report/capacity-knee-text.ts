/** Latency against offer, as a plot of a few lines of text. */

import { formatCount, formatNumber, formatPercent, NONE } from "../figures/number-format.ts";
import type { Capacity } from "../result/governor-schema.ts";
import { displayWidth } from "./display-width.ts";
import { renderTable } from "./table.ts";

/** Of a text report's line. */
const WIDTH = 80;
/** More are thinned out, evenly. */
const ROWS_MAX = 16;
const GAP = 2;
/** From the smallest to the greatest p99 so many times: beyond, bars grow with the logarithm. */
const LINEAR_MAX = 20;

type Point = Capacity["knee"][number];

/** A line for each offer, from the lowest on: the bar is the median latency, the dots go on to the 99th percentile. */
export function kneeLines({ knee, control, kneeOffer }: Capacity): string[] {
  const rows = thinned(knee);
  if (rows.length < 2) return [];
  const table = renderTable(
    [
      [control === "rate" ? "offer/s" : "at once", "ok/s", "failed", "p50 ms", "p99 ms"],
      ...rows.map(({ offer, goodput, failedShare, p50Ms, p99Ms }) => [
        Number.isInteger(offer) ? formatCount(offer) : formatNumber(offer),
        formatNumber(goodput),
        formatPercent(failedShare),
        p50Ms === null ? NONE : formatNumber(p50Ms),
        p99Ms === null ? NONE : formatNumber(p99Ms),
      ]),
    ],
    { align: ["right"], gap: GAP },
  );
  const [head = "", ...lines] = table;
  const room = WIDTH - 2 * GAP - Math.max(...table.map(displayWidth));
  const scale = scaleOf(rows, room);
  const width = Math.max(...table.map(displayWidth));
  return [
    "Latency of accepted attempts against the offer",
    `  ${head.padEnd(width)}  ${scale.text}`,
    ...lines.map((line, index) => {
      const point = rows[index] as Point;
      const mark = kneeOffer !== null && point.offer === kneeOffer ? ">" : " ";
      return `${mark} ${line.padEnd(width)}  ${barOf(point, scale.columns)}`;
    }),
    ...(kneeOffer === null ? [] : ["  > from here on the median latency is twice that at low offers or more"]),
  ];
}

interface Scale {
  readonly text: string;
  columns(ms: number): number;
}

/** From 0 on, unless the latencies lie so far apart that the small ones would vanish. */
function scaleOf(points: readonly Point[], room: number): Scale {
  const known = points.flatMap(({ p50Ms, p99Ms }) => [p50Ms, p99Ms]).filter((ms) => ms !== null && ms > 0) as number[];
  const most = Math.max(...known, Number.MIN_VALUE);
  const least = Math.min(...known, most);
  if (most <= LINEAR_MAX * least) {
    return { text: "bar: p50, dots: to p99", columns: (ms) => Math.round((ms / most) * room) };
  }
  // Halvings, counted with a fraction: no logarithm is the same everywhere.
  const span = halvings(most, least) + 1;
  return {
    text: "bar: p50, dots: to p99 (log)",
    columns: (ms) => (ms <= 0 ? 0 : Math.round(((span - halvings(most, ms)) / span) * room)),
  };
}

/** log2(from / to), between whole ones straight. */
function halvings(from: number, to: number): number {
  let count = 0;
  let ratio = from / to;
  while (ratio >= 2) {
    ratio /= 2;
    count += 1;
  }
  return count + ratio - 1;
}

function barOf({ p50Ms, p99Ms }: Point, columns: Scale["columns"]): string {
  if (p50Ms === null) return "";
  const median = columns(p50Ms);
  return "█".repeat(median) + "·".repeat(Math.max(0, columns(p99Ms ?? p50Ms) - median));
}

function thinned(points: readonly Point[]): readonly Point[] {
  if (points.length <= ROWS_MAX) return points;
  return Array.from({ length: ROWS_MAX }, (_, row) => {
    return points[Math.round((row * (points.length - 1)) / (ROWS_MAX - 1))] as Point;
  });
}
