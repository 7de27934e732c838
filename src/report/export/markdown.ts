/** Results as Markdown: for a step summary, a pull request, a page of notes. */

import { armNames, trialsOf } from "../../comparison/arms.ts";
import { exact, type Figure, formatFigure, latencyFigure, medianFigure } from "../../figures/figure.ts";
import { isSearch } from "../../figures/is-search.ts";
import { formatEffect, formatEffectRange, formatMetric, metricOf } from "../../figures/metrics.ts";
import { formatMs, formatNumber, formatPercent, formatRate, formatSeconds, NONE } from "../../figures/number-format.ts";
import { formatPValue } from "../../figures/p-value.ts";
import { policySpec } from "../../figures/policy-text.ts";
import { outcomeShare } from "../../figures/trial-figures.ts";
import { EFFECT_WORDS } from "../../figures/verdict-words.ts";
import type { Contrast, MetricComparison } from "../../result/comparison-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import { answersOf } from "../answers.ts";
import { multipleWords } from "../capacity-load-text.ts";
import { LOWER_BOUND_NOTE, PARTIAL_TEXT, worldText } from "../context-line.ts";
import type { NamedResult } from "../named-result.ts";
import { verdictSummary } from "../validity-text.ts";
import { capacityLines } from "./markdown-capacity.ts";
import { recoveryLines } from "./markdown-recovery.ts";
import { type Column, escapeMarkdown, markdownTable } from "./markdown-text.ts";

export function renderMarkdown(results: readonly NamedResult[]): string {
  return `${results.map((each) => resultLines(each).join("\n")).join("\n\n")}\n`;
}

function resultLines({ name, result }: NamedResult): string[] {
  const sections = [
    summaryLines(result),
    assertionLines(result),
    capacityLines(result),
    recoveryLines(result),
    // Of a search for a capacity they would be means over the whole climb.
    ...(isSearch(result) ? [] : [armLines(result)]),
    ...(result.sweep === undefined ? (result.comparison?.contrasts ?? []) : []).map(contrastLines),
    reasonLines(result),
    planLines(result),
  ];
  return [
    `## overload-bench ${result.command}: ${escapeMarkdown(name)}`,
    ...sections.flatMap((lines) => (lines.length === 0 ? [] : ["", ...lines])),
  ];
}

/** What follows, first. */
function summaryLines(result: Result): string[] {
  const { trials, partial } = result;
  const sentences = [
    ...(partial ? [`**Partial:** ${PARTIAL_TEXT}`] : []),
    ...[...(result.capacityTrials ?? []), ...trials].flatMap(({ arm, pair, aborted }) =>
      aborted === undefined
        ? []
        : [
            `**Aborted by a guard:** ${escapeMarkdown(`${arm} ${pair + 1}, after ${formatSeconds(aborted.atSeconds)}: ${aborted.text}`)}`,
          ],
    ),
    ...(trials.some(({ validity }) => validity.verdict === "invalid")
      ? [`**Do not trust it:** ${escapeMarkdown(verdictSummary(trials))} of the trials.`]
      : []),
    ...answersOf(result).map(escapeMarkdown),
  ];
  return sentences.flatMap((sentence, index) => (index === 0 ? [sentence] : ["", sentence]));
}

function assertionLines({ assertions = [] }: Result): string[] {
  if (assertions.length === 0) return [];
  const failed = assertions.filter(({ holds }) => !holds).length;
  const columns: Column[] = [
    ["", "left"],
    ["Assertion", "left"],
    ["Arm", "left"],
    ["Values", "left"],
  ];
  return [
    `### Assertions: ${failed === 0 ? "all hold" : `${failed} of ${assertions.length} failed`}`,
    "",
    ...markdownTable(
      columns,
      assertions.map(({ text, arm, holds, message }) => [holds ? "✅ pass" : "❌ fail", text, arm, message]),
    ),
  ];
}

const ROWS: readonly (readonly [string, (trial: TrialResult) => Figure | undefined, (value: number) => string])[] = [
  ["Goodput", ({ rates }) => exact(rates.goodput), formatRate],
  ["Offered", ({ rates }) => exact(rates.offered), formatRate],
  ["Sent", ({ rates }) => exact(rates.sent), formatRate],
  ["Ok", (trial) => figureOrNone(outcomeShare(trial, "ok")), formatPercent],
  ["p50 response, ok", ({ latency }) => latencyFigure(latency.response.ok, "p50Ms"), formatMs],
  ["p99 response, ok", ({ latency }) => latencyFigure(latency.response.ok, "p99Ms"), formatMs],
  ["Amplification", ({ amplification }) => exact(amplification), formatNumber],
  ["Waste", ({ waste }) => exact(waste), formatPercent],
];

/** An arm a row: as many arms as there are make a long table, not a wide one. */
function armLines(result: Result): string[] {
  const { trials } = result;
  const [first] = trials;
  if (first === undefined) return [];
  const columns: Column[] = [
    ["Arm", "left"],
    ["Policy", "left"],
    ...ROWS.map(([head]): Column => [head, "right"]),
    ["Trials", "left"],
  ];
  const rows = armNames(trials, result.comparison?.baseline ?? result.design.arms[0] ?? first.arm).map((arm) => {
    const own = trials.filter((trial) => trial.arm === arm);
    const whole = trialsOf(trials, arm);
    const shown = whole.length > 0 ? whole : own;
    const policy = own[0]?.policy;
    const figures = ROWS.map(([, figure, format]) => formatFigure(medianFigure(shown.map(figure)), format));
    return [arm, policy === undefined ? NONE : policySpec(policy), ...figures, verdictSummary(own)];
  });
  return [
    "### Arms",
    "",
    ...markdownTable(columns, rows),
    "",
    `Figures are medians over the trials of an arm. ${LOWER_BOUND_NOTE}`,
  ];
}

function contrastLines({ arm, baseline, pairs, metrics, sentence }: Contrast): string[] {
  const columns: Column[] = [
    ["Metric", "left"],
    [baseline, "right"],
    [arm, "right"],
    ["Effect", "right"],
    ["95 % interval", "right"],
    ["p, corrected", "right"],
    ["Verdict", "left"],
  ];
  return [
    `### ${escapeMarkdown(`${arm} against ${baseline}`)}, ${pairs.length} ${pairs.length === 1 ? "pair" : "pairs"}`,
    "",
    ...(sentence === "" ? [] : [escapeMarkdown(sentence), ""]),
    ...markdownTable(columns, metrics.map(metricRow)),
  ];
}

function metricRow(compared: MetricComparison): string[] {
  const { metric: key, effect, estimate, interval, adjustedPValue, verdict } = compared;
  const metric = knownMetric(key);
  const shown = { unit: metric?.unit ?? "plain", effect } as const;
  return [
    metric?.label ?? key,
    formatMetric(shown, compared.baseline),
    formatMetric(shown, compared.arm),
    formatEffect(shown, estimate),
    interval === undefined ? NONE : formatEffectRange(shown, interval.low, interval.high),
    formatPValue(adjustedPValue),
    EFFECT_WORDS[verdict].short,
  ];
}

/** A file of a newer version may compare by what this one does not know. */
function knownMetric(key: string): ReturnType<typeof metricOf> | undefined {
  try {
    return metricOf(key);
  } catch {
    return undefined;
  }
}

function reasonLines({ trials }: Result): string[] {
  const rows = trials.flatMap(({ arm, pair, validity }) =>
    validity.reasons
      .filter(({ severity }) => severity !== "note")
      .map(({ severity, message, hint }) => [`${arm} ${pair + 1}`, severity, message, hint]),
  );
  if (rows.length === 0) return [];
  const columns: Column[] = [
    ["Trial", "left"],
    ["Severity", "left"],
    ["Why", "left"],
    ["What to do", "left"],
  ];
  return ["### Validity", "", ...markdownTable(columns, rows)];
}

function planLines(result: Result): string[] {
  const { plan, environment, tool, trials } = result;
  const [first] = trials;
  // The governor begins with that.
  const onwards = isSearch(result) ? " on" : "";
  const world = first === undefined ? "" : `, ${worldText(first)}`;
  return [
    escapeMarkdown(
      `${plan.arrival} arrivals ${isSearch(result) ? "from" : "at"} ${plan.rate}${onwards}${multipleWords(result, plan.rps)}, ${plan.users} users, ${plan.durationSeconds} s, seed ${plan.seed}${world}; overload-bench ${tool.version} on ${environment.runtime} ${environment.runtimeVersion}, ${environment.cpuModel}.`,
    ),
  ];
}

function figureOrNone(value: number | undefined): Figure | undefined {
  return value === undefined ? undefined : exact(value);
}
