/** What the target spent its processor time on, where it told. */

import { formatPercent, formatSeconds, NONE } from "../../figures/number-format.ts";
import type { TargetStats } from "../../result/schema.ts";
import { nameText } from "./arm-name.ts";
import { dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html } from "./html.ts";
import { areaItem, legend } from "./legend.ts";
import { section } from "./section.ts";
import { stackedBars } from "./stacked-bars.ts";
import type { ArmView, Subject } from "./subject.ts";

interface CpuTime {
  readonly arm: ArmView;
  readonly acceptSeconds: number;
  readonly rejectSeconds: number;
  readonly otherSeconds: number;
  readonly totalSeconds: number;
  readonly wallSeconds: number;
}

export function cpuSection(subject: Subject): Html {
  const times = subject.arms.flatMap(cpuTime);
  if (times.length === 0) return EMPTY;
  const text = ({ acceptSeconds, rejectSeconds, otherSeconds, totalSeconds }: CpuTime): string =>
    `${formatPercent(acceptSeconds / totalSeconds)} accepted work, ${formatPercent(rejectSeconds / totalSeconds)} rejections, ${formatPercent(otherSeconds / totalSeconds)} overhead`;
  const body = figureBlock({
    plots: [
      stackedBars(
        subject.ids,
        "Processor time of the target",
        times.map((time) => `${time.arm.name}: ${text(time)}`).join(". "),
        times.map((time) => ({
          label: time.arm.name,
          note: busyText(time),
          segments: [
            { className: "o-ok", share: time.acceptSeconds / time.totalSeconds },
            { className: "o-failed", share: time.rejectSeconds / time.totalSeconds },
            { className: "o-dropped", share: time.otherSeconds / time.totalSeconds },
          ],
        })),
      ),
    ],
    legend: legend([
      areaItem("o-ok", "accepted work"),
      areaItem("o-failed", "rejections"),
      areaItem("o-dropped", "overhead: connections, reading, writing"),
    ]),
    caption: "As the target itself counted, all trials of an arm together.",
    table: dataTable({
      caption: "Processor time of the target",
      head: ["Arm", "accepted work", "rejections", "overhead", "total", "of a core"],
      rows: times.map((time) => ({
        cells: [
          nameText(time.arm.name),
          formatSeconds(time.acceptSeconds),
          formatSeconds(time.rejectSeconds),
          formatSeconds(time.otherSeconds),
          formatSeconds(time.totalSeconds),
          time.wallSeconds === 0 ? NONE : formatPercent(time.totalSeconds / time.wallSeconds),
        ],
      })),
    }),
  });
  return section(subject, "What the target spent its processor on", body);
}

function cpuTime(arm: ArmView): CpuTime[] {
  const targets = arm.trials.flatMap(({ target }) => (target === undefined ? [] : [target]));
  const sum = (figure: (target: TargetStats) => number): number =>
    targets.reduce((total, target) => total + figure(target), 0);
  const acceptSeconds = sum(({ cpuAcceptSeconds }) => cpuAcceptSeconds);
  const rejectSeconds = sum(({ cpuRejectSeconds }) => cpuRejectSeconds);
  const requestSeconds = acceptSeconds + rejectSeconds;
  // The process's own count is coarser than that of its work.
  const totalSeconds = Math.max(
    requestSeconds,
    sum(({ cpuTotalSeconds }) => cpuTotalSeconds),
  );
  if (totalSeconds === 0) return [];
  const wallSeconds = sum(({ wallSeconds }) => wallSeconds);
  return [
    { arm, acceptSeconds, rejectSeconds, otherSeconds: totalSeconds - requestSeconds, totalSeconds, wallSeconds },
  ];
}

function busyText({ totalSeconds, wallSeconds }: CpuTime): string {
  return wallSeconds === 0 ? "" : `${formatPercent(totalSeconds / wallSeconds)} of a core`;
}
