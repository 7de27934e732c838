import { type ArrivalCursor, justBefore } from "./arrivals.ts";

/** One schedule after the other: `measured`, whose times lie in [0, measuredSeconds), starts at `warmupSeconds`. */
export class WarmedArrivals implements ArrivalCursor {
  timeSeconds = Number.NaN;
  user = -1;
  readonly #warmup: ArrivalCursor;
  readonly #measured: ArrivalCursor;
  readonly #warmupSeconds: number;
  readonly #latestSeconds: number;
  #warm = false;

  constructor(warmup: ArrivalCursor, measured: ArrivalCursor, warmupSeconds: number, measuredSeconds: number) {
    this.#warmup = warmup;
    this.#measured = measured;
    this.#warmupSeconds = warmupSeconds;
    this.#latestSeconds = justBefore(warmupSeconds + measuredSeconds);
  }

  next(): boolean {
    if (!this.#warm) {
      if (this.#warmup.next()) {
        this.timeSeconds = this.#warmup.timeSeconds;
        this.user = this.#warmup.user;
        return true;
      }
      this.#warm = true;
    }
    if (!this.#measured.next()) return false;
    this.timeSeconds = Math.min(this.#warmupSeconds + this.#measured.timeSeconds, this.#latestSeconds);
    this.user = this.#measured.user;
    return true;
  }
}
