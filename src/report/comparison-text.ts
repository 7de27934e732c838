/** The text of `compare`: what is compared, a table per contrast, and what follows. */

import { pairsText } from "../comparison/wording.ts";
import { formatEffect, formatEffectRange, formatMetric, type Metric, metricOf } from "../figures/metrics.ts";
import { formatPercent, NONE } from "../figures/number-format.ts";
import { formatPValue } from "../figures/p-value.ts";
import { EFFECT_WORDS } from "../figures/verdict-words.ts";
import type { ComparisonDocument, Undecidable } from "../result/comparison-document.ts";
import type { Contrast, MetricComparison } from "../result/comparison-schema.ts";
import { conclusionLines } from "./conclusion-lines.ts";
import { displayWidth } from "./display-width.ts";
import { page } from "./page.ts";
import { renderTable } from "./table.ts";
import { LINE_WIDTH, wrap } from "./wrap.ts";

/** One column of the table. */
interface Column {
  readonly head: (contrast: Contrast) => string;
  readonly cell: (facts: MetricComparison, metric: Metric) => string;
}

const BASELINE: Column = {
  head: ({ baseline }) => baseline,
  cell: ({ baseline }, metric) => formatMetric(metric, baseline),
};
const ARM: Column = { head: ({ arm }) => arm, cell: ({ arm }, metric) => formatMetric(metric, arm) };
const EFFECT: Column = { head: () => "effect", cell: ({ estimate }, metric) => formatEffect(metric, estimate) };
const RANGE: Column = { head: rangeHead, cell: rangeText };
const P: Column = { head: () => "p", cell: ({ pValue }) => formatPValue(pValue) };
const ADJUSTED: Column = { head: () => "adj. p", cell: ({ adjustedPValue }) => formatPValue(adjustedPValue) };
const DETECTABLE: Column = {
  head: () => "finds",
  cell: ({ detectable }, metric) =>
    detectable === null
      ? NONE
      : metric.effect === "ratio"
        ? formatPercent(detectable)
        : formatEffect(metric, detectable).replace("+", ""),
};
const VERDICT: Column = { head: () => "", cell: ({ verdict }) => EFFECT_WORDS[verdict].short };

const SHORT_BASELINE: Column = { ...BASELINE, head: () => "baseline" };
const SHORT_ARM: Column = { ...ARM, head: () => "arm" };

/** From the fullest to the shortest: the first one that fits on a line is taken. */
const LAYOUTS: readonly (readonly Column[])[] = [
  [BASELINE, ARM, EFFECT, RANGE, P, ADJUSTED, DETECTABLE, VERDICT],
  [SHORT_BASELINE, SHORT_ARM, EFFECT, RANGE, P, ADJUSTED, DETECTABLE, VERDICT],
  [BASELINE, ARM, EFFECT, RANGE, ADJUSTED, DETECTABLE, VERDICT],
  [SHORT_BASELINE, SHORT_ARM, EFFECT, RANGE, ADJUSTED, DETECTABLE, VERDICT],
  [SHORT_BASELINE, SHORT_ARM, EFFECT, RANGE, ADJUSTED, VERDICT],
  [SHORT_BASELINE, SHORT_ARM, EFFECT, ADJUSTED, VERDICT],
];

export function renderComparison(document: ComparisonDocument): string {
  const { files, forced, notes, comparison, regressions, unjudged, undecidable = [] } = document;
  const { contrasts } = comparison;
  const tables = contrasts.flatMap((contrast) => [...contrastLines(contrast), ""]);
  return page([
    ...forced.flatMap((reason) => wrap(reason, "FORCED  ")),
    ...files.flatMap((file) => wrap(fileText(file), `${file.name}: `, "  ")),
    "",
    ...tables,
    ...(tables.some((line) => line.includes("finds"))
      ? wrap(
          `adj. p: corrected for all metrics, arms and looks, decided at ${comparison.alpha}. finds: the smallest effect that so many pairs find in 80 % of experiments.`,
          "  ",
        )
      : []),
    ...(tables.some((line) => line.includes(" pp")) ? wrap("pp: percentage points.", "  ") : []),
    ...(contrasts.length === 0 ? [] : [""]),
    ...conclusionLines(comparison),
    ...notes.flatMap((note) => wrap(note, "Note: ", "  ")),
    ...toleranceLines(document),
    ...regressions.flatMap(({ message }) => wrap(message, "REGRESSION  ")),
    ...undecidable.flatMap((few) => wrap(fewText(few), "Note: ", "  ")),
    ...unjudged.filter(({ named }) => named === true).flatMap((one) => wrap(notJudgedText(one), "NOT JUDGED  ")),
    ...unjudgedLines(unjudged.filter(({ named }) => named !== true)),
  ]);
}

function fileText({ path, command, version, startedAt, partial, arms }: ComparisonDocument["files"][number]): string {
  const when = startedAt === "" ? "" : ` of ${startedAt.slice(0, 16).replace("T", " ")}`;
  const part = partial ? ", PARTIAL" : "";
  return `${path}, ${command}${when} by ${version}${part}, ${arms.length === 1 ? "arm" : "arms"} ${arms.join(", ")}`;
}

function contrastLines(contrast: Contrast): string[] {
  const { arm, baseline, pairs, metrics } = contrast;
  const title = `${arm} against ${baseline}, ${pairs.length === 1 ? "1 pair" : `${pairs.length} pairs`}`;
  const layouts = LAYOUTS.map((columns) => contrastTable(contrast, columns));
  const fitting = layouts.find((lines) => lines.every((line) => displayWidth(line) <= LINE_WIDTH));
  return metrics.length === 0 ? wrap(title) : [...wrap(title), ...(fitting ?? layouts.at(-1) ?? [])];
}

/** Columns that say nothing in any row are left out. */
function contrastTable(contrast: Contrast, columns: readonly Column[]): string[] {
  const facts = contrast.metrics.map((one) => ({ facts: one, metric: metricOf(one.metric) }));
  const shown = columns.filter(
    ({ cell }) => cell === VERDICT.cell || facts.some((one) => cell(one.facts, one.metric) !== NONE),
  );
  return renderTable(
    [
      ["", ...shown.map(({ head }) => head(contrast))],
      ...facts.map((one) => [`  ${one.metric.label}`, ...shown.map(({ cell }) => cell(one.facts, one.metric))]),
    ],
    { gap: 2, align: ["left", ...shown.map(({ cell }) => (cell === VERDICT.cell ? "left" : "right"))] as const },
  );
}

function rangeHead({ metrics }: Contrast): string {
  const confidence = metrics.find(({ interval }) => interval !== undefined)?.interval?.confidence;
  return confidence === undefined ? "range of pairs" : `${formatPercent(confidence)} interval`;
}

/** The interval; of few pairs how far they reach. */
function rangeText({ interval, effects }: MetricComparison, metric: Metric): string {
  if (interval !== undefined) return formatEffectRange(metric, interval.low, interval.high);
  const known = effects.filter((effect) => effect !== null);
  if (known.length < 2 || known.length < effects.length) return NONE;
  return formatEffectRange(metric, Math.min(...known), Math.max(...known));
}

function fewText({ arm, baseline, metrics, pairs, needed }: Undecidable): string {
  const of = metrics.length === 1 ? ` in ${metricOf(metrics[0] ?? "").name}` : "";
  return `${pairsText(pairs)} of ${arm} against ${baseline} cannot tell a regression from noise${of}: it takes ${needed}. Until then one is what lies beyond its tolerance in every pair.`;
}

function notJudgedText({ arm, baseline, metric }: ComparisonDocument["unjudged"][number]): string {
  const { name } = metricOf(metric);
  return arm === baseline
    ? `${name}: there is no pair to compare`
    : `${name} of ${arm} against ${baseline}: it is a lower bound or not known in some pair, or there is no pair to compare`;
}

/** A line per contrast, with all its metrics that are not known. */
function unjudgedLines(unjudged: ComparisonDocument["unjudged"]): string[] {
  const names = new Map<string, string[]>();
  for (const { arm, baseline, metric } of unjudged) {
    const key = `${arm} against ${baseline}`;
    names.set(key, [...(names.get(key) ?? []), metricOf(metric).name]);
  }
  return [...names].flatMap(([contrast, metrics]) =>
    wrap(
      `${contrast} was not judged by these, which are a lower bound or not known in some pair: ${metrics.join(", ")}.`,
      "Note: ",
      "  ",
    ),
  );
}

function toleranceLines({ tolerances, regressions, comparison }: ComparisonDocument): string[] {
  if (tolerances.length === 0 || comparison.contrasts.length === 0) return [];
  if (regressions.length === 0)
    return ["", ...wrap("No metric is worse than its tolerance as far as these pairs can tell.")];
  const count = regressions.length === 1 ? "1 metric is" : `${regressions.length} metrics are`;
  return ["", ...wrap(`${count} worse than the tolerance:`)];
}
