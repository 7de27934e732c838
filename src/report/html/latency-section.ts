/** How long calls and attempts took. */

import { formatFigure, latencyFigure, medianFigure, type Quantile } from "../../figures/figure.ts";
import { formatCount, formatNumber, NONE } from "../../figures/number-format.ts";
import type { LatencySummary, TrialResult } from "../../result/schema.ts";
import { nameText, shorten } from "./arm-name.ts";
import { type Cell, dataTable, type Row } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { armItem, legend } from "./legend.ts";
import { notableArms, notableNote } from "./notable-arms.ts";
import { type Curve, curveOf, pointAt } from "./percentile-curve.ts";
import { type ArmCurve, oddsScale, percentilePlot, valueScale } from "./percentile-plot.ts";
import { section } from "./section.ts";
import type { ArmView, Subject } from "./subject.ts";

type Read = (trial: TrialResult) => LatencySummary | undefined;

const RESPONSE: Read = ({ latency }) => latency.response.ok;
const SERVICE: Read = ({ latency }) => latency.service.accepted;

/** By what 1 / (1 - share) is, which the curves have points at. */
const ROWS: readonly (readonly [label: string, odds: number])[] = [
  ["50 %", 2],
  ["75 %", 4],
  ["90 %", 10],
  ["95 %", 20],
  ["99 %", 100],
  ["99.9 %", 1000],
  ["99.99 %", 10_000],
];

const ALL: readonly (readonly [label: string, read: Read])[] = [
  ["response, ok calls", RESPONSE],
  ["response, failed calls", ({ latency }) => latency.response.failed],
  ["response, calls out of retry budget", ({ latency }) => latency.response.budget],
  ["response, throttled calls", ({ latency }) => latency.response.throttled],
  ["response, calls at an open breaker", ({ latency }) => latency.response.broken],
  ["response, calls at a full limiter", ({ latency }) => latency.response.limited],
  ["response, calls past their deadline", ({ latency }) => latency.response.deadline],
  ["response, unfinished calls", ({ latency }) => latency.response.unfinished],
  ["service, accepted attempts", SERVICE],
  ["service, overloaded attempts", ({ latency }) => latency.service.overloaded],
  ["service, failed attempts", ({ latency }) => latency.service.failed],
  ["wait for a connection", ({ latency }) => latency.wait],
];

const QUANTILES: readonly Quantile[] = ["p50Ms", "p90Ms", "p99Ms", "p999Ms", "maxMs"];

export function latencySection(subject: Subject): Html {
  const arms = notableArms(subject);
  const response = curvesOf(arms, RESPONSE, subject);
  const service = curvesOf(arms, SERVICE, subject);
  const curves = [...response, ...service];
  if (
    !ALL.some(([, read]) => subject.arms.some(({ trials }) => trials.some((trial) => (read(trial)?.count ?? 0) > 0)))
  ) {
    return EMPTY;
  }
  const timeless = curves.every(({ curve }) => curve.points.every(({ valueMs }) => valueMs === 0));
  const body =
    curves.length === 0
      ? html`<p>No call came back ok, so there is no response time to show; how long the others took stands below.</p>`
      : timeless
        ? html`<p>Every accepted attempt took no time at all: the simulated backend has no latency.</p>`
        : curvesFigure(subject, arms, response, service);
  return section(subject, "Latency", html`${body}${allTable(subject)}`);
}

function curvesOf(arms: readonly ArmView[], read: Read, { decode }: Subject): ArmCurve[] {
  return arms.flatMap((arm) => {
    const curve = curveOf(arm.trials.map(read), decode);
    return curve === undefined ? [] : [{ arm, curve }];
  });
}

function curvesFigure(
  subject: Subject,
  arms: readonly ArmView[],
  response: readonly ArmCurve[],
  service: readonly ArmCurve[],
): Html {
  const x = oddsScale([...response, ...service]);
  const y = valueScale([...response, ...service]);
  const table = subject.ids("percentiles");
  const columns = [
    ...response.map(({ arm, curve }) => ({ head: `${shorten(arm.name, 24)}: response`, curve })),
    ...service.map(({ arm, curve }) => ({ head: `${shorten(arm.name, 24)}: service`, curve })),
  ];
  const most = Math.max(...columns.map(({ curve }) => curve.count));
  const rows: Row[] = [
    ...ROWS.filter(([, odds]) => odds < most).map(([label, odds]) => ({
      at: x.at(odds),
      cells: [label, ...columns.map(({ curve }): Cell => valueText(curve, 1 - 1 / odds))],
    })),
    { at: x.at(most), cells: ["the largest", ...columns.map(({ curve }): Cell => valueText(curve, 1))] },
    { cells: ["values", ...columns.map(({ curve }) => formatCount(curve.count))] },
  ];
  return figureBlock({
    plots: [
      percentilePlot(
        subject.ids,
        "Response of ok calls",
        `From the time at which a call was due to its end, retries and waiting included. ${curveText(response)}`,
        response,
        x,
        y,
      ),
      percentilePlot(
        subject.ids,
        "Service of accepted attempts",
        `From sending an attempt to its answer. ${curveText(service)}`,
        service,
        x,
        y,
      ),
    ],
    legend: legend(arms.map(armItem)),
    caption: html`Each further nine takes the same room. All trials of an arm together${subject.decode === undefined && ", by the percentiles that the result stores (medians over the trials)"}; both axes are the same on both sides. What lies between the two is waiting: for a connection, for a retry, or for the generator.${notableNote(subject, arms)}${columns.some(({ curve }) => curve.points.some(({ lowerBound }) => lowerBound)) && " Dotted, with a hollow mark: lower bounds."}`,
    table: dataTable({
      caption: "Milliseconds at or below which a share of the values lies",
      id: table,
      head: ["share", ...columns.map(({ head }) => head)],
      rows,
    }),
    readout: table,
  });
}

function valueText(curve: Curve, share: number): string {
  const point = pointAt(curve, share);
  return point === undefined ? NONE : formatFigure({ value: point.valueMs, lowerBound: point.lowerBound });
}

function curveText(curves: readonly ArmCurve[]): string {
  return curves
    .map(
      ({ arm, curve }) =>
        `${shorten(arm.name)}: median ${valueText(curve, 0.5)} ms, 99 % ${valueText(curve, 0.99)} ms, largest ${valueText(curve, 1)} ms.`,
    )
    .join(" ");
}

function allTable({ arms }: Subject): Html {
  const rows = arms.flatMap((arm) =>
    ALL.flatMap(([label, read]) => {
      const known = arm.trials.map(read).filter((latency) => latency !== undefined && latency.count > 0);
      if (known.length === 0) return [];
      const count = known.reduce((total, latency) => total + (latency?.count ?? 0), 0);
      return [
        {
          cells: [
            ...(arms.length > 1 ? [nameText(arm.name)] : []),
            ...(arms.length > 1 ? [{ prose: label }] : [label]),
            ...QUANTILES.map((quantile) =>
              formatFigure(medianFigure(known.map((latency) => latencyFigure(latency, quantile))), formatNumber),
            ),
            formatCount(count),
          ],
        },
      ];
    }),
  );
  const table = dataTable({
    caption:
      "Milliseconds, medians over the trials; ≥ marks lower bounds: what timed out or never finished took at least that long",
    head: [...(arms.length > 1 ? ["Arm", { prose: "What" }] : ["What"]), "p50", "p90", "p99", "p99.9", "max", "values"],
    rows,
  });
  return html`<details><summary>All distributions: calls that failed, attempts that were rejected, waiting</summary>${table}</details>`;
}
