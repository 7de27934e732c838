/** The text of `sweep`: at each load the cells side by side, then what to ship and why. */

import { trialsOf } from "../comparison/arms.ts";
import { closedFormGoodput } from "../comparison/closed-form.ts";
import { type ArmFacts, factsOf } from "../comparison/sweep-facts.ts";
import { loadsOfSweep, pointText, type SweepLoad, shortName } from "../comparison/sweep-loads.ts";
import {
  formatCount,
  formatMs,
  formatNumber,
  formatPercent,
  formatRate,
  formatSeconds,
  NONE,
} from "../figures/number-format.ts";
import { policySpec } from "../figures/policy-text.ts";
import { NOT_TOLD_APART, STANDING_WORDS } from "../figures/verdict-words.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import type { Sweep, SweepRecommendation, SweepStanding } from "../result/sweep-schema.ts";
import { type Answer, mainAnswer } from "./answers.ts";
import { multipleWords } from "./capacity-load-text.ts";
import { clientsText, PARTIAL_TEXT, worldText } from "./context-line.ts";
import { displayWidth } from "./display-width.ts";
import { page } from "./page.ts";
import { shorten, shortenStart } from "./shorten.ts";
import { type Alignment, renderTable } from "./table.ts";
import { scriptLines } from "./trial-text.ts";
import { sharedReasonLines, verdictSummary } from "./validity-text.ts";
import { LINE_WIDTH, wrap } from "./wrap.ts";

/** Cells whose policies are told in full. */
const POLICIES_TOLD = 12;

/** Renders the result of a sweep: the answer last, where a terminal shows it. */
export function renderSweep(result: Result): string {
  const { trials, sweep } = result;
  const first = trials[0];
  if (first === undefined || sweep === undefined) return page(["No trial was measured."]);
  return page([
    ...(result.partial ? [`PARTIAL: ${PARTIAL_TEXT}`] : []),
    ...wrap(contextLine(result, first)),
    ...scriptLines(first),
    ...policyLines(sweep, trials),
    "",
    ...loadsOfSweep(sweep).flatMap((load) => loadLines(result, sweep, load)),
    ...keyLines(result, sweep),
    "",
    ...wrap(`Validity of the trials: ${verdictSummary(trials)}.`),
    ...sharedReasonLines(trials),
    "",
    ...answerLines(sweep),
  ]);
}

function contextLine(result: Result, first: TrialResult): string {
  const { plan, trials, design, sweep } = result;
  const cells = sweep?.cells.length ?? 0;
  const clients = clientsText(trials);
  const loads =
    sweep?.axes.filter(({ of }) => of === "load").map(({ name, values }) => `${values.length} values of ${name}`) ?? [];
  const warmup = plan.warmupSeconds > 0 ? ` after ${formatSeconds(plan.warmupSeconds)} of warm-up` : "";
  return [
    `${formatCount(cells)} cells in ${formatCount(design.pairs)} ${design.pairs === 1 ? "pair" : "pairs"} (${formatCount(trials.length)} trials) of ${formatSeconds(plan.durationSeconds)}${warmup}`,
    loads.length === 0
      ? `${plan.arrival} arrivals at ${plan.rate}${multipleWords(result, plan.rps)}, ${formatCount(plan.users)} users`
      : `${plan.arrival} arrivals, ${loads.join(" and ")}${multipleWords(result, undefined)}`,
    ...(clients === undefined ? [] : [clients]),
    `seed ${plan.seed}`,
    worldText(first),
  ].join(", ");
}

/** The options that are the same everywhere are in each of them: they are told once where all have the same policy. */
function policyLines({ cells }: Sweep, trials: readonly TrialResult[]): string[] {
  const policies = new Map<string, string>();
  for (const { arm } of cells) {
    const policy = trials.find((trial) => trial.arm === arm)?.policy;
    if (policy !== undefined && !policies.has(policySpec(policy))) policies.set(policySpec(policy), arm);
  }
  const told = [...policies].slice(0, POLICIES_TOLD).flatMap(([spec, arm]) => wrap(`policy ${spec}`, `  ${arm}: `));
  return policies.size > POLICIES_TOLD ? [...told, `  and ${policies.size - POLICIES_TOLD} more`] : told;
}

function loadLines({ trials }: Result, sweep: Sweep, load: SweepLoad): string[] {
  const { point, cells } = load;
  const found = sweep.recommendations.find((one) => pointText(one.load) === pointText(point));
  const facts = cells.map((cell) => factsOf({ trials }, cell, sweep.recovery));
  const offered = facts.find((one) => one !== undefined)?.offered;
  const head =
    pointText(point) === ""
      ? []
      : [`At ${pointText(point)}${offered === undefined ? "" : ` (${formatRate(offered)} offered)`}`];
  const hasTheory = sweep.closedForm !== undefined && cells.some(({ k }) => k !== undefined);
  const hasRecovery = sweep.recovery !== undefined;
  const columns: readonly Column[] = [
    { head: "goodput/s", cell: ({ goodput }) => formatNumber(goodput) },
    { head: "range", cell: ({ arm }) => spread(trials, arm), isSpare: true },
    { head: "ok", cell: ({ goodput, offered: all }) => (all === 0 ? NONE : formatPercent(goodput / all)) },
    { head: "waste", cell: ({ waste }) => formatPercent(waste) },
    { head: "p99 ok", cell: ({ p99Ms }) => (p99Ms === undefined ? NONE : formatMs(p99Ms)) },
    ...(hasTheory ? [{ head: "theory", cell: (one: ArmFacts) => theoryOf(sweep, one) }] : []),
    ...(hasRecovery ? [{ head: "back in", cell: recoveryOf }] : []),
  ];
  const table = (taken: readonly Column[], nameWidth = Number.POSITIVE_INFINITY): string[] => {
    const rows = cells.map((cell, index) => {
      const one = facts[index];
      return [
        `  ${shortenStart(shortName(cell, sweep.axes), nameWidth)}`,
        ...taken.map((column) => (one === undefined ? NONE : column.cell(one))),
        verdictOf(cell.arm, found),
      ];
    });
    const align: readonly Alignment[] = ["left", ...taken.map((): Alignment => "right"), "left"];
    return renderTable([["  cell", ...taken.map((column) => column.head), "verdict"], ...rows], { align, gap: 2 });
  };
  const narrow = columns.filter(({ isSpare }) => isSpare !== true);
  const names = Math.max(...cells.map((cell) => displayWidth(shortName(cell, sweep.axes))));
  const lines =
    excess(table(columns)) <= 0
      ? table(columns)
      : table(narrow, Math.max(NAME_WIDTH_MIN, names - Math.max(0, excess(table(narrow)))));
  const says = found === undefined || sweep.recommendations.length < 2 ? [] : wrap(found.sentence, "  ");
  return [...head, ...lines.map((line) => shorten(line, LINE_WIDTH)), ...says, ""];
}

/** A figure of a cell, beside its name and its verdict. */
interface Column {
  readonly head: string;
  readonly cell: (facts: ArmFacts) => string;
  /** Left out where lines would be too long. */
  readonly isSpare?: boolean;
}

const NAME_WIDTH_MIN = 16;

/** Columns by which the longest line is too long. */
function excess(lines: readonly string[]): number {
  return Math.max(...lines.map(displayWidth)) - LINE_WIDTH;
}

/** From the least to the most of the trials that count. */
function spread(trials: readonly TrialResult[], arm: string): string {
  const values = trialsOf(trials, arm).map(({ rates }) => rates.goodput);
  if (values.length < 2) return "";
  return `${formatNumber(Math.min(...values))}-${formatNumber(Math.max(...values))}`;
}

function theoryOf({ closedForm }: Sweep, { k, offered }: ArmFacts): string {
  if (closedForm === undefined || k === undefined) return NONE;
  const goodput = closedFormGoodput(closedForm, k, offered);
  return goodput === undefined ? NONE : formatNumber(goodput);
}

function recoveryOf({ recoverySeconds, horizonSeconds }: ArmFacts): string {
  if (recoverySeconds === undefined || horizonSeconds === undefined) return NONE;
  return Number.isFinite(recoverySeconds) ? formatSeconds(recoverySeconds) : `>${formatSeconds(horizonSeconds)}`;
}

function verdictOf(arm: string, found: SweepRecommendation | undefined): string {
  if (found === undefined) return "";
  const ship = found.arm === arm ? "SHIP, " : "";
  const standing = found.standings?.find((one) => one.arm === arm);
  return standing === undefined ? "" : `${ship}${standingText(standing, found)}`;
}

function standingText({ arm, verdict, ratio }: SweepStanding, { excluded }: SweepRecommendation): string {
  const below = ratio === null ? "less" : `${formatPercent(Math.abs(1 - ratio))} less`;
  switch (verdict) {
    case "best":
    case "equivalent":
    case "undecided":
      return STANDING_WORDS[verdict].short;
    case "lower":
      return `${below}, unproven`;
    case "worse":
      return below;
    case "excluded":
      return shortWhy(excluded.find((one) => one.arm === arm)?.why ?? "");
    default:
      return verdict satisfies never;
  }
}

/** `it broke waste<=0.3: 0.33` without the figure, which stands in the reasons. */
function shortWhy(why: string): string {
  const [, limit] = /^it broke (.+?): /u.exec(why) ?? [];
  if (limit !== undefined) return `out: ${limit}`;
  return why.includes("invalid") ? "out: invalid" : "out";
}

/** What the columns mean. */
function keyLines({ trials }: Result, { closedForm, cells, recoveryScenario, limits }: Sweep): string[] {
  const hasRange = trials.some(({ pair }) => pair > 0);
  return [
    ...wrap(
      `Figures are medians over the trials of a cell${hasRange ? ", the range is that of their goodput" : ""}. same, unclear: on the plateau, ${NOT_TOLD_APART}.`,
      "  ",
    ),
    ...(closedForm === undefined || cells.every(({ k }) => k === undefined)
      ? []
      : wrap(
          `theory: C / (1 + r (K - 1)) with C = ${formatRate(closedForm.capacity)} and r = ${formatNumber(closedForm.rejectCost)}. ${closedForm.source}`,
          "  ",
        )),
    ...(recoveryScenario === undefined ? [] : wrap(`back in: ${recoveryScenario}`, "  ")),
    ...(limits.length === 0 ? [] : wrap(`Limits: ${limits.join(", ")}.`, "  ")),
  ];
}

/** What to ship: at the only load, or over all of them. */
function answerLines(sweep: Sweep): string[] {
  const answer = mainAnswer(sweep);
  if (answer === undefined) return [];
  const [only] = sweep.recommendations;
  return [...saying(answer), ...(sweep.overall === undefined && only !== undefined ? outLines(only) : [])];
}

function saying({ sentence, reasons }: Answer): string[] {
  return [...wrap(sentence), ...reasons.flatMap((reason) => wrap(reason, "  - "))];
}

function outLines({ excluded }: SweepRecommendation): string[] {
  return excluded.flatMap(({ arm, why }) => wrap(`${arm} takes no part: ${why}.`, "  - "));
}
