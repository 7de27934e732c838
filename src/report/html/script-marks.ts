/** What happened during a trial, as the ground of a plot over time: the warm-up, the changes of its script, the drain. */

import type { TrialResult } from "../../result/schema.ts";
import { shorten } from "./arm-name.ts";
import { type Html, html } from "./html.ts";
import { AREA, round } from "./plot.ts";
import type { Scale } from "./scales.ts";

/** A change of the backend, in seconds of the trial. */
export interface Change {
  readonly from: number;
  /** undefined: to the end. */
  readonly to: number | undefined;
  readonly what: string;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
const CHANGE = /^(?<from>[^.:]+(?:\.\d+)?[a-z]*)\.\.(?<to>[^:]*):(?<what>.+)$/u;
const LABEL_MAX = 22;
/** About what a character takes. */
const CHARACTER = 6;
const ROWS = 2;

/** @returns those that can be read; the script stands in words beside the plot. */
export function changesOf({ script, warmup }: TrialResult): Change[] {
  const start = warmup?.seconds ?? 0;
  return (script ?? "").split(",").flatMap((part) => {
    const { from = "", to = "", what = "" } = CHANGE.exec(part.trim())?.groups ?? {};
    const fromSeconds = secondsOf(from);
    const toSeconds = to === "" ? undefined : secondsOf(to);
    if (fromSeconds === undefined || (to !== "" && toSeconds === undefined)) return [];
    return [{ from: start + fromSeconds, to: toSeconds === undefined ? undefined : start + toSeconds, what }];
  });
}

/** A duration as scripts write it: `20s`, `1m30s`, `250ms`. */
function secondsOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return undefined;
  return parts.reduce((total, [, value, unit]) => total + Number(value) * (UNIT_SECONDS[unit ?? ""] ?? 0), 0);
}

export function timeGround(trial: TrialResult, x: Scale): Html {
  const warm = trial.warmup?.seconds ?? 0;
  const end = warm + trial.durationSeconds;
  const [, last] = x.domain;
  return html`${warm > 0 && zone(x, 0, Math.min(warm, last), "shade")}${end < last && zone(x, end, last, "shade")}${changeMarks(changesOf(trial), x)}${warm > 0 && edge(x, warm)}${end < last && edge(x, end)}`;
}

/** The same as lines only, to lie over areas. */
export function timeEdges(trial: TrialResult, x: Scale): Html {
  const warm = trial.warmup?.seconds ?? 0;
  const last = x.domain[1];
  const moments = new Set([
    warm,
    warm + trial.durationSeconds,
    ...changesOf(trial).flatMap(({ from, to }) => [from, to ?? last]),
  ]);
  return html`${[...moments].filter((moment) => moment > 0 && moment < last).map((moment) => edge(x, moment))}`;
}

/** The words on the plot, above its lines. */
export function timeLabels(trial: TrialResult, x: Scale): Html {
  const warm = trial.warmup?.seconds ?? 0;
  const changes = changesOf(trial);
  const labels: Html[] = [];
  const ends = Array.from({ length: ROWS }, () => 0);
  const spans = [...(warm > 0 ? [{ from: 0, to: warm, what: "warm-up" }] : []), ...changes];
  for (const { from, to, what } of spans) {
    const text = shorten(what, LABEL_MAX);
    const width = text.length * CHARACTER;
    const left = Math.min(x.at(from) + 2, AREA.right - width);
    const row = ends.findIndex((taken) => left >= taken);
    if (row < 0 || x.at(from) > AREA.right || (to !== undefined && to <= 0)) continue;
    ends[row] = left + width + 6;
    labels.push(html`<text class="strong over" x="${round(left)}" y="${AREA.top + 12 + 13 * row}">${text}</text>`);
  }
  return html`${labels}`;
}

function changeMarks(changes: readonly Change[], x: Scale): Html {
  return html`${changes.map(({ from, to }) => zone(x, from, Math.min(to ?? x.domain[1], x.domain[1]), "change"))}`;
}

function zone(x: Scale, from: number, to: number, className: string): Html {
  const left = round(x.at(from));
  const width = round(x.at(to)) - left;
  if (width <= 0) return html``;
  return html`<rect class="${className}" x="${left}" y="${AREA.top}" width="${round(width)}" height="${AREA.bottom - AREA.top}"/>`;
}

function edge(x: Scale, at: number): Html {
  return html`<path class="edge" d="M${round(x.at(at))},${AREA.top}V${AREA.bottom}"/>`;
}
