/**
 * Everything that is counted and timed in a trial. Calls intended before the end of the warm-up have a tally of their own;
 * both are in the series. Memory is constant in the number of requests: it follows the users and the duration.
 */

import type { AttemptClass, Call, Outcome } from "./call.ts";
import type { ClassTally } from "./class-tally.ts";
import type { Ledger } from "./conservation.ts";
import { type Gain, GainDesk, type GainStretches } from "./gain.ts";
import type { GapFit } from "./gap-fit.ts";
import { LatencyHistogram } from "./histogram.ts";
import { SecondSeries, type SeriesColumns } from "./series.ts";
import { Stretches } from "./stretches.ts";
import type { Tally, Uptake } from "./tally.ts";

export class Recorder implements Ledger {
  /** Calls of the measured window by user. */
  readonly userPlanned: Uint32Array;
  readonly userOk: Uint32Array;

  /** Calls of the measured window by criticality; undefined where all are alike. */
  readonly classes: ClassTally | undefined;

  /** Follows how the calls of the measured window were spaced; undefined where nobody asks. */
  readonly gaps: GapFit | undefined;

  readonly #total: Stretches<LatencyHistogram, SecondSeries>;
  /** What was counted since {@link takeGain}; undefined where nobody asks. */
  #gained: GainStretches | undefined;
  readonly #desk: GainDesk;
  #watchers: AttemptWatcher[] | undefined;

  /**
   * @param warmupSeconds whole seconds, so that the series can be split there.
   * @param keepsGain whether {@link takeGain} will be called: it costs about a quarter of a microsecond a call.
   */
  constructor(
    users: number,
    warmupSeconds: number,
    durationSeconds: number,
    keepsGain = false,
    gaps?: GapFit,
    classes?: ClassTally,
  ) {
    const endSeconds = warmupSeconds + durationSeconds;
    this.#total = new Stretches(warmupSeconds, endSeconds, () => new LatencyHistogram(), new SecondSeries());
    this.gaps = gaps;
    this.classes = classes;
    this.userPlanned = new Uint32Array(users);
    this.userOk = new Uint32Array(users);
    this.#desk = new GainDesk(warmupSeconds, endSeconds);
    if (keepsGain) this.#gained = this.#desk.open();
  }

  get warmupSeconds(): number {
    return this.#total.warmupSeconds;
  }

  /** The planned end of the arrivals. */
  get endSeconds(): number {
    return this.#total.endSeconds;
  }

  /** Calls intended before `warmupSeconds`, and the others. */
  get warmup(): Tally<LatencyHistogram> {
    return this.#total.warmup;
  }

  get measured(): Tally<LatencyHistogram> {
    return this.#total.measured;
  }

  get series(): SeriesColumns {
    return this.#total.series.columns();
  }

  /** Who is told of each attempt from now on. */
  addWatcher(watcher: AttemptWatcher): void {
    this.#watchers ??= [];
    this.#watchers.push(watcher);
  }

  /** A call of the plan has come due, and is taken up at `nowSeconds`. */
  arrived(call: Call, nowSeconds: number, uptake: Uptake): void {
    this.#total.arrived(call, nowSeconds, uptake);
    this.#gained?.arrived(call, nowSeconds, uptake);
    if (!this.#isMeasured(call)) return;
    this.classes?.arrived(call);
    this.userPlanned[call.user] = (this.userPlanned[call.user] as number) + 1;
    if (uptake === "started" || uptake === "startedLate") this.gaps?.started(call.intendedSeconds, nowSeconds);
    else this.gaps?.skipped();
  }

  /** The current attempt of `call` is handed to the transport. */
  handed(call: Call): void {
    this.#total.handed(call);
    this.#gained?.handed(call);
    if (this.classes !== undefined && this.#isMeasured(call)) this.classes.handed(call);
  }

  /** The attempt ended at `nowSeconds`. */
  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    this.#total.attemptEnded(call, attemptClass, nowSeconds);
    this.#gained?.attemptEnded(call, attemptClass, nowSeconds);
    if (this.#watchers === undefined) return;
    for (const watcher of this.#watchers) watcher.attemptEnded(call, attemptClass, nowSeconds);
  }

  /** The call ended at `nowSeconds` with `outcome`. */
  callEnded(call: Call, outcome: Outcome, nowSeconds: number): void {
    this.#total.callEnded(call, outcome, nowSeconds);
    this.#gained?.callEnded(call, outcome, nowSeconds);
    if (this.classes !== undefined && this.#isMeasured(call)) this.classes.callEnded(call, outcome);
    if (outcome === "ok" && this.#isMeasured(call)) this.userOk[call.user] = (this.userOk[call.user] as number) + 1;
  }

  /** The attempt of `call` was still under way when the trial was cut off. */
  cutOff(call: Call, nowSeconds: number): void {
    this.#total.cutOff(call, nowSeconds);
    this.#gained?.cutOff(call, nowSeconds);
  }

  /** What was counted and timed since this was last called. */
  takeGain(): Gain {
    const gain = this.#desk.take(this.#gained ?? this.#desk.open());
    if (this.#gained !== undefined) this.#gained = this.#desk.open();
    return gain;
  }

  /** What would be counted if the trial were cut off now: `tell` is given a record of its own for the calls under way. */
  openGain(tell: (open: CutOffRecord) => void): Gain {
    const open = this.#desk.open();
    tell(open);
    return this.#desk.take(open);
  }

  #isMeasured(call: Call): boolean {
    return call.intendedSeconds >= this.#total.warmupSeconds;
  }
}

/** Who follows what becomes of attempts while the trial runs. */
export interface AttemptWatcher {
  /** The attempt of `call` ended at `nowSeconds`. */
  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void;
}

/** Whom the loop tells what happens. */
export type LoopRecord = Pick<Recorder, "arrived" | "handed" | "attemptEnded" | "callEnded" | "cutOff">;

/** Where calls that are cut off are recorded. */
export type CutOffRecord = Pick<Recorder, "cutOff" | "callEnded">;
