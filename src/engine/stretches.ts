/** The two stretches of a trial, its warm-up and its measured window, each with a tally; the series runs over both. */

import type { AttemptClass, Call, Outcome } from "./call.ts";
import type { SeriesColumn } from "./series.ts";
import { type LatencyRecorder, Tally, type Uptake } from "./tally.ts";

/** What counts by second. */
export interface SecondCounter {
  add(column: SeriesColumn, seconds: number): void;
}

/** A call belongs to the stretch in which it was intended to start, whenever its attempts are made. */
export class Stretches<Latency extends LatencyRecorder, Series extends SecondCounter> {
  readonly warmupSeconds: number;
  readonly endSeconds: number;
  readonly warmup: Tally<Latency>;
  readonly measured: Tally<Latency>;
  readonly series: Series;

  /**
   * @param warmupSeconds whole seconds, so that the series can be split there.
   * @param endSeconds the planned end of the arrivals.
   */
  constructor(warmupSeconds: number, endSeconds: number, newLatency: () => Latency, series: Series) {
    this.warmupSeconds = warmupSeconds;
    this.endSeconds = endSeconds;
    this.warmup = new Tally(newLatency);
    this.measured = new Tally(newLatency);
    this.series = series;
  }

  /** See {@link Recorder} for these. */
  arrived(call: Call, nowSeconds: number, uptake: Uptake): void {
    const { intendedSeconds } = call;
    const tally = this.#tallyOf(call);
    tally.arrived(nowSeconds - intendedSeconds, uptake);
    this.series.add("offered", intendedSeconds);
    const started = uptake === "started" || uptake === "startedLate";
    if (started && nowSeconds > this.endSeconds) tally.startedAfterEnd += 1;
    if (uptake === "startedLate" || uptake === "droppedLate") this.series.add("late", intendedSeconds);
  }

  handed(call: Call): void {
    this.#tallyOf(call).handed();
    this.series.add("sent", call.intendedSeconds);
    this.series.add("sentInSecond", call.handedSeconds);
  }

  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    this.#tallyOf(call).attemptEnded(call, attemptClass, nowSeconds);
    if (attemptClass === "accepted") this.series.add("accepted", call.intendedSeconds);
  }

  callEnded(call: Call, outcome: Outcome, nowSeconds: number): void {
    this.#tallyOf(call).callEnded(call, outcome, nowSeconds);
    this.series.add(outcome, call.intendedSeconds);
  }

  cutOff(call: Call, nowSeconds: number): void {
    this.#tallyOf(call).cutOff(call, nowSeconds);
  }

  #tallyOf(call: Call): Tally<Latency> {
    return call.intendedSeconds < this.warmupSeconds ? this.warmup : this.measured;
  }
}
