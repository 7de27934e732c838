import type { ArrivalCursor } from "./arrivals.ts";

/** The arrivals of a plan by all users, in [0, warm-up + measured window). */
export interface Schedule {
  /** Exact where the law leaves nothing to chance, else the mean, rounded. */
  readonly expectedArrivals: number;
  /** Those of the measured window. */
  readonly expectedMeasured: number;
  walk(): ArrivalCursor;
}
