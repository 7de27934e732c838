/** The governor's trace: the offer and what came of it, window by window, with every back-off. */

import { formatCount, formatNumber, formatPercent, formatSeconds, NONE } from "../../figures/number-format.ts";
import type { Governed, GovernedWindowRow } from "../../result/governor-schema.ts";
import { restOf } from "../../stats/at-rest.ts";
import { dataTable, type Row } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { type LegendItem, legend, lineItem, pathItem, zoneItem } from "./legend.ts";
import { ACROSS, AREA, plot, round, UPWARDS } from "./plot.ts";
import { exactScale, linearScale, type Scale } from "./scales.ts";
import { linePath, type Point } from "./shapes.ts";
import type { Subject } from "./subject.ts";
import { axisNumber } from "./time-plot.ts";

type GovernorEvent = Governed["events"][number];

/** A back-off: its number on the plot and in the table, and where it lies. */
interface Cut {
  readonly number: number;
  readonly event: GovernorEvent;
  readonly offer: number;
}

/** More events are folded away. */
const OPEN_ROWS_MAX = 14;
/** Room that the number of a mark takes. */
const NUMBER_WIDTH = 15;
const CUT_PATH = "M-5,-9H5L0,0Z";
const CLEARED_PATH = "M-5,0L0,-5L5,0L0,5Z";

export function traceFigure(subject: Subject, governed: Governed): Html {
  const { windows, control, high, low } = governed;
  const last = windows.at(-1);
  if (last === undefined) return html`<p>No window came to its end.</p>`;
  const x = exactScale([0, last.toSeconds], ACROSS, 6);
  const table = subject.ids("governor-windows");
  const cleared = governed.events.some(({ kind }) => kind === "cleared");
  return figureBlock({
    plots: [...offerPlots(subject.ids, governed, x), failurePlot(subject.ids, governed, x)],
    legend: legend([
      lineItem("s-offer", control === "rate" ? "offer" : "offer, calls at once"),
      lineItem("s-ok", "goodput"),
      lineItem("s-offered", "the offer remembered as bad"),
      markItem(
        "tone-bad",
        html`<path class="cut" transform="translate(15,12)" d="${CUT_PATH}"/>`,
        "back-off, with its number in the table",
      ),
      ...(cleared
        ? [
            markItem(
              "tone-good",
              html`<path class="cut" transform="translate(15,7)" d="${CLEARED_PATH}"/>`,
              "that offer was forgotten",
            ),
          ]
        : []),
      lineItem("o-failed", "attempts that failed"),
      pathItem("limit", `bounds: ${formatPercent(low)} and ${formatPercent(high)}`),
      zoneItem("shade", "the windows that the figures are of"),
    ]),
    caption: html`A step is a window of ${formatSeconds(governed.windowSeconds)}. Goodput and failures are those of the calls and attempts that ended in it.${control === "concurrency" && " With so many calls at once each next call waits for the one before it: response times are those of a closed loop."}`,
    table: windowTable(governed, x, table),
    readout: table,
  });
}

function markItem(className: string, swatch: Html, label: string): LegendItem {
  return { swatch: html`<g class="${className}">${swatch}</g>`, label };
}

/** A rate and its goodput share an axis; calls at once have another unit. */
function offerPlots(ids: Ids, governed: Governed, x: Scale): Html[] {
  const { control, windows } = governed;
  switch (control) {
    case "rate":
      return [offerPlot(ids, governed, x, "Offer and goodput", "per second", [goodputLine(windows)])];
    case "concurrency":
      return [offerPlot(ids, governed, x, "Offer", "calls at once", []), goodputPlot(ids, governed, x)];
    default:
      return control satisfies never;
  }
}

interface PlacedValue {
  readonly second: number;
  readonly value: number;
}

function goodputLine(windows: readonly GovernedWindowRow[]): PlacedValue[] {
  return windows.map((window) => ({ second: middleOf(window), value: goodputOf(window) }));
}

function offerPlot(
  ids: Ids,
  governed: Governed,
  x: Scale,
  title: string,
  unit: string,
  others: readonly (readonly PlacedValue[])[],
): Html {
  const { windows } = governed;
  const cuts = cutsOf(governed);
  const tops = [
    ...windows.flatMap(({ offer, lastBad }) => [offer, lastBad ?? 0]),
    ...others.flat().map(({ value }) => value),
  ];
  // Room for the marks above the line.
  const y = linearScale([0, Math.max(1, ...tops) * 1.08], UPWARDS, 4);
  const bad = windows.flatMap(({ fromSeconds, toSeconds }, index): (Point | undefined)[] => {
    // Remembered at the end of a window, it holds in the next one.
    const lastBad = windows[index - 1]?.lastBad ?? null;
    if (lastBad === null) return [undefined];
    return [
      { x: x.at(fromSeconds), y: y.at(lastBad) },
      { x: x.at(toSeconds), y: y.at(lastBad) },
    ];
  });
  return plot(ids, {
    title,
    description: traceText(governed, cuts),
    x: { label: "second of the trial", scale: x, format: axisNumber },
    y: { label: unit, scale: y, format: axisNumber },
    ground: restGround(governed, x),
    marks: html`<g class="s-offered"><path class="line" d="${linePath(bad)}"/></g><g class="s-offer"><path class="line" d="${linePath(steps(windows, x, (window) => y.at(window.offer)))}"/></g>${others.map((line) => html`<g class="s-ok"><path class="line" d="${linePath(line.map(({ second, value }) => ({ x: x.at(second), y: y.at(value) })))}"/></g>`)}${eventMarks(governed, cuts, x, y)}`,
  });
}

function goodputPlot(ids: Ids, governed: Governed, x: Scale): Html {
  const values = goodputLine(governed.windows);
  const y = linearScale([0, Math.max(1, ...values.map(({ value }) => value))], UPWARDS, 4);
  return plot(ids, {
    title: "Goodput",
    description: `Calls that ended ok per second in each window, at most ${formatNumber(Math.max(...values.map(({ value }) => value)))}.`,
    x: { label: "second of the trial", scale: x, format: axisNumber },
    y: { label: "per second", scale: y, format: axisNumber },
    ground: restGround(governed, x),
    marks: html`<g class="s-ok"><path class="line" d="${linePath(values.map(({ second, value }) => ({ x: x.at(second), y: y.at(value) })))}"/></g>`,
  });
}

function failurePlot(ids: Ids, governed: Governed, x: Scale): Html {
  const { windows, high, low } = governed;
  const shares = windows.map((window) => ({ window, share: failedShareOf(window) }));
  const most = Math.max(high, ...shares.map(({ share }) => share ?? 0));
  const y = linearScale([0, Math.min(1, most * 1.06)], UPWARDS, 4);
  const points = shares.flatMap(({ window: { fromSeconds, toSeconds }, share }): (Point | undefined)[] =>
    share === undefined
      ? [undefined]
      : [
          { x: x.at(fromSeconds), y: y.at(share) },
          { x: x.at(toSeconds), y: y.at(share) },
        ],
  );
  return plot(ids, {
    title: "Attempts that failed",
    description: `The share of the attempts of each window that failed, at most ${formatPercent(most)}; the offer is lowered above ${formatPercent(high)} and raised below ${formatPercent(low)}.`,
    x: { label: "second of the trial", scale: x, format: axisNumber },
    y: { label: "share of the attempts that ended", scale: y, format: (value) => `${axisNumber(100 * value)}%` },
    ground: restGround(governed, x),
    marks: html`${[low, high].map((bound) => html`<path class="limit" d="M${AREA.left},${round(y.at(bound))}H${AREA.right}"/>`)}<g class="o-failed"><path class="line" d="${linePath(points)}"/></g>`,
  });
}

/** The windows at rest, which the figures are of. */
function restGround(governed: Governed, x: Scale): Html {
  const [first] = restOf(governed.windows, governed);
  if (first === undefined) return EMPTY;
  const left = round(x.at(first.fromSeconds));
  return html`<rect class="shade" x="${left}" y="${AREA.top}" width="${round(AREA.right - left)}" height="${AREA.bottom - AREA.top}"/>`;
}

function steps(
  windows: readonly GovernedWindowRow[],
  x: Scale,
  height: (window: GovernedWindowRow) => number,
): Point[] {
  return windows.flatMap((window) => [
    { x: x.at(window.fromSeconds), y: height(window) },
    { x: x.at(window.toSeconds), y: height(window) },
  ]);
}

function eventMarks({ events, windows }: Governed, cuts: readonly Cut[], x: Scale, y: Scale): Html {
  let taken = Number.NEGATIVE_INFINITY;
  const marks = cuts.map(({ number, event, offer }) => {
    const place = round(x.at(event.atSeconds));
    const top = round(y.at(offer));
    const isNumbered = place - taken >= NUMBER_WIDTH;
    if (isNumbered) taken = place;
    return html`<g class="tone-bad"><path class="cut" transform="translate(${place},${top})" d="${CUT_PATH}"><title>${formatNumber(event.atSeconds)} s: ${event.text}</title></path>${isNumbered && html`<text class="strong over" x="${place}" y="${round(top - 12)}" text-anchor="middle">${number}</text>`}</g>`;
  });
  const cleared = events
    .filter(({ kind }) => kind === "cleared")
    .map(
      ({ atSeconds, text }) =>
        html`<g class="tone-good"><path class="cut" transform="translate(${round(x.at(atSeconds))},${round(y.at(offerAt(windows, atSeconds)))})" d="${CLEARED_PATH}"><title>${formatNumber(atSeconds)} s: ${text}</title></path></g>`,
    );
  return html`${marks}${cleared}`;
}

function cutsOf({ events, windows }: Governed): Cut[] {
  return events
    .filter(({ kind }) => kind === "down")
    .map((event, index) => ({ number: index + 1, event, offer: offerAt(windows, event.atSeconds) }));
}

/** The offer in force when something was decided: that of the window which had just ended. */
function offerAt(windows: readonly GovernedWindowRow[], atSeconds: number): number {
  const ended = windows.filter(({ toSeconds }) => toSeconds <= atSeconds + 1e-6).at(-1);
  return (ended ?? windows[0])?.offer ?? 0;
}

function traceText({ windows, control }: Governed, cuts: readonly Cut[]): string {
  const offers = windows.map(({ offer }) => offer);
  const unit = control === "rate" ? "per second" : "calls at once";
  const told = cuts.map(({ event }) => `At ${formatNumber(event.atSeconds)} s: ${event.text}.`).join(" ");
  return `The offer went from ${formatNumber(offers[0] ?? 0)} to ${formatNumber(offers.at(-1) ?? 0)} ${unit}, at most ${formatNumber(Math.max(...offers))}. ${cuts.length === 0 ? "It was never lowered." : told}`;
}

function windowTable(governed: Governed, x: Scale, id: string): Html {
  const rows = governed.windows.map(
    (window): Row => ({
      at: x.at(middleOf(window)),
      cells: [
        formatNumber(window.toSeconds),
        formatNumber(window.offer),
        formatNumber(goodputOf(window)),
        shareText(failedShareOf(window)),
        formatCount(window.sent),
        ms(window.p50Ms),
        ms(window.p99Ms),
        window.lastBad === null ? NONE : formatNumber(window.lastBad),
        { prose: DECISION_TEXT[window.decision] },
      ],
    }),
  );
  return dataTable({
    caption: `The governor's windows; service times in ms of the accepted attempts that ended in them`,
    id,
    head: [
      "until second",
      governed.control === "rate" ? "offer, per s" : "offer, calls at once",
      "goodput, per s",
      "failed",
      "sent",
      "p50",
      "p99",
      "bad offer",
      { prose: "then" },
    ],
    rows,
  });
}

const DECISION_TEXT: Readonly<Record<GovernedWindowRow["decision"], string>> = {
  up: "▲ raised",
  down: "▼ lowered",
  hold: "held",
  none: "nothing to decide",
};

/** What the governor said, line by line; the numbers are those of the marks. Of many lines those of the marks are not folded away. */
export function eventTable(governed: Governed): Html {
  const { events } = governed;
  if (events.length === 0) return EMPTY;
  const numbers = new Map(cutsOf(governed).map(({ event, number }) => [event, number]));
  const table = (shown: readonly GovernorEvent[], caption: string): Html =>
    dataTable({
      caption,
      head: ["second", { prose: "Mark" }, { prose: "Line" }],
      rows: shown.map((event) => ({
        cells: [formatNumber(event.atSeconds), { prose: markText(event, numbers.get(event)) }, { prose: event.text }],
      })),
    });
  if (events.length <= OPEN_ROWS_MAX) return table(events, "What the governor did, in its own words");
  const marked = events.filter((event) => numbers.has(event) || event.kind === "cleared" || event.kind === "refused");
  const shown = marked.slice(0, OPEN_ROWS_MAX);
  const more = marked.length > shown.length ? `, the first ${shown.length} of ${marked.length}` : "";
  return html`${shown.length > 0 && table(shown, `What the governor said of the marks, in its own words${more}`)}<details><summary>All ${formatCount(events.length)} lines of the governor</summary>${table(events, "What the governor did, in its own words")}</details>`;
}

function markText({ level, kind }: GovernorEvent, number: number | undefined): Html {
  if (number !== undefined) return html`<span class="mark tone-bad">▼ ${number}</span>`;
  if (kind === "cleared") return html`<span class="mark tone-good">◆</span>`;
  return level === "warn" ? html`<span class="mark tone-doubt">!</span>` : EMPTY;
}

function middleOf({ fromSeconds, toSeconds }: GovernedWindowRow): number {
  return (fromSeconds + toSeconds) / 2;
}

function goodputOf({ ok, fromSeconds, toSeconds }: GovernedWindowRow): number {
  return toSeconds > fromSeconds ? ok / (toSeconds - fromSeconds) : 0;
}

/** undefined where no attempt ended. */
function failedShareOf({ successes, failures }: GovernedWindowRow): number | undefined {
  const ended = successes + failures;
  return ended === 0 ? undefined : failures / ended;
}

function shareText(share: number | undefined): string {
  return share === undefined ? NONE : formatPercent(share);
}

function ms(value: number | null): string {
  return value === null ? NONE : formatNumber(value);
}
