/** The result of `recovery` as text. */

import { formatCount, formatNumber, formatPercent, formatRate, formatSeconds, NONE } from "../figures/number-format.ts";
import { policySpec } from "../figures/policy-text.ts";
import type { ArmRecovery, Recovery } from "../result/recovery-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { renderAb } from "./ab-text.ts";
import { multipleWords } from "./capacity-load-text.ts";
import { PARTIAL_TEXT, worldText } from "./context-line.ts";
import { displayWidth } from "./display-width.ts";
import { page } from "./page.ts";
import { recoveryClientsText } from "./recovery-clients.ts";
import { resumedLines } from "./resumed-text.ts";
import { shorten } from "./shorten.ts";
import { renderTable } from "./table.ts";
import { sharedReasonLines, verdictSummary } from "./validity-text.ts";
import { wrap } from "./wrap.ts";

const WIDTH = 80;
const GAP = 2;
/** Of a name, so much is left in any case. */
const NAME_WIDTH_MIN = 8;

/** Renders a result with what follows from its trials; where it holds nothing of that, as a comparison of arms. */
export function renderRecovery(result: Result): string {
  const { recovery, trials, design } = result;
  const [first] = trials;
  if (first === undefined) return page(["No trial was measured."]);
  if (recovery === undefined) return renderAb(result);
  const { arms, conclusion, map } = recovery;
  return page([
    ...(result.partial ? wrapped(`PARTIAL: ${PARTIAL_TEXT}`) : []),
    ...wrapped(conclusion),
    "",
    ...armTable(arms),
    ...probeLines(recovery),
    ...(map === undefined ? [] : ["", ...map.arms.flatMap(({ sentence }) => wrapped(sentence, "- "))]),
    "",
    ...meaningLines(recovery),
    "",
    ...doneLines(result, recovery, first),
    ...resumedLines(design),
    ...arms.flatMap(({ arm }) => policyLines(trials, arm)),
    "",
    ...wrapped(`Validity of the trials: ${verdictSummary(trials)}.`),
    ...sharedReasonLines(trials, WIDTH),
  ]);
}

const HEAD = ["verdict", "stuck (95 %)", "back", "reacts", "depth", "sent/call", "after"];

/** A line for each arm; names have what the figures leave of the page. */
function armTable(arms: readonly ArmRecovery[]): string[] {
  const rows = [HEAD, ...arms.map(figures)];
  const taken = renderTable(rows, { align: ["left"], gap: GAP }).map(displayWidth);
  const room = Math.max(NAME_WIDTH_MIN, WIDTH - GAP - Math.max(...taken));
  const names = ["", ...arms.map(({ arm }) => shorten(arm, room))];
  return renderTable(
    rows.map((row, index) => [names[index] ?? "", ...row]),
    { align: ["left", "left"], gap: GAP },
  );
}

function figures(one: ArmRecovery): string[] {
  const { verdict, trials, stuck, seconds, reactSeconds, depth, amplificationDuring, amplificationAfter } = one;
  if (trials === 0) return [verdict, ...HEAD.slice(1).map(() => NONE)];
  return [
    verdict,
    `${formatCount(stuck.count)}/${formatCount(trials)} (${formatPercent(stuck.low).replace(" %", "")}-${formatPercent(stuck.high)})`,
    timeText(seconds.median),
    timeText(reactSeconds.median),
    figureText(depth.median, formatPercent),
    figureText(amplificationDuring.median, formatNumber),
    figureText(amplificationAfter.median, formatNumber),
  ];
}

/** What it did not come to in at least half of the trials is never. */
function timeText(seconds: number | null): string {
  return seconds === null ? "never" : formatSeconds(seconds);
}

function figureText(value: number | null, format: (value: number) => string): string {
  return value === null ? NONE : format(value);
}

/** As --trigger writes it. */
function parseKind(trigger: string): string {
  return trigger.split(/[:=]/u, 1)[0] ?? "";
}

/** What the target bears while it serves nothing. */
function probeLines({ arms, trigger }: Recovery): string[] {
  if (parseKind(trigger) !== "outage") return [];
  const known = arms.flatMap(({ arm, sentDuring: { median } }) =>
    median === null ? [] : [`${arm} ${formatRate(median)}`],
  );
  return known.length === 0 ? [] : ["", ...wrapped(`Probes in the last half of the outage: ${known.join(", ")}.`)];
}

const BACK = "95 % of the calls of five seconds came back ok";

function meaningLines({ arms, withinSeconds, horizonSeconds }: Recovery): string[] {
  const horizon = formatSeconds(horizonSeconds);
  const meanings: Readonly<Record<ArmRecovery["verdict"], string>> = {
    stable: `every trial came back, and the median within ${formatSeconds(withinSeconds)}`,
    vulnerable: `some trials did not come back within ${horizon}, or the median took more than ${formatSeconds(withinSeconds)}`,
    metastable: `at least half of the trials did not come back within ${horizon}, though what disturbed them was over`,
    overloaded: "less than 95 % of the calls came back ok before the trigger already",
    unknown: "no trial can be trusted",
  };
  const used = Object.entries(meanings).filter(([verdict]) => arms.some((arm) => arm.verdict === verdict));
  return [
    ...used.flatMap(([verdict, meaning]) => wrapped(`${meaning}.`, `${verdict}: `, "  ")),
    ...wrapped(`from the trigger's end until ${BACK}; median of the trials.`, "back: ", "  "),
    ...wrapped(
      "from its start until a tenth of a second's calls were refused by the policy; depth: the share of the calls of the worst five seconds that failed; sent/call: attempts for each call during the trigger, and after it.",
      "reacts: ",
      "  ",
    ),
  ];
}

function doneLines(result: Result, recovery: Recovery, trial: TrialResult): string[] {
  const { trigger, hook, rps, settleSeconds, horizonSeconds } = recovery;
  const { plan, design } = result;
  const by = hook === undefined ? "" : ` by '${hook}'`;
  const before = settleSeconds === undefined ? "" : `${formatSeconds(settleSeconds)} of base load, `;
  return wrapped(
    [
      `Done: ${before}${trigger}${by}, ${formatSeconds(horizonSeconds)} of base load`,
      `${plan.arrival} arrivals${rps === undefined ? ` at ${plan.rate}` : ` at ${formatRate(rps)}`}${multipleWords(result, rps ?? plan.rps)}`,
      `${formatCount(plan.users)} users, ${recoveryClientsText(result)}`,
      `${formatCount(design.pairs)} ${design.pairs === 1 ? "seed" : "seeds"} from ${plan.seed} on`,
      `${worldText(trial)}.`,
    ].join("; "),
  );
}

function policyLines(trials: readonly TrialResult[], arm: string): string[] {
  const policy = trials.find((trial) => trial.arm === arm)?.policy;
  return policy === undefined ? [] : wrapped(`policy ${policySpec(policy)}`, `  ${arm}: `);
}

function wrapped(text: string, first?: string, next?: string): string[] {
  return wrap(text, first, next, WIDTH);
}
