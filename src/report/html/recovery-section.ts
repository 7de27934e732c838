/** Whether the system comes back after the trigger: a verdict for each arm, and what it rests on. */

import { formatCount, formatNumber, formatPercent, formatSeconds, NONE } from "../../figures/number-format.ts";
import type { ArmRecovery, Recovery } from "../../result/recovery-schema.ts";
import type { Result } from "../../result/schema.ts";
import { recoveryClientsText } from "../recovery-clients.ts";
import { nameText, shorten } from "./arm-name.ts";
import { type Cell, dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { armItem, legend, pathItem, zoneItem } from "./legend.ts";
import { type ServedCurves, type ServedSpan, servedCurves, servedSpan, triggeredTrials } from "./recovery-curves.ts";
import { mapFigure } from "./recovery-map.ts";
import {
  amplificationBefore,
  amplificationOf,
  amplificationPlot,
  BACK_TEXT,
  type StripRow,
  servedPlot,
  servedScale,
  stripPlot,
} from "./recovery-plots.ts";
import { part, section } from "./section.ts";
import type { Subject } from "./subject.ts";

const POINTS_MAX = 150;
/** More plots are set smaller. */
const LARGE_MAX = 4;

export function recoverySection(subject: Subject): Html {
  const rows = subject.arms
    .map((arm): StripRow => ({ arm, trials: triggeredTrials(arm) }))
    .filter(({ trials }) => trials.length > 0);
  const { recovery } = subject.result;
  if (rows.length === 0 && recovery === undefined) return EMPTY;
  return section(
    subject,
    "Does it come back?",
    html`${recovery !== undefined && html`${terms(recovery, subject.result)}${verdictTable(subject, recovery)}`}${rows.length > 0 && html`${part("Around the trigger")}${servedFigure(subject, rows)}${part("How long it took, and what it cost")}${timesFigure(subject, rows, recovery)}${recovery !== undefined && costTable(recovery)}`}${recovery?.map !== undefined && html`${part("Over the load")}${mapFigure(subject, recovery.map)}`}`,
  );
}

/** What was done, and when a trial is back. */
function terms(recovery: Recovery, result: Result): Html {
  const { trigger, hook, withinSeconds, horizonSeconds } = recovery;
  return html`<p class="muted">The trigger was <code>${trigger}</code>${hook !== undefined && html`, brought about by <code>${hook}</code>`}. A trial is back when ${BACK_TEXT} of the calls of five seconds come back ok; it is stuck when that does not happen within ${formatSeconds(horizonSeconds)}. Stable is what always comes back, in ${formatSeconds(withinSeconds)} in the median. The load came from ${recoveryClientsText(result)}: aged is with so much healthy traffic behind each, cold without a past.</p>`;
}

const VERDICT_TONE: Readonly<Record<ArmRecovery["verdict"], string>> = {
  stable: "good",
  vulnerable: "doubt",
  metastable: "bad",
  overloaded: "bad",
  unknown: "none",
};
const VERDICT_SIGN: Readonly<Record<ArmRecovery["verdict"], string>> = {
  stable: "✓",
  vulnerable: "!",
  metastable: "✕",
  overloaded: "✕",
  unknown: "?",
};

/** The word, in its tone and with a sign: no reader needs the colour. */
export function recoveryMark(verdict: ArmRecovery["verdict"]): Html {
  return html`<span class="mark tone-${VERDICT_TONE[verdict]}">${VERDICT_SIGN[verdict]} ${verdict}</span>`;
}

function verdictTable(subject: Subject, { arms }: Recovery): Html {
  const policies = new Map(subject.arms.map(({ name, policy }) => [name, policy]));
  return dataTable({
    caption:
      "The share of stuck trials with its interval; times are medians over the trials, least and most in brackets",
    head: ["Arm", { prose: "Verdict" }, "stuck", "share", "95 % interval", "back after, s", "reacted after, s"],
    rows: arms.map(({ arm, verdict, trials, stuck, seconds, reactSeconds }) => ({
      cells: [
        armLabel(arm, policies.get(arm)),
        { prose: recoveryMark(verdict) },
        `${formatCount(stuck.count)} of ${formatCount(trials)}`,
        trials === 0 ? NONE : formatPercent(stuck.share),
        trials === 0 ? NONE : `${formatPercent(stuck.low)} to ${formatPercent(stuck.high)}`,
        timeText(seconds, trials),
        timeText(reactSeconds, trials),
      ],
    })),
  });
}

/** The arm's name, and its policy unless that is the name. */
function armLabel(arm: string, policy: string | undefined): Html {
  return policy === undefined || policy === arm
    ? nameText(arm)
    : html`${nameText(arm)} <span class="muted">${nameText(policy)}</span>`;
}

/** Of a time null is never: it did not happen in so many trials. */
function timeText({ median: middle, min, max }: ArmRecovery["seconds"], trials: number): Cell {
  if (trials === 0) return NONE;
  if (min === null) return "never";
  const text = (seconds: number | null): string => (seconds === null ? "never" : formatNumber(seconds));
  return min === max ? text(middle) : html`${text(middle)} <span class="muted">(${text(min)} to ${text(max)})</span>`;
}

function costTable({ arms, trigger }: Recovery): Html {
  return dataTable({
    caption: "Medians over the trials, least and most in brackets",
    head: [
      "Arm",
      "collapse depth",
      "sent per call, during",
      "and after",
      trigger.startsWith("outage") ? "probes per s, last half" : "sent per s, during",
    ],
    rows: arms.map(({ arm, depth, amplificationDuring, amplificationAfter, sentDuring }) => ({
      cells: [
        nameText(arm),
        spreadText(depth, formatPercent),
        spreadText(amplificationDuring, formatNumber),
        spreadText(amplificationAfter, formatNumber),
        spreadText(sentDuring, formatNumber),
      ],
    })),
  });
}

function spreadText({ median: middle, min, max }: ArmRecovery["depth"], format: (value: number) => string): Cell {
  if (middle === null) return NONE;
  const range =
    min !== null &&
    max !== null &&
    format(min) !== format(max) &&
    html` <span class="muted">(${format(min)} to ${format(max)})</span>`;
  return html`${format(middle)}${range}`;
}

function servedFigure(subject: Subject, rows: readonly StripRow[]): Html {
  const all = rows.flatMap(({ trials }) => trials);
  const span = servedSpan(all, POINTS_MAX);
  const x = servedScale(span);
  const curves = rows.map(({ arm, trials }) => servedCurves(arm, trials, span));
  const table = subject.ids("served");
  return figureBlock({
    plots: curves.map((curve) => servedPlot(subject.ids, curve, x)),
    legend: legend([
      {
        swatch: html`<g class="a6"><path class="thin" d="M0,4H30M0,10H30"/></g>`,
        label: "a trial each",
      },
      { swatch: html`<g class="a6"><path class="line thick" d="M0,7H30"/></g>`, label: "their median" },
      zoneItem("change", "the trigger"),
      pathItem("limit", `${BACK_TEXT}: back`),
    ]),
    caption: `Calls by the second in which they were due${span.width > 1 ? `, ${span.width} s a point` : ""}. All axes are the same.`,
    table: servedTable(curves, span, table, x.at),
    readout: table,
    small: curves.length > LARGE_MAX,
  });
}

function servedTable(
  curves: readonly ServedCurves[],
  { width }: ServedSpan,
  id: string,
  at: (value: number) => number,
): Html {
  return dataTable({
    caption: `Share of the calls that came back ok, by the second after the end of the trigger${width > 1 ? ` from which ${width} s are taken together` : ""}: the median over the trials, the least of them`,
    id,
    head: ["second", ...curves.flatMap(({ arm }) => [shorten(arm.name, 24), "least"])],
    rows: (curves[0]?.middle ?? []).map((point, index) => ({
      at: at(point.at),
      cells: [
        formatNumber(point.at - width / 2).replace(/\.0+$/u, ""),
        ...curves.flatMap(({ middle, each }): Cell[] => {
          const known = each.flatMap((curve) => curve[index]?.share ?? []);
          const share = middle[index]?.share;
          return share === undefined ? [NONE, NONE] : [formatPercent(share), formatPercent(Math.min(...known))];
        }),
      ],
    })),
  });
}

function timesFigure(subject: Subject, rows: readonly StripRow[], recovery: Recovery | undefined): Html {
  return figureBlock({
    plots: [
      stripPlot(subject.ids, rows, recovery?.withinSeconds),
      amplificationPlot(subject.ids, rows.map(amplificationOf)),
    ],
    legend: legend([
      ...rows.map(({ arm }) => armItem(arm)),
      {
        swatch: html`<g class="a6"><path class="hollow" transform="translate(15,7)" d="M-4,-4.4L4.6,0L-4,4.4Z"/></g>`,
        label: "not within the horizon, and drawn there",
      },
      ...(recovery === undefined ? [] : [pathItem("limit", `stable: within ${formatSeconds(recovery.withinSeconds)}`)]),
    ]),
    caption:
      "Left: a dot is a trial, an upright line the median where more than half came back. Right: medians, bars from the least to the most; calls by the second in which they were due, whenever their attempts were sent.",
    table: timesTable(rows),
  });
}

function timesTable(rows: readonly StripRow[]): Html {
  return dataTable({
    caption: "Trial by trial; before, during and after the trigger are attempts sent per call",
    head: ["Arm", "trial", "back after, s", "reacted after, s", "before", "during", "after", "collapse depth"],
    rows: rows.flatMap(({ arm, trials }) =>
      trials.map((one) => {
        const { trial, recovery } = one;
        const before = amplificationBefore(one);
        return {
          cells: [
            nameText(arm.name),
            formatCount(trial.pair + 1),
            recovery.seconds === null ? `> ${formatNumber(recovery.horizonSeconds)}` : formatNumber(recovery.seconds),
            recovery.reactSeconds === null ? "never" : formatNumber(recovery.reactSeconds),
            before === undefined ? NONE : formatNumber(before),
            formatNumber(recovery.amplificationDuring),
            formatNumber(recovery.amplificationAfter),
            formatPercent(recovery.depth),
          ],
        };
      }),
    ),
  });
}
