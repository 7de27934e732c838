/** What an experiment would do, before it does: its trials in their order, how long each takes, and all of them. */

import { formatDuration } from "../figures/duration.ts";
import { formatCount, formatRate } from "../figures/number-format.ts";
import { wrap } from "./wrap.ts";

/** One trial to come. */
export interface DesignedTrial {
  readonly arm: string;
  /** From 0 on. */
  readonly pair: number;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  /** For calls under way at the end, at most. */
  readonly drainSeconds: number;
  /** Calls to be expected, the warm-up included. */
  readonly calls: number;
}

export interface ExperimentDesign {
  /** In their order. */
  readonly trials: readonly DesignedTrial[];
  readonly world: "real" | "virtual";
  /** Virtual trials at a time. */
  readonly workers: number;
  /** Between two trials, in seconds. */
  readonly wait: { readonly leastSeconds: number; readonly mostSeconds: number; readonly text: string };
  /** After so many pairs it is asked whether to go on; empty: all are run. */
  readonly looks: readonly number[];
  /** The load in words, where it is not known yet. Default: what the calls and times say. */
  readonly load?: string;
  /** Whether the trials find it out themselves, and end when they have. Default no. */
  readonly endsEarly?: boolean;
  /** What comes before the trials, and how long it takes at most. Default nothing. */
  readonly first?: { readonly text: string; readonly mostSeconds: number };
  /** What else there is to say, one sentence each. */
  readonly remarks: readonly string[];
}

/** Pairs whose order is shown. */
const PAIRS_SHOWN = 4;
/** Arms named of a pair. */
const ARMS_SHOWN = 12;
const LABEL = 12;

/** Lines of at most 100 columns. */
export function designLines(design: ExperimentDesign): string[] {
  const { trials, looks, remarks } = design;
  const arms = [...new Set(trials.map(({ arm }) => arm))];
  const pairs = new Set(trials.map(({ pair }) => pair)).size;
  return [
    ...wrap(`Plan: ${headline(arms.length, pairs, trials.length)}`),
    ...(design.first === undefined ? [] : labelled("first", design.first.text)),
    ...orderLines(trials, pairs),
    ...(looks.length === 0
      ? []
      : labelled("stops early", `when decided or hopeless, asked after ${list(looks)} pairs (--no-early-stop: never)`)),
    ...timeLines(design),
    ...remarks.flatMap((remark, index) => labelled(index === 0 ? "besides" : "", remark)),
  ];
}

function headline(arms: number, pairs: number, trials: number): string {
  if (trials === 1) return "1 trial";
  if (arms === 1) return `${trials} trials of one arm, each with arrivals of its own`;
  const rounds = pairs === 1 ? "1 pair" : `${pairs} pairs`;
  return `${trials} trials: ${arms} arms in ${rounds}; those of a pair that have the same load get the same arrivals`;
}

function orderLines(trials: readonly DesignedTrial[], pairs: number): string[] {
  if (trials.length === 1) return labelled("arm", trials[0]?.arm ?? "");
  const shown = Array.from({ length: Math.min(pairs, PAIRS_SHOWN) }, (_, pair) => pair);
  const lines = shown.flatMap((pair) => {
    const arms = trials.filter((trial) => trial.pair === pair).map(({ arm }) => arm);
    const rest = arms.length > ARMS_SHOWN ? [`and ${arms.length - ARMS_SHOWN} more`] : [];
    return labelled(pair === 0 ? "order" : "", `${pair + 1}: ${[...arms.slice(0, ARMS_SHOWN), ...rest].join(", ")}`);
  });
  return pairs > PAIRS_SHOWN ? [...lines, ...labelled("", `and ${pairs - PAIRS_SHOWN} more pairs`)] : lines;
}

function timeLines(design: ExperimentDesign): string[] {
  const { trials, world, wait, workers, looks, load: found, endsEarly = false, first: before } = design;
  const first = trials[0];
  if (first === undefined) return [];
  const isAlike = trials.every(
    (trial) => trial.warmupSeconds === first.warmupSeconds && trial.durationSeconds === first.durationSeconds,
  );
  const calls = trials.reduce((sum, trial) => sum + trial.calls, 0);
  const rates = trials.map((trial) => trial.calls / windowOf(trial)).toSorted((a, b) => a - b);
  const loads = [...new Set(rates.map((rate) => formatRate(rate)))];
  const at = found ?? `at ${loads.length > ARMS_SHOWN ? `${loads.length} loads` : loads.join(", ")}`;
  const about = found === undefined ? `, about ${formatCount(calls)} calls` : "";
  const mostOf = endsEarly ? " at most" : "";
  const each = isAlike
    ? `${formatDuration(windowOf(first))}${mostOf}${first.warmupSeconds > 0 ? `, of which ${formatDuration(first.warmupSeconds)} are warm-up` : ""}, ${at}`
    : `of different lengths, ${at}`;
  const arrivals = trials.reduce((sum, trial) => sum + windowOf(trial), 0);
  if (world === "virtual") {
    const atATime = trials.length === 1 ? "" : `, ${Math.min(workers, trials.length)} trials at a time`;
    return [
      ...labelled("a trial", each),
      ...labelled(
        "in all",
        `${formatDuration(arrivals)} of simulated time${mostOf}${about}${atATime}: usually a million in a few seconds`,
      ),
    ];
  }
  const waits = trials.length - (before === undefined ? 1 : 0);
  const most = arrivals + trials.reduce((sum, trial) => sum + trial.drainSeconds, 0) + waits * wait.mostSeconds;
  const least =
    looks[0] === undefined
      ? arrivals
      : (arrivals * looks[0]) / Math.max(1, new Set(trials.map(({ pair }) => pair)).size);
  const leastText = endsEarly
    ? ""
    : `${formatDuration(least + (looks[0] === undefined ? waits * wait.leastSeconds : 0))} at least, `;
  const then = trials.length === 1 ? "" : `; before the next one ${wait.text}`;
  return [
    ...labelled("a trial", `${each}; then up to ${formatDuration(first.drainSeconds)} for calls under way${then}`),
    ...labelled("in all", `${leastText}${formatDuration(most + (before?.mostSeconds ?? 0))} at most${about}`),
  ];
}

function windowOf({ warmupSeconds, durationSeconds }: DesignedTrial): number {
  return warmupSeconds + durationSeconds;
}

function labelled(label: string, text: string): string[] {
  return wrap(text, `  ${label.padEnd(LABEL)} `);
}

function list(counts: readonly number[]): string {
  return counts.length < 2 ? counts.join("") : `${counts.slice(0, -1).join(", ")} and ${counts.at(-1)}`;
}
