/**
 * What a stretch of time adds to the counts and distributions of a trial, as plain data: what is told while the trial runs
 * is the sum of these, so that each of them is small however long it has run.
 */

import { SERIES_COLUMNS, type SecondSeries, type SeriesColumn } from "./series.ts";
import { type SparseData, SparseHistogram } from "./sparse-histogram.ts";
import { type SecondCounter, Stretches } from "./stretches.ts";
import type { LatencyRecorder, Tallied } from "./tally.ts";

export interface Gain {
  readonly warmup: Tallied<SparseData>;
  readonly measured: Tallied<SparseData>;
  /** By second, those with an event: counts in the order of {@link SERIES_COLUMNS}. */
  readonly series: ReadonlyMap<number, Uint32Array>;
}

const COLUMN_INDEX = Object.fromEntries(SERIES_COLUMNS.map((column, index) => [column, index])) as Readonly<
  Record<SeriesColumn, number>
>;

/** Counts by second, of those seconds alone that had an event; see {@link SecondSeries}. */
export class GainedSeconds implements SecondCounter {
  readonly seconds: Map<number, Uint32Array> = new Map();
  #latestSecond = -1;
  #latest: Uint32Array = new Uint32Array(0);

  add(column: SeriesColumn, seconds: number): void {
    const counts = this.#countsOf(seconds > 0 ? Math.floor(seconds) : 0);
    const index = COLUMN_INDEX[column];
    counts[index] = (counts[index] as number) + 1;
  }

  /** Adds counts of one second. */
  addSecond(second: number, counts: ArrayLike<number>): void {
    const own = this.#countsOf(second);
    for (let index = 0; index < own.length; index += 1) {
      own[index] = (own[index] as number) + (counts[index] as number);
    }
  }

  #countsOf(second: number): Uint32Array {
    if (second === this.#latestSecond) return this.#latest;
    let counts = this.seconds.get(second);
    if (counts === undefined) {
      counts = new Uint32Array(SERIES_COLUMNS.length);
      this.seconds.set(second, counts);
    }
    this.#latestSecond = second;
    this.#latest = counts;
    return counts;
  }
}

export type GainStretches = Stretches<SparseHistogram, GainedSeconds>;

/** Where gains are recorded before they are taken. Histograms are used again and again: each second wants some. */
export class GainDesk {
  readonly #warmupSeconds: number;
  readonly #endSeconds: number;
  readonly #unused: SparseHistogram[] = [];

  /** See {@link Stretches}. */
  constructor(warmupSeconds: number, endSeconds: number) {
    this.#warmupSeconds = warmupSeconds;
    this.#endSeconds = endSeconds;
  }

  /** An empty record. */
  open(): GainStretches {
    const newLatency = (): SparseHistogram => this.#unused.pop() ?? new SparseHistogram();
    return new Stretches(this.#warmupSeconds, this.#endSeconds, newLatency, new GainedSeconds());
  }

  /** What was recorded; the record must not be used any more. */
  take({ warmup, measured, series }: GainStretches): Gain {
    const gain = { warmup: warmup.data(), measured: measured.data(), series: series.seconds };
    for (const latency of [...warmup.latencies(), ...measured.latencies()]) {
      latency.clear();
      this.#unused.push(latency);
    }
    return gain;
  }
}

/** Adds a gain to what was counted before it. @param add adds a distribution to another. */
export function addGain<Latency extends LatencyRecorder, Series extends SecondSeries | GainedSeconds>(
  sum: Stretches<Latency, Series>,
  gain: Gain,
  add: (own: Latency, other: SparseData) => void,
): void {
  sum.warmup.absorb(gain.warmup, add);
  sum.measured.absorb(gain.measured, add);
  for (const [second, counts] of gain.series) sum.series.addSecond(second, counts);
}
