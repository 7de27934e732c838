/**
 * Counts by second of the trial: one growing column per kind, so that memory follows the duration, not the requests. All columns
 * but one count by the INTENDED second of the call; `sentInSecond` counts attempts by the second in which they were sent, and
 * goes on into the drain.
 */

import type { SeriesRow } from "../result/schema.ts";

/** The columns of the series, in the order of the result file. */
export const SERIES_COLUMNS = [
  "offered",
  "late",
  "sent",
  "sentInSecond",
  "accepted",
  "ok",
  "throttled",
  "budget",
  "failed",
  "broken",
  "limited",
  "deadline",
  "dropped",
  "unfinished",
] as const;

export type SeriesColumn = (typeof SERIES_COLUMNS)[number];

/** Counts by second, one array per column, all of one length. */
export type SeriesColumns = Readonly<Record<SeriesColumn, Uint32Array>>;

const INITIAL_SECONDS = 64;

export class SecondSeries {
  readonly #columns: Record<SeriesColumn, Uint32Array>;
  #capacity = INITIAL_SECONDS;
  #seconds = 0;

  constructor() {
    this.#columns = eachColumn(() => new Uint32Array(INITIAL_SECONDS));
  }

  /** Counts one event at `seconds` of the trial; what is a clock's grain before the start belongs to the first second. */
  add(column: SeriesColumn, seconds: number): void {
    const second = seconds > 0 ? Math.floor(seconds) : 0;
    if (second >= this.#seconds) this.#extend(second + 1);
    const counts = this.#columns[column];
    counts[second] = (counts[second] as number) + 1;
  }

  /** Adds counts of one second, in the order of {@link SERIES_COLUMNS}. */
  addSecond(second: number, counts: ArrayLike<number>): void {
    if (second >= this.#seconds) this.#extend(second + 1);
    for (const [index, column] of SERIES_COLUMNS.entries()) {
      const own = this.#columns[column];
      own[second] = (own[second] as number) + (counts[index] as number);
    }
  }

  /** The counts so far, up to the last second with an event; not a copy. */
  columns(): SeriesColumns {
    return eachColumn((column) => this.#columns[column].subarray(0, this.#seconds));
  }

  #extend(seconds: number): void {
    this.#seconds = seconds;
    if (seconds <= this.#capacity) return;
    while (this.#capacity < seconds) this.#capacity *= 2;
    for (const column of SERIES_COLUMNS) {
      const grown = new Uint32Array(this.#capacity);
      grown.set(this.#columns[column]);
      this.#columns[column] = grown;
    }
  }
}

/** The counts of several series, second by second. */
export function addSeries(parts: readonly SeriesColumns[]): SeriesColumns {
  const seconds = parts.reduce((most, part) => Math.max(most, part.offered.length), 0);
  return eachColumn((column) => {
    const sum = new Uint32Array(seconds);
    for (const part of parts) {
      for (const [second, count] of part[column].entries()) sum[second] = (sum[second] as number) + count;
    }
    return sum;
  });
}

/** One row per second from 0 to the last one with an event. */
export function seriesRows(columns: SeriesColumns): SeriesRow[] {
  return Array.from(columns.offered, (_, second) => {
    const row: Partial<SeriesRow> = { second };
    for (const column of SERIES_COLUMNS) row[column] = columns[column][second] as number;
    return row as SeriesRow;
  });
}

function eachColumn(counts: (column: SeriesColumn) => Uint32Array): Record<SeriesColumn, Uint32Array> {
  return Object.fromEntries(SERIES_COLUMNS.map((column) => [column, counts(column)])) as Record<
    SeriesColumn,
    Uint32Array
  >;
}
