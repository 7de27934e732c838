/** A recovery in Markdown: the verdict on each arm, and the map of the loads. */

import { formatCount, formatNumber, formatPercent, formatSeconds, NONE } from "../../figures/number-format.ts";
import type { ArmRecovery } from "../../result/recovery-schema.ts";
import type { Result } from "../../result/schema.ts";
import { recoveryClientsText } from "../recovery-clients.ts";
import { type Column, escapeMarkdown, markdownTable } from "./markdown-text.ts";

const ARMS: readonly Column[] = [
  ["Arm", "left"],
  ["Verdict", "left"],
  ["Stuck", "right"],
  ["95 % interval", "right"],
  ["Back after", "right"],
  ["Reacted after", "right"],
  ["Collapse depth", "right"],
  ["Sent per call, during", "right"],
  ["And after", "right"],
];
const MAP: readonly Column[] = [
  ["Arm", "left"],
  ["Served without the trigger, per s", "right"],
  ["Survives it, per s", "right"],
  ["Gap", "right"],
];

export function recoveryLines(result: Result): string[] {
  const { recovery } = result;
  if (recovery === undefined) return [];
  const { trigger, withinSeconds, horizonSeconds, arms, map } = recovery;
  return [
    "### Recovery",
    "",
    ...markdownTable(ARMS, arms.map(armRow)),
    "",
    escapeMarkdown(
      `Trigger ${trigger}, ${recoveryClientsText(result)}. Times are medians over the trials; stuck is what was not back within ${formatSeconds(horizonSeconds)}, stable what always comes back, in ${formatSeconds(withinSeconds)} in the median.`,
    ),
    ...(map === undefined
      ? []
      : [
          "",
          "### Over the load",
          "",
          ...markdownTable(
            MAP,
            map.arms.map(({ arm, served, servedUpTo, survives, survivesUpTo, gap }) => [
              arm,
              bracketText(served, servedUpTo),
              bracketText(survives, survivesUpTo),
              gap === null ? NONE : formatPercent(gap),
            ]),
          ),
          "",
          "Each as the highest load that passed / the lowest that did not.",
        ]),
  ];
}

function armRow(arm: ArmRecovery): string[] {
  const { trials, stuck } = arm;
  const time = (seconds: number | null): string => (seconds === null ? "never" : formatSeconds(seconds));
  const figure = (value: number | null, format: (value: number) => string): string =>
    value === null ? NONE : format(value);
  return [
    arm.arm,
    arm.verdict,
    `${formatCount(stuck.count)} of ${formatCount(trials)}`,
    trials === 0 ? NONE : `${formatPercent(stuck.low)} to ${formatPercent(stuck.high)}`,
    trials === 0 ? NONE : time(arm.seconds.median),
    trials === 0 ? NONE : time(arm.reactSeconds.median),
    figure(arm.depth.median, formatPercent),
    figure(arm.amplificationDuring.median, formatNumber),
    figure(arm.amplificationAfter.median, formatNumber),
  ];
}

function bracketText(passed: number | null, failed: number | null): string {
  return `${passed === null ? "none" : formatNumber(passed)} / ${failed === null ? "none" : formatNumber(failed)}`;
}
