/** When a breaker that is closed is to open. {@link CircuitBreaker} asks; the rule holds the history. */

/** What a rule answers when the breaker is to stay closed. */
export const STAYS_CLOSED: number = Number.NaN;

/** Times are finite, in seconds; they may step backwards. */
export interface TripRule {
  /**
   * An attempt arrives at the breaker, which may yet refuse it. Absent in rules that learn nothing from arrivals and from time
   * alone.
   *
   * @returns since when the breaker, if it is closed, ought to be open; or {@link STAYS_CLOSED}.
   */
  arrive?(nowSeconds: number): number;

  /**
   * An attempt ended while the breaker was closed.
   *
   * @returns since when the breaker is to be open, at most `nowSeconds`; or {@link STAYS_CLOSED}.
   */
  record(failed: boolean, tookSeconds: number, nowSeconds: number): number;

  /** A probe ended. What remains of the history is the rule's affair; most forget it all when the probe succeeded. */
  probed(failed: boolean, tookSeconds: number, nowSeconds: number): void;

  /** Forgets the history. */
  reset(): void;
}

/** The attempts that ended lately, as a rule counts them. */
export interface OutcomeWindow {
  record(failed: boolean, nowSeconds: number): void;
  /** As of the last {@link record}. */
  readonly failures: number;
  /** As of the last {@link record}. */
  readonly total: number;
  reset(): void;
}
