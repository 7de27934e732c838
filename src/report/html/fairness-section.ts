/** How evenly the target's work fell to the users, and to calls that matter more or less. */

import { exact, formatFigure, medianFigure } from "../../figures/figure.ts";
import { formatCount, formatNumber, formatPercent, NONE } from "../../figures/number-format.ts";
import { fairness } from "../../figures/trial-figures.ts";
import type { TrialResult } from "../../result/schema.ts";
import { median } from "../../stats/median.ts";
import { nameText } from "./arm-name.ts";
import { dataTable } from "./data-table.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { part, section } from "./section.ts";
import type { ArmView, Subject } from "./subject.ts";

type Users = NonNullable<TrialResult["users"]>;

export function fairnessSection(subject: Subject): Html {
  const arms = subject.arms.filter(({ trials }) => trials.some(({ users }) => users !== undefined));
  if (arms.length === 0) return EMPTY;
  const table = dataTable({
    caption:
      "Ok calls per user, medians over the trials of an arm. Jain's index is 1 when all users get the same, and 1 / users when one gets everything.",
    head: ["Arm", "Jain's index", "least served user", "most served user", "active users"],
    rows: arms.map((arm) => ({
      cells: [
        nameText(arm.name),
        jainText(arm),
        usersText(arm, ({ okMin }) => okMin),
        usersText(arm, ({ okMax }) => okMax),
        usersText(arm, ({ active }) => active),
      ],
    })),
  });
  return section(subject, "Fairness between users", html`${table}${criticalityTable(arms)}`);
}

function jainText({ trials }: ArmView): string {
  const figures = trials.map(fairness).map((value) => (value === undefined ? undefined : exact(value)));
  return formatFigure(medianFigure(figures));
}

function usersText({ trials }: ArmView, figure: (users: Users) => number): string {
  const known = trials.flatMap(({ users }) => (users === undefined ? [] : [figure(users)]));
  return known.length === 0 ? NONE : formatNumber(median(known)).replace(/\.0+$/u, "");
}

function criticalityTable(arms: readonly ArmView[]): Html {
  const rows = arms.flatMap((arm) => {
    const totals = new Map<string, { planned: number; ok: number; sent: number }>();
    for (const { criticality = [] } of arm.trials) {
      for (const { class: name, planned, ok, sent } of criticality) {
        const total = totals.get(name) ?? { planned: 0, ok: 0, sent: 0 };
        totals.set(name, { planned: total.planned + planned, ok: total.ok + ok, sent: total.sent + sent });
      }
    }
    return [...totals].map(([name, { planned, ok, sent }]) => ({
      cells: [
        nameText(arm.name),
        { prose: name },
        formatCount(planned),
        planned === 0 ? NONE : formatPercent(ok / planned),
        formatCount(ok),
        formatCount(sent),
      ],
    }));
  });
  if (rows.length === 0) return EMPTY;
  return html`${part("By how much a call matters")}${dataTable({
    caption: "All trials of an arm together",
    head: ["Arm", { prose: "Class" }, "calls", "ok, share", "ok", "attempts sent"],
    rows,
  })}`;
}
