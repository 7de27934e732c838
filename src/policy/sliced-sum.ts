/** The sum of what was added lately, kept in slices. */

/** How a time since the open slice began becomes a number of slices: `down` as Finagle, `up` as tower. */
export type SliceRounding = "down" | "up";

/**
 * Amounts go to an open slice, which is closed by the first look at it once it is a slice old; the newest `closedSlices` closed
 * ones and the open one make the total. An amount may be negative, and leaves the total like any other.
 *
 * Slices are not aligned: one begins when its predecessor is closed. After `n` slices' time without a look, `n - 1` empty
 * slices are put in between, with n rounded `down` or `up`. That difference is small to read and large to feel: a busy
 * client looks a little after the slice is due, so that `up` puts an empty slice in at every closing, and an amount leaves at
 * the fifth closing after its own instead of the tenth.
 *
 * O(1), nothing is allocated after construction. A clock that steps back by less than the span leaves the open slice open; one
 * that steps back further opens it anew; `NaN` and infinities are ignored.
 *
 * Sources: twitter/util util-core/src/main/scala/com/twitter/util/WindowedAdder.scala (9 closed slices, `down`);
 * tower-rs/tower tower/src/retry/budget/tps_budget.rs (10 closed slots, `up`). On a clock set back the originals stand
 * still until it has caught up.
 */
export class SlicedSum {
  private readonly span: number;
  private readonly slice: number;
  private readonly rounding: SliceRounding;
  private readonly closed: Float64Array<ArrayBuffer>;
  /** Where the open slice will go. */
  private next = 0;
  private closedTotal = 0;
  private open = 0;
  /** `NaN` until the clock has given a number. */
  private openedAt = Number.NaN;

  /**
   * @param span length of `slices` slices, in the unit of the times that it will be told.
   * @param closedSlices how many of them count when they are closed.
   */
  constructor(span: number, slices: number, closedSlices: number, rounding: SliceRounding) {
    this.span = span;
    this.slice = span / slices;
    this.rounding = rounding;
    this.closed = new Float64Array(closedSlices);
  }

  /** Takes note of the time and drops what has left. */
  moveTo(now: number): void {
    const elapsed = now - this.openedAt;
    if (elapsed < this.slice && elapsed > -this.span) return;
    if (!Number.isFinite(now)) return;
    if (elapsed >= this.slice) this.close(elapsed / this.slice);
    this.openedAt = now;
  }

  /** Adds to the open slice. */
  add(amount: number): void {
    this.open += amount;
  }

  /** As of the last {@link moveTo}. */
  get total(): number {
    return this.closedTotal + this.open;
  }

  /** Forgets all, and opens a slice now. */
  reset(now: number): void {
    this.closed.fill(0);
    this.closedTotal = 0;
    this.open = 0;
    this.openedAt = now;
  }

  private close(slices: number): void {
    const { closed } = this;
    this.push(this.open);
    this.open = 0;
    const empty = (this.rounding === "down" ? Math.floor(slices) : Math.ceil(slices)) - 1;
    for (let pushed = Math.min(empty, closed.length); pushed > 0; pushed--) this.push(0);
    let total = 0;
    for (const amount of closed) total += amount;
    this.closedTotal = total;
  }

  private push(amount: number): void {
    this.closed[this.next] = amount;
    this.next = this.next + 1 === this.closed.length ? 0 : this.next + 1;
  }
}
