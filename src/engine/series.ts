/** Counts by intended second: one growing column per kind, so that memory follows the duration, not the requests. */

import type { SeriesRow } from "../result/schema.ts";

/** The columns of the series, in the order of the result file. */
export const SERIES_COLUMNS = [
  "offered",
  "late",
  "sent",
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

const INITIAL_SECONDS = 64;

export class SecondSeries {
  readonly #columns: Record<SeriesColumn, Uint32Array>;
  #capacity = INITIAL_SECONDS;
  #seconds = 0;

  constructor() {
    const columns: Partial<Record<SeriesColumn, Uint32Array>> = {};
    for (const column of SERIES_COLUMNS) columns[column] = new Uint32Array(INITIAL_SECONDS);
    this.#columns = columns as Record<SeriesColumn, Uint32Array>;
  }

  /** Counts one event of a call whose intended start is `intendedSeconds`. */
  add(column: SeriesColumn, intendedSeconds: number): void {
    const second = Math.floor(intendedSeconds);
    if (second >= this.#seconds) this.#extend(second + 1);
    const counts = this.#columns[column];
    counts[second] = (counts[second] as number) + 1;
  }

  /** The sum of one column. */
  total(column: SeriesColumn): number {
    let sum = 0;
    for (const value of this.#columns[column]) sum += value;
    return sum;
  }

  /** One row per second from 0 to the last one with an event. */
  rows(): SeriesRow[] {
    const rows: SeriesRow[] = [];
    for (let second = 0; second < this.#seconds; second += 1) {
      const row: Partial<SeriesRow> = { second };
      for (const column of SERIES_COLUMNS) row[column] = this.#columns[column][second] as number;
      rows.push(row as SeriesRow);
    }
    return rows;
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
