/**
 * Everything that is counted and timed in a trial. Calls intended before the end of the warm-up have a tally of their own;
 * both are in the series. Memory is constant in the number of requests: it follows the users and the duration.
 */

import type { AttemptClass, Call, Outcome } from "./call.ts";
import type { Ledger } from "./conservation.ts";
import { SecondSeries, type SeriesColumns } from "./series.ts";
import { Tally, type Uptake } from "./tally.ts";

export class Recorder implements Ledger {
  readonly warmupSeconds: number;
  /** Calls intended before `warmupSeconds`, and the others. */
  readonly warmup: Tally = new Tally();
  readonly measured: Tally = new Tally();
  /** Calls of the measured window by user. */
  readonly userPlanned: Uint32Array;
  readonly userOk: Uint32Array;

  readonly #endSeconds: number;
  readonly #series = new SecondSeries();

  /** @param warmupSeconds whole seconds, so that the series can be split there. */
  constructor(users: number, warmupSeconds: number, durationSeconds: number) {
    this.warmupSeconds = warmupSeconds;
    this.#endSeconds = warmupSeconds + durationSeconds;
    this.userPlanned = new Uint32Array(users);
    this.userOk = new Uint32Array(users);
  }

  get series(): SeriesColumns {
    return this.#series.columns();
  }

  /** A call of the plan has come due, and is taken up at `nowSeconds`. */
  arrived(call: Call, nowSeconds: number, uptake: Uptake): void {
    const { intendedSeconds, user } = call;
    const tally = this.#tallyOf(call);
    tally.arrived(nowSeconds - intendedSeconds, uptake);
    this.#series.add("offered", intendedSeconds);
    if (tally === this.measured) this.userPlanned[user] = (this.userPlanned[user] as number) + 1;
    const started = uptake === "started" || uptake === "startedLate";
    if (started && nowSeconds > this.#endSeconds) tally.startedAfterEnd += 1;
    if (uptake === "startedLate" || uptake === "droppedLate") this.#series.add("late", intendedSeconds);
  }

  /** The current attempt of `call` is handed to the transport. */
  handed(call: Call): void {
    this.#tallyOf(call).handed();
    this.#series.add("sent", call.intendedSeconds);
  }

  /** The attempt ended at `nowSeconds`. */
  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    this.#tallyOf(call).attemptEnded(call, attemptClass, nowSeconds);
    if (attemptClass === "accepted") this.#series.add("accepted", call.intendedSeconds);
  }

  /** The call ended at `nowSeconds` with `outcome`. */
  callEnded(call: Call, outcome: Outcome, nowSeconds: number): void {
    const tally = this.#tallyOf(call);
    tally.callEnded(call, outcome, nowSeconds);
    this.#series.add(outcome, call.intendedSeconds);
    if (outcome === "ok" && tally === this.measured) {
      this.userOk[call.user] = (this.userOk[call.user] as number) + 1;
    }
  }

  /** The attempt of `call` was still under way when the trial was cut off. */
  cutOff(call: Call, nowSeconds: number): void {
    this.#tallyOf(call).cutOff(call, nowSeconds);
  }

  #tallyOf(call: Call): Tally {
    return call.intendedSeconds < this.warmupSeconds ? this.warmup : this.measured;
  }
}
