/** Offered, sent and goodput over time. */

import { formatCount, formatNumber, NONE } from "../../figures/number-format.ts";
import { shorten } from "./arm-name.ts";
import { armSeries, type Bin, binSeconds, lengthSeconds, type SeriesKey } from "./arm-series.ts";
import { type Cell, dataTable, type Row } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { armItem, legend, lineItem } from "./legend.ts";
import { notableArms, notableNote, TOGETHER_MAX } from "./notable-arms.ts";
import { armClass } from "./palette.ts";
import { section } from "./section.ts";
import type { ArmView, Subject } from "./subject.ts";
import { type TimeLine, timePlace, timePlot, timeScale, topOf } from "./time-plot.ts";

const BINS_MAX = 300;
/** Of a small plot. */
const BINS_MAX_SMALL = 60;

const SERIES: readonly (readonly [SeriesKey, string, string])[] = [
  ["offered", "s-offered", "offered"],
  ["sentInSecond", "s-sent", "sent to the target"],
  ["ok", "s-ok", "goodput"],
];

export function timeSection(subject: Subject): Html {
  const length = lengthSeconds(subject.arms.flatMap(({ trials }) => trials));
  if (length === 0) return EMPTY;
  const { arms } = subject;
  const [only] = arms;
  const body =
    arms.length === 1 && only !== undefined
      ? soloFigure(subject, only, length)
      : arms.length <= TOGETHER_MAX
        ? jointFigure(subject, arms, length)
        : html`${jointFigure(subject, notableArms(subject), length)}${soloFigures(subject, length)}`;
  return section(subject, "Over time", body);
}

function jointFigure(subject: Subject, arms: readonly ArmView[], length: number): Html {
  const [first] = arms;
  if (first === undefined) return EMPTY;
  const width = binSeconds(
    arms.flatMap(({ trials }) => trials),
    BINS_MAX,
  );
  const series = arms.map((arm) => ({ arm, bins: armSeries(arm.trials, width, length) }));
  const offered: TimeLine = {
    className: "s-offered",
    series: "offered",
    bins: series[0]?.bins ?? [],
    key: "offered",
    band: false,
  };
  const lines = (key: SeriesKey): TimeLine[] =>
    series.map(({ arm, bins }) => ({
      className: armClass(arm.index),
      series: `arm-${arm.index}`,
      bins,
      key,
      band: arm.trials.length > 1,
    }));
  const names = arms.map(({ name }) => shorten(name)).join(", ");
  const table = subject.ids("over-time");
  const x = timeScale(length);
  const plots = [
    timePlot(subject.ids, {
      title: "Goodput",
      description: `Calls that came back ok by the second they were due, of ${names}, beside the calls offered.`,
      lines: [offered, ...lines("ok")],
      trial: first.first,
      lengthSeconds: length,
    }),
    timePlot(subject.ids, {
      title: "Sent to the target",
      description: `Attempts sent in each second of the trial, of ${names}, beside the calls offered.`,
      lines: [offered, ...lines("sentInSecond")],
      trial: first.first,
      lengthSeconds: length,
    }),
  ];
  const rows: Row[] = (series[0]?.bins ?? []).map((bin, index) => ({
    at: timePlace(bin, x),
    cells: [
      formatCount(bin.second),
      rate(bin, "offered"),
      ...series.flatMap(({ bins }): Cell[] => [rate(bins[index], "sentInSecond"), rate(bins[index], "ok")]),
    ],
  }));
  return figureBlock({
    plots,
    legend: legend([lineItem("s-offered", "offered", "offered"), ...arms.map(armItem)]),
    caption: html`${bandNote(arms, width)} ${phaseNote(first)}${notableNote(subject, arms)}`,
    table: dataTable({
      caption: `Per second of the trial, medians over the trials of an arm${width > 1 ? `; means of ${width} s` : ""}`,
      id: table,
      head: [
        "second",
        "offered",
        ...arms.flatMap(({ name }): Cell[] => [`${shorten(name, 24)}: sent`, `${shorten(name, 24)}: goodput`]),
      ],
      rows,
    }),
    readout: table,
  });
}

function soloFigure(subject: Subject, arm: ArmView, length: number): Html {
  const width = binSeconds(arm.trials, BINS_MAX);
  const bins = armSeries(arm.trials, width, length);
  const table = subject.ids("over-time");
  return figureBlock({
    plots: [soloPlot(subject, arm, bins, length, "Offered, sent and goodput")],
    legend: legend(SERIES.map(([key, className, label]) => lineItem(className, label, key))),
    caption: html`${bandNote([arm], width)} ${phaseNote(arm)}`,
    table: soloTable(bins, length, table, width),
    readout: table,
  });
}

function soloFigures(subject: Subject, length: number): Html {
  const { arms } = subject;
  const width = binSeconds(
    arms.flatMap(({ trials }) => trials),
    BINS_MAX_SMALL,
  );
  const series = arms.map((arm) => ({ arm, bins: armSeries(arm.trials, width, length) }));
  const top = Math.max(...series.map(({ bins }) => topOf(SERIES.map(([key]) => ({ bins, key, band: false })))));
  const figures = figureBlock({
    plots: series.map(({ arm, bins }) => soloPlot(subject, arm, bins, length, shorten(arm.name, 40), top)),
    legend: legend(SERIES.map(([, className, label]) => lineItem(className, label))),
    caption: `Medians over the trials of an arm${width > 1 ? `, means of ${width} s` : ""}; all axes are the same.`,
    small: true,
  });
  const tables = series.map(
    ({ arm, bins }) =>
      html`<details><summary>${shorten(arm.name)} as a table</summary>${soloTable(bins, length, undefined, width)}</details>`,
  );
  return html`<details class="fold"><summary>Each of the ${arms.length} arms over time</summary>${figures}${tables}</details>`;
}

function soloPlot(
  subject: Subject,
  arm: ArmView,
  bins: readonly Bin[],
  length: number,
  title: string,
  top?: number,
): Html {
  return timePlot(subject.ids, {
    title,
    description: `Calls offered, attempts sent and calls that came back ok in each second of the trial, with ${shorten(arm.name)}.`,
    lines: SERIES.map(([key, className]) => ({
      className,
      series: key,
      bins,
      key,
      band: arm.trials.length > 1 && top === undefined,
    })),
    trial: arm.first,
    lengthSeconds: length,
    ...(top !== undefined && { top }),
  });
}

function soloTable(bins: readonly Bin[], length: number, id: string | undefined, width: number): Html {
  const x = timeScale(length);
  return dataTable({
    caption: `Per second of the trial${width > 1 ? `; means of ${width} s` : ""}`,
    ...(id !== undefined && { id }),
    head: ["second", ...SERIES.map(([, , label]) => label)],
    rows: bins.map((bin) => ({
      ...(id !== undefined && { at: timePlace(bin, x) }),
      cells: [formatCount(bin.second), ...SERIES.map(([key]) => rate(bin, key))],
    })),
  });
}

function rate(bin: Bin | undefined, key: SeriesKey): string {
  const spread = bin?.of(key);
  return spread === undefined ? NONE : formatNumber(spread.median).replace(/\.0+$/u, "");
}

function bandNote(arms: readonly ArmView[], width: number): string {
  const trials = Math.max(...arms.map((arm) => arm.trials.length));
  const lines =
    trials > 1
      ? "Lines are medians over the trials of an arm; the bands reach from the least to the most of them."
      : "One trial.";
  const bins = width > 1 ? ` Each point is the mean of ${width} s.` : "";
  return `${lines}${bins} Offered and goodput are by the second in which a call was due, sent by the second in which it was sent.`;
}

function phaseNote({ first }: ArmView): Html {
  const warm = first.warmup?.seconds ?? 0;
  return html`${warm > 0 && `Grey: the warm-up of ${formatNumber(warm)} s, which counts in no other figure, and what came after the measured window. `}${first.script !== undefined && html`Red: <code>${first.script}</code>, in seconds of the measured window.`}`;
}
