/** What the virtual twin of a real trial says, as a part of the trial's text. */

import { formatCount, formatMs, formatNumber, formatPercent, NONE } from "../figures/number-format.ts";
import type { MadeTwin, ServiceLaw, TrialResult, Twin, TwinFigure } from "../result/schema.ts";
import { renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

/** The twin explains a target whose goodput it meets as closely as this ... */
const EXPLAINS_WITHIN = 0.1;
/** ... and has missed something about it from there on. */
const MISSES_FROM = 0.25;

const FIGURES: readonly (readonly [keyof MadeTwin["figures"], string])[] = [
  ["goodput", "goodput, per s"],
  ["sent", "sent, per s"],
  ["accepted", "accepted, per s"],
  ["throttled", "throttled, per s"],
  ["amplification", "amplification"],
  ["waste", "waste"],
  ["responseOkP50Ms", "response of ok calls, p50 ms"],
  ["responseOkP99Ms", "response of ok calls, p99 ms"],
];

/** @param real the trial that it is the twin of. */
export function twinLines(twin: Twin, real: TrialResult): string[] {
  if (!twin.made) return wrap(`none. ${twin.reason}.`, "Twin         ");
  const { law, figures, trial } = twin;
  return [
    ...renderTable([
      ["Twin", "real", "twin", "difference"],
      ...FIGURES.map(([name, label]) => row(label, figures[name])),
    ]),
    ...wrap(`The twin: ${trial.model ?? "a virtual backend"}. ${lawSentence(law)}`, "  "),
    ...law.assumptions.flatMap((assumption) => wrap(`Assumed: ${assumption}`, "  ")),
    ...wrap(`${conclusion(figures.goodput, real)}${timesNote(figures.responseOkP50Ms)}`, "  "),
  ];
}

function row(label: string, { real, twin, ratio }: TwinFigure): string[] {
  const text = (value: number | null): string => (value === null ? NONE : formatNumber(value));
  return [`  ${label}`, text(real), text(twin), ratio === null ? NONE : difference(ratio)];
}

function difference(ratio: number): string {
  const text = formatPercent(ratio - 1);
  return ratio > 1 ? `+${text}` : text;
}

function lawSentence({ source, acceptMs, rejectMs, overheadMs, latencyMs, queueMax, model }: ServiceLaw): string {
  const rejecting = model === "worker" && source === "counters" ? ` and rejecting ${formatMs(rejectMs)}` : "";
  const overhead = overheadMs === 0 ? "" : `, ${formatMs(overheadMs)} of it beside the work`;
  const latency = latencyMs === 0 ? "" : `; answers come ${formatMs(latencyMs)} later`;
  const by = source === "counters" ? "By the target's counters" : "By what its clients saw,";
  return `${by} accepting takes ${formatMs(acceptMs)}${rejecting}${overhead}; ${formatCount(queueMax)} may wait${latency}.`;
}

/** Goodput says nothing of the time that calls take. */
function timesNote({ ratio }: TwinFigure): string {
  if (ratio === null || Math.abs(ratio - 1) < MISSES_FROM) return "";
  return ` It does not explain response times: the median of its ok calls is ${formatPercent(ratio)} of the real one.`;
}

function conclusion({ real, ratio }: TwinFigure, trial: TrialResult): string {
  const doubt =
    trial.validity.verdict === "invalid" ? " But the real trial is invalid, and so is what was read off it." : "";
  if (ratio === null) {
    const what = real === 0 ? "The real target served nothing, and the twin did" : "There is no goodput to compare";
    return `${what}: something else than its law was at work.${doubt}`;
  }
  if (trial.attempts.overloaded === 0) {
    return `Nothing met overload, so any law that is fast enough has this goodput: raise --rps to see its capacity.${doubt}`;
  }
  const off = Math.abs(ratio - 1);
  const side = ratio >= 1 ? "above" : "below";
  const share = off === 0 ? "equals the real one" : `is ${formatPercent(off)} ${side} the real one`;
  if (off <= EXPLAINS_WITHIN) return `The twin's goodput ${share}: its law explains what this target did.${doubt}`;
  const verdict =
    off < MISSES_FROM
      ? "its law explains most of what this target did"
      : "its law does not explain what this target did: look for what else held it up, or for disturbances";
  return `The twin's goodput ${share}: ${verdict}.${doubt}`;
}
