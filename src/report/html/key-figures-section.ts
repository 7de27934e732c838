/** The figures one looks at first, an arm a column; of many arms an arm a row. */

import { formatFigure, medianFigure } from "../../figures/figure.ts";
import { isSearch } from "../../figures/is-search.ts";
import { formatEffect, formatEffectRange, formatMetric, METRICS, type Metric } from "../../figures/metrics.ts";
import { formatNumber, formatPercent, NONE } from "../../figures/number-format.ts";
import { EFFECT_WORDS } from "../../figures/verdict-words.ts";
import type { Contrast, MetricComparison } from "../../result/comparison-schema.ts";
import { median } from "../../stats/median.ts";
import { nameText } from "./arm-name.ts";
import { dataTable, type Row } from "./data-table.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { section } from "./section.ts";
import type { ArmView, Subject } from "./subject.ts";

/** Of all intervals that comparisons make. */
const CONFIDENCE = 0.95;
/** Metrics that a table of many arms has no room for. */
const LEFT_OUT: readonly string[] = ["responseOkP999Ms", "serviceAcceptedP99Ms"];
/** More arms than this do not fit beside each other. */
const COLUMNS_MAX = 4;

export function keyFiguresSection(subject: Subject): Html {
  // Of a search for a capacity they would be means over the whole climb.
  if (subject.arms.length === 0 || isSearch(subject.result)) return EMPTY;
  const metrics = METRICS.filter((metric) => subject.arms.some((arm) => figureOf(metric, arm) !== undefined));
  const wide = subject.arms.length > COLUMNS_MAX;
  const note = subject.arms.some(({ trials }) => trials.length > 1)
    ? "Medians over the trials of an arm."
    : "Of one trial each.";
  const table = wide
    ? armRows(
        subject,
        metrics.filter(({ key }) => !LEFT_OUT.includes(key)),
        note,
      )
    : armColumns(subject, metrics, note);
  const bound = table.markup.includes("≥")
    ? html`<p class="muted">≥ marks a lower bound: what timed out or never finished took at least that long.</p>`
    : EMPTY;
  return section(subject, "Key figures", html`${table}${bound}`);
}

function figureOf(metric: Metric, { trials }: ArmView): ReturnType<typeof medianFigure> {
  return medianFigure(trials.map((trial) => metric.figure(trial)));
}

function show(metric: Metric, arm: ArmView): string {
  return formatFigure(figureOf(metric, arm), (value) => formatMetric(metric, value));
}

function offered({ trials }: ArmView): string {
  return formatNumber(median(trials.map(({ rates }) => rates.offered)));
}

function armColumns(subject: Subject, metrics: readonly Metric[], note: string): Html {
  const { arms, comparison } = subject;
  const others = (comparison?.contrasts ?? []).filter(({ arm }) => arms.some(({ name }) => name === arm));
  const [single] = others;
  const verdicts = others.length === 1 && single !== undefined;
  const rows: Row[] = [
    { cells: ["offered, per s", ...arms.map(offered), ...others.flatMap(() => ["", ""]), ...(verdicts ? [""] : [])] },
    ...metrics.map((metric) => ({
      cells: [
        metric.label,
        ...arms.map((arm) => show(metric, arm)),
        ...others.flatMap((contrast) => effectCells(metric, entryOf(contrast, metric))),
        ...(verdicts ? [{ prose: verdictText(entryOf(single, metric)) }] : []),
      ],
    })),
  ];
  return dataTable({
    caption: html`${note}${others.length > 0 && " Beside them the effects over the pairs, with their intervals from five pairs on."}`,
    head: [
      "",
      ...arms.map(
        ({ name, policy }) =>
          html`${nameText(name, 24)}${name !== policy && html`<br><span class="muted">${nameText(policy, 24)}</span>`}`,
      ),
      ...others.flatMap(({ arm, baseline }) => [
        html`${nameText(arm, 24)} / ${nameText(baseline, 24)}`,
        html`${formatPercent(CONFIDENCE)} interval`,
      ]),
      ...(verdicts ? [{ prose: "Verdict" }] : []),
    ],
    rows,
  });
}

function entryOf({ metrics }: Contrast, { key }: Metric): MetricComparison | undefined {
  return metrics.find(({ metric }) => metric === key);
}

function armRows(subject: Subject, metrics: readonly Metric[], note: string): Html {
  const { arms, comparison, result } = subject;
  const recommended = new Set(result.sweep?.recommendations.map(({ arm }) => arm));
  const ratios = new Map(
    (comparison?.contrasts ?? []).map(({ arm, metrics: compared }) => [
      arm,
      compared.find(({ metric }) => metric === "goodput"),
    ]),
  );
  const goodput = METRICS.find(({ key }) => key === "goodput");
  const withRatio = ratios.size > 0 && goodput !== undefined;
  return dataTable({
    caption: html`${note}${recommended.size > 0 && " ★ marks what is recommended."}`,
    head: ["Arm", "offered, per s", ...metrics.map(({ label }) => label), ...(withRatio ? ["goodput ratio"] : [])],
    rows: arms.map((arm) => ({
      best: recommended.has(arm.name),
      cells: [
        nameText(recommended.has(arm.name) ? `★ ${arm.name}` : arm.name),
        offered(arm),
        ...metrics.map((metric) => show(metric, arm)),
        ...(withRatio ? [effectText(goodput, ratios.get(arm.name))] : []),
      ],
    })),
  });
}

function effectText(metric: Metric, compared: MetricComparison | undefined): string {
  return compared === undefined ? NONE : formatEffect(metric, compared.estimate);
}

function effectCells(metric: Metric, compared: MetricComparison | undefined): string[] {
  const interval = compared?.interval;
  const range = interval === undefined ? NONE : formatEffectRange(metric, interval.low, interval.high);
  return [effectText(metric, compared), range];
}

function verdictText(compared: MetricComparison | undefined): Html {
  if (compared === undefined) return EMPTY;
  const { verdict } = compared;
  const tone = verdict === "better" ? "good" : verdict === "worse" ? "bad" : "none";
  return html`<span class="mark tone-${tone}">${EFFECT_WORDS[verdict].short}</span>`;
}
