/** The text of `ab`: the arms side by side, the pairs, and what follows. */

import { armNames, pairsOf, ratio, trialsOf } from "../comparison/arms.ts";
import { compareArms } from "../comparison/compare-arms.ts";
import { exact, type Figure, formatFigure, medianFigure } from "../figures/figure.ts";
import { formatCount, formatRate, formatRatio, formatSeconds, NONE } from "../figures/number-format.ts";
import { policyName, policySpec } from "../figures/policy-text.ts";
import type { Comparison } from "../result/comparison-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { type FigureRow, ROW_GROUPS } from "./ab-rows.ts";
import { displayWidth } from "./display-width.ts";
import { page } from "./page.ts";
import { renderTable } from "./table.ts";
import { LOWER_BOUND_NOTE, scriptLines } from "./trial-text.ts";
import { sharedReasonLines, verdictSummary } from "./validity-text.ts";
import { LINE_WIDTH, wrap } from "./wrap.ts";

/** Renders a result with several arms. Where it holds no comparison yet, the first trial's arm is the baseline. */
export function renderAb(result: Result): string {
  const { trials } = result;
  const first = trials[0];
  if (first === undefined) return page(["No trial was measured."]);
  const comparison = result.comparison ?? compareArms(trials, first.arm);
  const tables = armTables(trials, comparison);
  const marked = tables.some((line) => line.includes("≥"));
  return page([
    ...(result.partial ? ["PARTIAL: the experiment was cut short; what follows is what there is."] : []),
    ...wrap(contextLine(result, first)),
    ...scriptLines(first),
    ...armNames(trials, comparison.baseline).flatMap((arm) => armLines(trials, arm)),
    "",
    ...tables,
    ...wrap("Figures are medians over the trials of an arm, ratios medians over the pairs.", "  "),
    ...(marked ? wrap(LOWER_BOUND_NOTE, "  ") : []),
    "",
    ...pairLines(trials, comparison),
    ...wrap(comparison.conclusion),
    "",
    ...wrap(`Validity of the trials: ${verdictSummary(trials)}.`),
    ...sharedReasonLines(trials),
  ]);
}

function contextLine({ plan, trials }: Result, first: TrialResult): string {
  const pairs = new Set(trials.map((trial) => trial.pair)).size;
  const world =
    first.world === "real" ? "real world" : `virtual world${first.model === undefined ? "" : ` (${first.model})`}`;
  return [
    `${formatCount(pairs)} ${pairs === 1 ? "pair" : "pairs"} of ${formatSeconds(plan.durationSeconds)}${plan.warmupSeconds > 0 ? ` after ${formatSeconds(plan.warmupSeconds)} of warm-up` : ""}`,
    `${plan.arrival} arrivals at ${plan.rate}`,
    `${formatCount(plan.users)} users`,
    `seed ${plan.seed}`,
    world,
  ].join(", ");
}

function armLines(trials: readonly TrialResult[], arm: string): string[] {
  const policy = trials.find((trial) => trial.arm === arm)?.policy;
  return policy === undefined ? [] : wrap(`policy ${policySpec(policy)}`, `  ${arm}: `);
}

/** One table, or as many as it takes to keep the lines short; the baseline stands in each. */
function armTables(trials: readonly TrialResult[], comparison: Comparison): string[] {
  const { baseline } = comparison;
  const others = armNames(trials, baseline).filter((arm) => arm !== baseline);
  let lines = armTable(trials, baseline, []);
  let start = 0;
  const finished: string[] = [];
  for (let end = 1; end <= others.length; end++) {
    const wider = armTable(trials, baseline, others.slice(start, end));
    if (end - start > 1 && wider.some((line) => displayWidth(line) > LINE_WIDTH)) {
      finished.push(...lines, "");
      start = end - 1;
      lines = armTable(trials, baseline, others.slice(start, end));
    } else {
      lines = wider;
    }
  }
  return [...finished, ...lines];
}

function armTable(trials: readonly TrialResult[], baseline: string, others: readonly string[]): string[] {
  const arms = [baseline, ...others];
  const policies = arms.map((arm) => trials.find((trial) => trial.arm === arm)?.policy);
  const rows: string[][] = [
    ["", ...arms, ...others.map((arm) => `${arm} / ${baseline}`)],
    ["", ...policies.map((policy) => (policy === undefined ? NONE : policyName(policy)))],
  ];
  for (const group of ROW_GROUPS) {
    const shown = group.rows
      .map((row) => ({ row, figures: arms.map((arm) => medianFigure(trialsOf(trials, arm).map(row.figure))) }))
      .filter(({ row, figures }) => row.always || figures.some((figure) => figure !== undefined && figure.value !== 0));
    if (shown.length > 0) rows.push([group.title]);
    for (const { row, figures } of shown) {
      const ratios = others.map((arm) =>
        row.comparable ? formatFigure(pairRatio(trials, baseline, arm, row), formatRatio) : "",
      );
      rows.push([`  ${row.label}`, ...figures.map((figure) => formatFigure(figure, row.format)), ...ratios]);
    }
  }
  rows.push(["  verdicts", ...arms.map((arm) => verdictSummary(trials.filter((trial) => trial.arm === arm)))]);
  return renderTable(rows);
}

/** Median over the pairs; undefined where any pair has none, or rests on a lower bound and so could be anything. */
function pairRatio(trials: readonly TrialResult[], baseline: string, arm: string, row: FigureRow): Figure | undefined {
  const ratios: number[] = [];
  for (const { base, other } of pairsOf(trials, baseline, arm)) {
    const [below, above] = [row.figure(base), row.figure(other)];
    if (below === undefined || above === undefined || below.lowerBound || above.lowerBound) return undefined;
    const value = ratio(above.value, below.value);
    if (value === null) return undefined;
    ratios.push(value);
  }
  return ratios.length === 0 ? undefined : exact(median(ratios));
}

function pairLines(trials: readonly TrialResult[], { baseline, contrasts }: Comparison): string[] {
  const pairs = contrasts.flatMap(({ arm, pairs: indices, metrics }) =>
    indices.map((pair, index) => ({ arm, pair, goodputRatio: metrics[0]?.effects[index] ?? null })),
  );
  if (pairs.length === 0) return [];
  const goodput = (arm: string, pair: number): string => {
    const trial = trialsOf(trials, arm).find((candidate) => candidate.pair === pair);
    return trial === undefined ? NONE : formatRate(trial.rates.goodput);
  };
  const rows = [...pairs]
    .sort((a, b) => a.pair - b.pair)
    .map(({ pair, arm, goodputRatio }) => [
      `  pair ${pair + 1}`,
      baseline,
      goodput(baseline, pair),
      arm,
      goodput(arm, pair),
      goodputRatio === null ? NONE : formatRatio(goodputRatio),
    ]);
  return ["Goodput, pair by pair", ...renderTable(rows, { align: ["left", "left", "right", "left", "right"] }), ""];
}
