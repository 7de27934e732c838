/** The text of `ab`: the arms side by side, the pairs, and what follows. */

import { armNames, completePairs, isTrusted, opponentsOf, trialsOf, walkedTheSame } from "../comparison/arms.ts";
import { compareArms } from "../comparison/compare-arms.ts";
import { contrastOfArm, effectOver } from "../comparison/row-effect.ts";
import { ageText } from "../figures/age-text.ts";
import { formatFigure, medianFigure } from "../figures/figure.ts";
import { formatEffect, formatEffectRange, metricOf } from "../figures/metrics.ts";
import { formatCount, formatPercent, formatRate, formatRatio, formatSeconds, NONE } from "../figures/number-format.ts";
import { policyName, policySpec } from "../figures/policy-text.ts";
import type { Comparison, Contrast } from "../result/comparison-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { type FigureRow, ROW_GROUPS } from "./ab-rows.ts";
import { multipleWords } from "./capacity-load-text.ts";
import { conclusionLines } from "./conclusion-lines.ts";
import { agesDiffer, clientsText, LOWER_BOUND_NOTE, PARTIAL_TEXT, worldText } from "./context-line.ts";
import { displayWidth } from "./display-width.ts";
import { page } from "./page.ts";
import { resumedLines } from "./resumed-text.ts";
import { renderTable } from "./table.ts";
import { scriptLines } from "./trial-text.ts";
import { sharedReasonLines, verdictSummary } from "./validity-text.ts";
import { LINE_WIDTH, wrap } from "./wrap.ts";

/** Renders a result with several arms. Where it holds no comparison yet, the design's first arm is the baseline. */
export function renderAb(result: Result): string {
  const { trials, design } = result;
  const first = trials[0];
  if (first === undefined) return page(["No trial was measured."]);
  const comparison = result.comparison ?? compareArms(trials, design.arms[0] ?? first.arm, { design });
  const names = armNames(trials, comparison.baseline, design.arms);
  const tables = armTables(trials, comparison, names);
  const shows = (sign: string): boolean => tables.some((line) => line.includes(sign));
  return page([
    ...(result.partial ? [`PARTIAL: ${PARTIAL_TEXT}`] : []),
    ...wrap(contextLine(result, first)),
    ...resumedLines(design),
    ...scriptLines(first),
    ...names.flatMap((arm) => armLines(trials, arm)),
    "",
    ...tables,
    ...wrap(
      comparison.contrasts.length === 0
        ? "Figures are medians over the trials of an arm."
        : "Figures are medians over the trials of an arm; ratios are geometric means over the pairs, differences means.",
      "  ",
    ),
    ...(shows(" pp") ? wrap("pp: percentage points.", "  ") : []),
    ...(shows("≥") ? wrap(LOWER_BOUND_NOTE, "  ") : []),
    "",
    ...pairLines(trials, names),
    ...conclusionLines(comparison),
    "",
    ...wrap(`Validity of the trials: ${verdictSummary(trials)}.`),
    ...sharedReasonLines(trials),
  ]);
}

function contextLine(result: Result, first: TrialResult): string {
  const { plan, trials } = result;
  const pairs = new Set(trials.map((trial) => trial.pair)).size;
  const clients = clientsText(trials);
  return [
    `${formatCount(pairs)} ${pairs === 1 ? "pair" : "pairs"} of ${formatSeconds(plan.durationSeconds)}${plan.warmupSeconds > 0 ? ` after ${formatSeconds(plan.warmupSeconds)} of warm-up` : ""}`,
    `${plan.arrival} arrivals at ${plan.rate}${multipleWords(result, plan.rps)}`,
    `${formatCount(plan.users)} users`,
    ...(clients === undefined ? [] : [clients]),
    `seed ${plan.seed}`,
    worldText(first),
  ].join(", ");
}

function armLines(trials: readonly TrialResult[], arm: string): string[] {
  const policy = trials.find((trial) => trial.arm === arm)?.policy;
  return policy === undefined ? [] : wrap(`policy ${policySpec(policy)}`, `  ${arm}: `);
}

/** One table, or as many as it takes to keep the lines short; the baseline stands in each. */
function armTables(trials: readonly TrialResult[], comparison: Comparison, names: readonly string[]): string[] {
  const others = names.filter((arm) => arm !== comparison.baseline);
  const table = (arms: readonly string[]): string[] => armTable(trials, comparison, arms);
  let lines = table([]);
  let start = 0;
  const finished: string[] = [];
  for (let end = 1; end <= others.length; end++) {
    const wider = table(others.slice(start, end));
    if (end - start > 1 && wider.some((line) => displayWidth(line) > LINE_WIDTH)) {
      finished.push(...lines, "");
      start = end - 1;
      lines = table(others.slice(start, end));
    } else {
      lines = wider;
    }
  }
  return [...finished, ...lines];
}

function armTable(trials: readonly TrialResult[], comparison: Comparison, others: readonly string[]): string[] {
  const arms = [comparison.baseline, ...others];
  const policies = arms.map((arm) => trials.find((trial) => trial.arm === arm)?.policy);
  const contrasts = others.map((arm) => contrastOfArm(comparison, arm)).filter((contrast) => contrast !== undefined);
  const rows: string[][] = [
    ["", ...arms, ...contrasts.flatMap(contrastHead)],
    ["", ...policies.map((policy) => (policy === undefined ? NONE : policyName(policy)))],
    ...(agesDiffer(trials) ? [["clients", ...arms.map((arm) => agesText(trialsOf(trials, arm)))]] : []),
  ];
  for (const group of ROW_GROUPS) {
    const shown = group.rows
      .map((row) => ({ row, figures: arms.map((arm) => medianFigure(trialsOf(trials, arm).map(row.figure))) }))
      .filter(
        ({ row, figures }) =>
          row.always === true || figures.some((figure) => figure !== undefined && figure.value !== 0),
      );
    if (shown.length > 0) rows.push([group.title]);
    for (const { row, figures } of shown) {
      rows.push([
        `  ${row.label}`,
        ...figures.map((figure) => formatFigure(figure, row.format)),
        ...contrasts.flatMap((contrast) => contrastCells(trials, contrast, row)),
      ]);
    }
  }
  rows.push(["  verdicts", ...arms.map((arm) => verdictSummary(trials.filter((trial) => trial.arm === arm)))]);
  return renderTable(rows);
}

/** One, unless the file was put together of several. */
function agesText(trials: readonly TrialResult[]): string {
  return trials.length === 0 ? NONE : [...new Set(trials.map(ageText))].join(" and ");
}

function contrastHead(contrast: Contrast): string[] {
  const confidence = contrast.metrics.find(({ interval }) => interval !== undefined)?.interval?.confidence;
  const head = `${contrast.arm} / ${contrast.baseline}`;
  return confidence === undefined ? [head] : [head, `${formatPercent(confidence)} interval`];
}

/** The effect and, where the contrast has intervals, its own. */
function contrastCells(trials: readonly TrialResult[], contrast: Contrast, row: FigureRow): string[] {
  const hasIntervals = contrastHead(contrast).length > 1;
  const { effect, figure } = row;
  const facts = contrast.metrics.find(({ metric }) => metric === row.metric);
  if (facts === undefined) {
    const value =
      effect === undefined
        ? ""
        : formatEffect({ effect, unit: "plain" }, effectOver(trials, contrast, { effect, figure }));
    return hasIntervals ? [value, ""] : [value];
  }
  const metric = metricOf(facts.metric);
  const estimate = formatEffect(metric, facts.estimate);
  if (!hasIntervals) return [estimate];
  return [
    estimate,
    facts.interval === undefined ? "" : formatEffectRange(metric, facts.interval.low, facts.interval.high),
  ];
}

/** Goodput in each pair: of two arms the rates and their ratio, of more the ratios. */
function pairLines(trials: readonly TrialResult[], names: readonly string[]): string[] {
  const opponents = opponentsOf(trials, names);
  const goodput = metricOf("goodput");
  const text = (base: TrialResult, other: TrialResult): string => {
    if (!isTrusted({ pair: base.pair, base, other })) return "invalid";
    if (!walkedTheSame({ pair: base.pair, base, other })) return "other arrivals";
    return base.rates.goodput === 0 ? NONE : formatRatio(other.rates.goodput / base.rates.goodput);
  };
  const [only] = opponents;
  if (only === undefined || opponents.every((one) => completePairs(trials, one).length === 0)) return [];
  const head = `${goodput.name.charAt(0).toUpperCase()}${goodput.name.slice(1)}, pair by pair`;
  if (opponents.length > 1) {
    return [
      head,
      ...opponents.flatMap((one) =>
        wrap(
          completePairs(trials, one)
            .map(({ base, other }) => text(base, other))
            .join(", "),
          `  ${one.arm} / ${one.baseline}: `,
          "    ",
        ),
      ),
      "",
    ];
  }
  const rows = completePairs(trials, only).map(({ pair, base, other }) => [
    `  pair ${pair + 1}`,
    only.baseline,
    formatRate(base.rates.goodput),
    only.arm,
    formatRate(other.rates.goodput),
    text(base, other),
  ]);
  return [head, ...renderTable(rows, { align: ["left", "left", "right", "left", "right"] }), ""];
}
