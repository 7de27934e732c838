/** How the calls ended. */

import { formatCount, formatNumber, formatPercent, NONE } from "../../figures/number-format.ts";
import { OUTCOME_TEXT, OUTCOMES, type Outcome } from "../../figures/trial-figures.ts";
import { nameText, shorten } from "./arm-name.ts";
import { armSeries, binSeconds, lengthSeconds } from "./arm-series.ts";
import { dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { areaItem, legend } from "./legend.ts";
import { outcomeAreas, outcomeRate, outcomeTop } from "./outcome-areas.ts";
import { section } from "./section.ts";
import { stackedBars } from "./stacked-bars.ts";
import type { ArmView, Subject } from "./subject.ts";
import { timePlace, timeScale } from "./time-plot.ts";

/** Of more arms only the totals are drawn. */
const OVER_TIME_MAX = 4;
const BINS_MAX = 150;
/** More bars stand in two columns. */
const COLUMN_MAX = 6;

export function outcomesSection(subject: Subject): Html {
  const arms = subject.arms.filter((arm) => planned(arm) > 0);
  if (arms.length === 0) return EMPTY;
  const outcomes = OUTCOMES.filter((outcome) => arms.some((arm) => calls(arm, outcome) > 0));
  const bars = figureBlock({
    plots: halves(arms).map((some) =>
      stackedBars(
        subject.ids,
        "Share of the calls by how they ended",
        some.map((arm) => `${shorten(arm.name)}: ${shareText(arm, outcomes)}`).join(". "),
        some.map((arm) => ({
          label: arm.name,
          note: `${formatCount(planned(arm))} calls`,
          segments: outcomes.map((outcome) => ({ className: `o-${outcome}`, share: share(arm, outcome) })),
        })),
      ),
    ),
    legend: outcomeLegend(outcomes),
    caption: "All trials of an arm together, the warm-up left out.",
    table: dataTable({
      caption: "Calls by how they ended, all trials of an arm together",
      head: ["Arm", "calls", ...outcomes.map((outcome) => OUTCOME_TEXT[outcome])],
      rows: arms.map((arm) => ({
        cells: [
          nameText(arm.name),
          formatCount(planned(arm)),
          ...outcomes.map(
            (outcome) =>
              html`${formatPercent(share(arm, outcome))} <span class="muted">${formatCount(calls(arm, outcome))}</span>`,
          ),
        ],
      })),
    }),
  });
  const overTime = arms.length <= OVER_TIME_MAX ? areasFigure(subject, arms, outcomes) : EMPTY;
  return section(subject, "How the calls ended", html`${bars}${overTime}`);
}

function areasFigure(subject: Subject, arms: readonly ArmView[], outcomes: readonly Outcome[]): Html {
  const trials = arms.flatMap((arm) => arm.trials);
  const length = lengthSeconds(trials);
  if (length < 2) return EMPTY;
  const width = binSeconds(trials, BINS_MAX);
  const series = arms.map((arm) => ({ arm, bins: armSeries(arm.trials, width, length) }));
  const top = Math.max(...series.map(({ bins }) => outcomeTop(bins)));
  const x = timeScale(length);
  const table = subject.ids("outcomes-over-time");
  return figureBlock({
    plots: series.map(({ arm, bins }) =>
      outcomeAreas(subject.ids, {
        title: shorten(arm.name, 40),
        description: `Calls of each second by how they ended, stacked, with ${shorten(arm.name)}.`,
        bins,
        outcomes,
        trial: arm.first,
        lengthSeconds: length,
        top,
      }),
    ),
    caption: `Calls by the second in which they were due${trials.length > arms.length ? ", medians over the trials of an arm" : ""}${width > 1 ? `, means of ${width} s` : ""}.`,
    table: dataTable({
      caption: "Calls per second by how they ended",
      id: table,
      head: [
        "second",
        ...series.flatMap(({ arm }) =>
          outcomes.map((outcome) => `${arms.length > 1 ? `${shorten(arm.name, 20)}: ` : ""}${OUTCOME_TEXT[outcome]}`),
        ),
      ],
      rows: (series[0]?.bins ?? []).map((bin, index) => ({
        at: timePlace(bin, x),
        cells: [
          formatCount(bin.second),
          ...series.flatMap(({ bins }) =>
            outcomes.map((outcome) => {
              const other = bins[index];
              const value = other === undefined ? undefined : outcomeRate(other, outcome);
              return value === undefined ? NONE : formatNumber(value).replace(/\.0+$/u, "");
            }),
          ),
        ],
      })),
    }),
    readout: table,
  });
}

/** Many arms stand in two columns. */
function halves(arms: readonly ArmView[]): (readonly ArmView[])[] {
  const middle = Math.ceil(arms.length / 2);
  return arms.length > COLUMN_MAX ? [arms.slice(0, middle), arms.slice(middle)] : [arms];
}

function outcomeLegend(outcomes: readonly Outcome[]): Html {
  return legend(outcomes.map((outcome) => areaItem(`o-${outcome}`, OUTCOME_TEXT[outcome])));
}

function planned({ trials }: ArmView): number {
  return trials.reduce((total, trial) => total + trial.calls.planned, 0);
}

function calls({ trials }: ArmView, outcome: Outcome): number {
  return trials.reduce((total, trial) => total + trial.calls[outcome], 0);
}

function share(arm: ArmView, outcome: Outcome): number {
  return calls(arm, outcome) / planned(arm);
}

function shareText(arm: ArmView, outcomes: readonly Outcome[]): string {
  return outcomes
    .filter((outcome) => calls(arm, outcome) > 0)
    .map((outcome) => `${formatPercent(share(arm, outcome))} ${OUTCOME_TEXT[outcome]}`)
    .join(", ");
}
