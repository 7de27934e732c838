/** What happened during a trial, as the ground of a plot over time: the warm-up, the changes of its script, the drain. */

import { formatScript, parseScript, type ScriptChange } from "../../plan/script.ts";
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

const LABEL_MAX = 22;
/** About what a character takes. */
const CHARACTER = 6;
const ROWS = 2;

/** @returns none of a script that cannot be read, as of a newer version: it stands in words beside the plot. */
export function changesOf({ script, warmup }: TrialResult): Change[] {
  const start = warmup?.seconds ?? 0;
  return parsed(script ?? "").map((change) => ({
    from: start + change.fromSeconds,
    to: change.toSeconds === undefined ? undefined : start + change.toSeconds,
    what: formatScript([change]).replace(/^[^:]*:/u, ""),
  }));
}

function parsed(script: string): readonly ScriptChange[] {
  try {
    return script === "" ? [] : parseScript(script);
  } catch {
    return [];
  }
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
