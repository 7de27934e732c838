/** What an arm did second by second: the median of its trials, and the least and the most of them. */

import type { SeriesRow, TrialResult } from "../../result/schema.ts";
import { median } from "../../stats/median.ts";

/** Counts of a second. */
export type SeriesKey = Exclude<keyof SeriesRow, "second">;

/** Rates, per second. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Some seconds of the trial, drawn as one. */
export interface Bin {
  /** Where it begins, in seconds of the trial. */
  readonly second: number;
  readonly seconds: number;
  /** undefined where no trial went on so long. */
  readonly of: (key: SeriesKey) => Spread | undefined;
}

/** The fewest whole seconds a bin must have for the longest of the trials to need no more than `bins` of them. */
export function binSeconds(trials: readonly TrialResult[], bins: number): number {
  return Math.max(1, Math.ceil(lengthSeconds(trials) / bins));
}

/** Seconds that have a row in one of the trials. */
export function lengthSeconds(trials: readonly TrialResult[]): number {
  return trials.reduce((most, { series }) => Math.max(most, (series.at(-1)?.second ?? -1) + 1), 0);
}

/**
 * @param trials of one arm.
 * @param length seconds of the plot, which other arms may set.
 */
export function armSeries(trials: readonly TrialResult[], seconds: number, length: number): Bin[] {
  const tables = trials.map(tableOf);
  const bins: Bin[] = [];
  for (let second = 0; second < length; second += seconds) {
    const width = Math.min(seconds, length - second);
    const of = (key: SeriesKey): Spread | undefined =>
      spread(tables.map((table) => binRate(table, key, second, width)));
    bins.push({ second, seconds: width, of });
  }
  return bins;
}

interface SeriesTable {
  readonly rows: ReadonlyMap<number, SeriesRow>;
  /** No call is due from this second on. */
  readonly loadEnd: number;
  readonly interrupted: boolean;
}

function tableOf({ series, warmup, durationSeconds, interrupted }: TrialResult): SeriesTable {
  const rows = new Map(series.map((row) => [row.second, row]));
  return { rows, loadEnd: Math.ceil((warmup?.seconds ?? 0) + durationSeconds), interrupted };
}

/**
 * After the load nothing is due any more, so that there is no rate of it; what is sent then has one. Of a trial that was cut
 * short nothing is known of later seconds.
 */
function binRate(
  { rows, loadEnd, interrupted }: SeriesTable,
  key: SeriesKey,
  from: number,
  width: number,
): number | undefined {
  const end = key === "sentInSecond" ? from + width : Math.min(from + width, loadEnd);
  let total = 0;
  let known = 0;
  for (let second = from; second < end; second++) {
    const row = rows.get(second);
    total += row?.[key] ?? 0;
    if (row !== undefined || !interrupted) known++;
  }
  return known === 0 ? undefined : total / known;
}

function spread(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}
