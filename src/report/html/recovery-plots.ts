/** The drawings of a recovery: what was served around the trigger, how long it took, and what the calls grew to. */

import { formatNumber, formatPercent, formatSeconds } from "../../figures/number-format.ts";
import { median } from "../../stats/median.ts";
import { BACK_SHARE, medianTime } from "../../stats/recovery-time.ts";
import { shorten } from "./arm-name.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { armClass } from "./palette.ts";
import { ACROSS, AREA, drawing, PLOT, plot, round, UPWARDS } from "./plot.ts";
import type { ServedCurves, ServedPoint, ServedSpan, TriggeredTrial } from "./recovery-curves.ts";
import { exactScale, linearScale, type Scale } from "./scales.ts";
import { linePath, markerPath } from "./shapes.ts";
import type { ArmView } from "./subject.ts";
import { axisNumber } from "./time-plot.ts";

export function servedScale({ from, to }: ServedSpan): Scale {
  return exactScale([from, to], ACROSS, 6);
}

export function servedPlot(ids: Ids, { arm, trials, each, middle }: ServedCurves, x: Scale): Html {
  const y = linearScale([0, 1], UPWARDS, 4);
  const place = ({ at, share }: ServedPoint): { x: number; y: number } | undefined =>
    share === undefined ? undefined : { x: x.at(at), y: y.at(share) };
  const longest = Math.max(0, ...trials.map(({ recovery: { trigger } }) => trigger.toSeconds - trigger.fromSeconds));
  const left = round(x.at(Math.max(x.domain[0], -longest)));
  const right = round(x.at(0));
  const back = round(y.at(BACK_SHARE));
  return plot(ids, {
    title: shorten(arm.name, 40),
    description: servedText(arm, trials),
    x: { label: "seconds after the end of the trigger", scale: x, format: axisNumber },
    y: { label: "calls that came back ok", scale: y, format: (value) => `${axisNumber(100 * value)}%` },
    ground: html`<rect class="change" x="${left}" y="${AREA.top}" width="${round(Math.max(1.5, right - left))}" height="${AREA.bottom - AREA.top}"/><path class="edge" d="M${right},${AREA.top}V${AREA.bottom}"/>`,
    marks: html`<path class="limit" d="M${AREA.left},${back}H${AREA.right}"/><g class="${armClass(arm.index)}" data-series="arm-${arm.index}">${each.length > 1 && each.map((curve) => html`<path class="thin" d="${linePath(curve.map(place))}"/>`)}<path class="line thick" d="${linePath(middle.map(place))}"/></g>`,
  });
}

function servedText({ name }: ArmView, trials: readonly TriggeredTrial[]): string {
  const stuck = trials.filter(({ recovery }) => recovery.seconds === null).length;
  const back = trials.flatMap(({ recovery }) => recovery.seconds ?? []);
  const times =
    back.length === 0
      ? ""
      : ` Those that came back took ${formatNumber(Math.min(...back))} to ${formatNumber(Math.max(...back))} s.`;
  return `With ${shorten(name)}, the share of the calls of each second that came back ok: a thin line for each of ${trials.length} trials, a thick one for their median. ${stuck} of them did not come back.${times}`;
}

export interface StripRow {
  readonly arm: ArmView;
  readonly trials: readonly TriggeredTrial[];
}

const TOP = 26;
const DOT = 5.6;
/** A taller stack is set closer. */
const STACK_MAX = 12;
const LABEL = 18;
const STRIP_LEFT = 14;
const STRIP_RIGHT = PLOT.width - 14;

/** How long each trial took: dots, stacked where they meet; what did not come back points beyond the horizon. */
export function stripPlot(ids: Ids, rows: readonly StripRow[], withinSeconds: number | undefined): Html {
  const all = rows.flatMap(({ trials }) => trials);
  const back = all.flatMap(({ recovery }) => recovery.seconds ?? []);
  const horizons = all.flatMap(({ recovery }) => (recovery.seconds === null ? [recovery.horizonSeconds] : []));
  const most = Math.max(1, (withinSeconds ?? 0) * 1.1, ...back.map((seconds) => seconds * 1.05), ...horizons);
  const x = exactScale([0, most], [STRIP_LEFT, STRIP_RIGHT], 6);
  let top = TOP;
  const drawn = rows.map((row) => {
    const part = stripRow(row, top, x);
    top = part.bottom;
    return part.marks;
  });
  const bottom = top + 4;
  const ticks = x.ticks.map((tick) => {
    const place = round(x.at(tick));
    return html`<path class="grid" d="M${place},${TOP - 4}V${bottom}"/><text x="${place}" y="${bottom + 15}" text-anchor="middle">${axisNumber(tick)}</text>`;
  });
  const bound =
    withinSeconds !== undefined && html`<path class="limit" d="M${round(x.at(withinSeconds))},${TOP - 4}V${bottom}"/>`;
  const title = "Time to recover";
  return drawing(
    ids,
    title,
    rows.map(stripText).join(" "),
    bottom + 34,
    html`<text class="name" x="2" y="14">${title}</text>${ticks}${bound}<path class="axis" d="M${STRIP_LEFT},${bottom}H${STRIP_RIGHT}"/>${drawn}<text x="${STRIP_RIGHT}" y="${bottom + 30}" text-anchor="end">seconds after the end of the trigger</text>`,
  );
}

function stripRow({ arm, trials }: StripRow, top: number, x: Scale): { marks: Html; bottom: number } {
  const stacks = new Map<number, TriggeredTrial[]>();
  for (const one of trials) {
    const { seconds, horizonSeconds } = one.recovery;
    // What is nearer than a dot is wide stands on top of each other.
    const column = Math.round(x.at(seconds ?? horizonSeconds) / DOT);
    stacks.set(column, [...(stacks.get(column) ?? []), one]);
  }
  const tallest = Math.max(1, ...[...stacks.values()].map(({ length }) => length));
  const step = DOT * Math.min(1, STACK_MAX / tallest);
  const base = top + LABEL + step * tallest + 3;
  const dots = [...stacks.values()].flatMap((stack) =>
    stack.map((one, index) => stripDot(one, round(base - step * (index + 0.5)), x)),
  );
  const middle = medianTime(trials.map(({ recovery }) => recovery.seconds));
  const rod =
    middle !== null &&
    html`<path class="rod upright" d="M${round(x.at(middle))},${round(base + 3)}V${round(base - step * tallest - 3)}"/>`;
  return {
    marks: html`<text class="strong over" x="2" y="${top + 12}">${shorten(arm.name, 34)}</text><text class="over" x="${PLOT.width - 2}" y="${top + 12}" text-anchor="end">${backText(trials)}</text><g class="${armClass(arm.index)}" data-series="arm-${arm.index}"><path class="join" d="M${STRIP_LEFT},${round(base)}H${STRIP_RIGHT}"/>${rod}${dots}</g>`,
    bottom: base + 12,
  };
}

function stripDot({ trial, recovery }: TriggeredTrial, y: number, x: Scale): Html {
  const { seconds, horizonSeconds } = recovery;
  const place = round(x.at(seconds ?? horizonSeconds));
  return seconds === null
    ? html`<path class="hollow" transform="translate(${place},${y})" d="M-2.6,-2.8L3,0L-2.6,2.8Z"><title>trial ${trial.pair + 1}: not within ${formatSeconds(horizonSeconds)}</title></path>`
    : html`<circle class="dot" cx="${place}" cy="${y}" r="2.7"><title>trial ${trial.pair + 1}: ${formatSeconds(seconds)}</title></circle>`;
}

function backText(trials: readonly TriggeredTrial[]): string {
  const back = trials.filter(({ recovery }) => recovery.seconds !== null).length;
  return `${back} of ${trials.length} came back`;
}

function stripText({ arm, trials }: StripRow): string {
  const times = trials.map(({ recovery }) =>
    recovery.seconds === null
      ? `not within ${formatSeconds(recovery.horizonSeconds)}`
      : formatSeconds(recovery.seconds),
  );
  return `${shorten(arm.name)}: ${times.join(", ")}.`;
}

/** Attempts sent per call before, during and after the trigger. */
export interface Amplification {
  readonly arm: ArmView;
  readonly phases: readonly (readonly number[])[];
}

const PHASES = ["before", "during", "after"] as const;
const BESIDE = 11;

export function amplificationOf({ arm, trials }: StripRow): Amplification {
  return {
    arm,
    phases: [
      trials.flatMap((one) => amplificationBefore(one) ?? []),
      trials.map(({ recovery }) => recovery.amplificationDuring),
      trials.map(({ recovery }) => recovery.amplificationAfter),
    ],
  };
}

/** Of the seconds of the measured window that ended before the trigger; undefined where no call was due in them. */
export function amplificationBefore({ trial, recovery }: TriggeredTrial): number | undefined {
  const start = trial.warmup?.seconds ?? 0;
  const end = Math.floor(start + recovery.trigger.fromSeconds);
  const rows = trial.series.filter(({ second }) => second >= start && second < end);
  const offered = rows.reduce((sum, row) => sum + row.offered, 0);
  return offered === 0 ? undefined : rows.reduce((sum, row) => sum + row.sent, 0) / offered;
}

export function amplificationPlot(ids: Ids, arms: readonly Amplification[]): Html {
  const x = exactScale([-0.5, PHASES.length - 0.5], ACROSS);
  const y = linearScale([0, Math.max(1, ...arms.flatMap(({ phases }) => phases.flat()))], UPWARDS, 4);
  const one = round(y.at(1));
  return plot(ids, {
    title: "Attempts sent per call",
    description: arms.map(amplificationText).join(" "),
    x: {
      label: "the trigger",
      scale: { ...x, ticks: PHASES.map((_, index) => index) },
      format: (place) => PHASES[place] ?? "",
    },
    y: { label: "sent / calls", scale: y, format: axisNumber },
    marks: html`<path class="zero" d="M${AREA.left},${one}H${AREA.right}"/>${arms.map((arm, index) => amplificationMarks(arm, BESIDE * (index - (arms.length - 1) / 2), x, y))}`,
  });
}

function amplificationMarks({ arm, phases }: Amplification, beside: number, x: Scale, y: Scale): Html {
  const points = phases.map((values, phase) =>
    values.length === 0
      ? undefined
      : {
          x: round(x.at(phase) + beside),
          y: round(y.at(median(values))),
          low: round(y.at(Math.min(...values))),
          high: round(y.at(Math.max(...values))),
        },
  );
  const marks = points.map(
    (point) =>
      point !== undefined &&
      html`${point.low - point.high >= 1 && html`<path class="rod" d="M${point.x},${point.low}V${point.high}M${point.x - 3},${point.low}h6M${point.x - 3},${point.high}h6"/>`}<path class="dot" transform="translate(${point.x},${point.y})" d="${markerPath(arm.index)}"/>`,
  );
  return html`<g class="${armClass(arm.index)}" data-series="arm-${arm.index}"><path class="line dash" d="${linePath(points)}"/>${marks}</g>`;
}

function amplificationText({ arm, phases }: Amplification): string {
  const told = phases.flatMap((values, phase) =>
    values.length === 0 ? [] : [`${formatNumber(median(values))} ${PHASES[phase]}`],
  );
  return `${shorten(arm.name)}: ${told.join(", ")}.`;
}

/** `95 %`. */
export const BACK_TEXT: string = formatPercent(BACK_SHARE);
