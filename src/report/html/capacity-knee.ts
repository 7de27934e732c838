/** What an offer does to latency, failures and goodput: the windows of the search by their offer. */

import { formatCount, formatNumber, formatPercent, NONE } from "../../figures/number-format.ts";
import type { Capacity } from "../../result/governor-schema.ts";
import { dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { legend, lineItem, pathItem } from "./legend.ts";
import { ACROSS, AREA, plot, round, UPWARDS } from "./plot.ts";
import { exactScale, linearScale, logScale, type Scale } from "./scales.ts";
import { linePath, markerPath } from "./shapes.ts";
import type { Subject } from "./subject.ts";
import { axisNumber } from "./time-plot.ts";

type KneeRow = Capacity["knee"][number];

/** Latencies that span more are drawn by even factors. */
const LINEAR_UP_TO = 15;
const SHORTEST_MS = 0.001;

interface Curve {
  readonly className: string;
  /** The shape of its marks. */
  readonly marker: number;
  readonly of: (row: KneeRow) => number | null;
}

const P50: Curve = { className: "s-ok", marker: 0, of: ({ p50Ms }) => p50Ms };
const P99: Curve = { className: "s-offer", marker: 2, of: ({ p99Ms }) => p99Ms };
const FAILED: Curve = { className: "o-failed", marker: 1, of: ({ failedShare }) => failedShare };
const GOODPUT: Curve = { className: "s-ok", marker: 0, of: ({ goodput }) => goodput };

export function kneeFigure({ ids }: Subject, capacity: Capacity): Html {
  const { knee, control, failureBound, kneeOffer } = capacity;
  const most = Math.max(capacity.offer, ...knee.map(({ offer }) => offer));
  const x = exactScale([0, most * 1.04], ACROSS, 5);
  const table = ids("knee");
  const unit = control === "rate" ? "offer, calls per second" : "offer, calls at once";
  const timeless = knee.every(({ p50Ms, p99Ms }) => (p50Ms ?? 0) === 0 && (p99Ms ?? 0) === 0);
  const frame = { ids, capacity, x, unit };
  return figureBlock({
    plots: [...(timeless ? [] : [latencyPlot(frame)]), failurePlot(frame), goodputPlot(frame)],
    legend: legend([
      ...(timeless ? [] : [markedItem(P50, "p50 service"), markedItem(P99, "p99 service")]),
      markedItem(FAILED, "attempts that failed"),
      pathItem("limit", `the failure bound, ${formatPercent(failureBound)}`),
      markedItem(GOODPUT, "goodput"),
      ...(control === "rate" ? [pathItem("theory", "all that is offered")] : []),
      pathItem("rest", capacity.held ? "where the offer came to rest" : "the last offers, which did not come to rest"),
      ...(kneeOffer === null ? [] : [pathItem("edge", "the knee: the median latency has doubled")]),
    ]),
    caption: html`Each mark is the windows of about the same offer: latencies are medians over them.${timeless && " Every accepted attempt took no time at all: the simulated backend has no latency, and so no knee."}`,
    table: dataTable({
      caption: "By offer; service times in ms",
      id: table,
      head: [
        control === "rate" ? "offer, per s" : "offer, calls at once",
        "windows",
        "goodput, per s",
        "failed",
        "p50",
        "p99",
      ],
      rows: knee.map((row) => ({
        at: x.at(row.offer),
        cells: [
          formatNumber(row.offer),
          formatCount(row.windows),
          formatNumber(row.goodput),
          formatPercent(row.failedShare),
          row.p50Ms === null ? NONE : formatNumber(row.p50Ms),
          row.p99Ms === null ? NONE : formatNumber(row.p99Ms),
        ],
      })),
    }),
    readout: table,
  });
}

interface Frame {
  readonly ids: Ids;
  readonly capacity: Capacity;
  readonly x: Scale;
  /** The label of the axis across. */
  readonly unit: string;
}

function latencyPlot({ ids, capacity, x, unit }: Frame): Html {
  const { knee } = capacity;
  const values = knee.flatMap(({ p50Ms, p99Ms }) => [p50Ms ?? [], p99Ms ?? []].flat());
  const high = Math.max(SHORTEST_MS, ...values);
  const low = Math.max(SHORTEST_MS, Math.min(high, ...values.filter((value) => value > 0)));
  const y = high / low > LINEAR_UP_TO ? logScale([low, high * 1.2], UPWARDS) : linearScale([0, high], UPWARDS, 4);
  return plot(ids, {
    title: "Latency against offer",
    description: `${knee.map((row) => `At ${formatNumber(row.offer)}: p50 ${orNone(row.p50Ms)} ms, p99 ${orNone(row.p99Ms)} ms.`).join(" ")}`,
    x: { label: unit, scale: x, format: axisNumber },
    y: { label: "ms", scale: y, format: axisNumber },
    marks: html`${placeMarks(capacity, x)}${curveMarks(P99, knee, x, y)}${curveMarks(P50, knee, x, y)}`,
  });
}

function failurePlot({ ids, capacity, x, unit }: Frame): Html {
  const { knee, failureBound } = capacity;
  const most = Math.max(failureBound, ...knee.map(({ failedShare }) => failedShare));
  const y = linearScale([0, Math.min(1, most * 1.06)], UPWARDS, 4);
  return plot(ids, {
    title: "Failures against offer",
    description: `${knee.map((row) => `At ${formatNumber(row.offer)}: ${formatPercent(row.failedShare)} of the attempts failed.`).join(" ")}`,
    x: { label: unit, scale: x, format: axisNumber },
    y: { label: "share of the attempts", scale: y, format: (value) => `${axisNumber(100 * value)}%` },
    marks: html`<path class="limit" d="M${AREA.left},${round(y.at(failureBound))}H${AREA.right}"/>${placeMarks(capacity, x)}${curveMarks(FAILED, knee, x, y)}`,
  });
}

function goodputPlot({ ids, capacity, x, unit }: Frame): Html {
  const { knee, control } = capacity;
  const top = Math.max(1, ...knee.map(({ goodput }) => goodput));
  const y = linearScale([0, top * 1.04], UPWARDS, 4);
  // The diagonal ends where the plot does.
  const end = Math.min(x.domain[1], y.domain[1]);
  const all =
    control === "rate" &&
    html`<path class="theory" d="M${round(x.at(0))},${round(y.at(0))}L${round(x.at(end))},${round(y.at(end))}"/>`;
  return plot(ids, {
    title: "Goodput against offer",
    description: `${knee.map((row) => `At ${formatNumber(row.offer)}: ${formatNumber(row.goodput)} per second.`).join(" ")}`,
    x: { label: unit, scale: x, format: axisNumber },
    y: { label: "calls ok per second", scale: y, format: axisNumber },
    marks: html`${all}${placeMarks(capacity, x)}${curveMarks(GOODPUT, knee, x, y)}`,
  });
}

/** Where the offer was in the end, and where the knee lies. */
function placeMarks({ offer, kneeOffer }: Capacity, x: Scale): Html {
  const upright = (className: string, value: number): Html =>
    html`<path class="${className}" d="M${round(x.at(value))},${AREA.top}V${AREA.bottom}"/>`;
  return html`${upright("rest", offer)}${kneeOffer !== null && upright("edge", kneeOffer)}`;
}

function curveMarks({ className, marker, of }: Curve, rows: readonly KneeRow[], x: Scale, y: Scale): Html {
  const points = rows.map((row) => {
    const value = of(row);
    return value === null ? undefined : { x: round(x.at(row.offer)), y: round(y.at(value)) };
  });
  return html`<g class="${className}"><path class="line" d="${linePath(points)}"/>${points.map((point) => point !== undefined && html`<path class="dot" transform="translate(${point.x},${point.y})" d="${markerPath(marker, 34)}"/>`)}</g>`;
}

function markedItem({ className, marker }: Curve, label: string): ReturnType<typeof lineItem> {
  const { swatch } = lineItem(className, label);
  return {
    swatch: html`${swatch}<g class="${className}"><path class="dot" transform="translate(15,7)" d="${markerPath(marker, 34)}"/></g>`,
    label,
  };
}

function orNone(value: number | null): string {
  return value === null ? NONE : formatNumber(value);
}
