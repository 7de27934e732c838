/** Where the calls of a trial come from when no plan says ahead when they come. */

/** Who takes the calls: the loop. All times are seconds since the start of the trial. */
export interface CallSink {
  /** False from the end of the arrivals on: no call is taken any more. */
  readonly arriving: boolean;
  /** A call of `user` has come, that was to start at `intendedSeconds`, now or before. */
  arrive(user: number, intendedSeconds: number): void;
  /** A call of `user` starts at `nowSeconds`, which is now: it cannot be late. */
  begin(user: number, nowSeconds: number): void;
  /** Ends the arrivals, as if that had been planned: what is under way is drained. */
  endArrivals(): void;
}

export interface CallSource {
  /** The trial starts, and calls may be given to `sink`, but not before this has returned. */
  start(sink: CallSink): void;
  /** A call of `user` has its outcome. Calls that are cut off at the end of the drain are not told. */
  callEnded(user: number, nowSeconds: number): void;
  /** The arrivals end. */
  arrivalsEnded(nowSeconds: number): void;
}
