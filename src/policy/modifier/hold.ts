/** A time during which nothing is to be sent. */

/**
 * Holds until the latest end that was asked for. After a clock that was set back it lasts as long again as it was asked to
 * last, and no longer; readings that are no numbers begin and end nothing.
 */
export class Hold {
  private endSeconds = Number.NEGATIVE_INFINITY;
  private lengthSeconds = 0;

  /** Holds for `seconds` from now on, unless it already holds longer. */
  extend(nowSeconds: number, seconds: number): void {
    const end = nowSeconds + seconds;
    if (!Number.isFinite(end) || seconds <= this.remainingSeconds(nowSeconds)) return;
    this.endSeconds = end;
    this.lengthSeconds = seconds;
  }

  /** @returns 0 when nothing is held back. */
  remainingSeconds(nowSeconds: number): number {
    const remaining = this.endSeconds - nowSeconds;
    if (!(remaining > 0)) return 0;
    if (remaining <= this.lengthSeconds) return remaining;
    // By rounding the end may be a little further than the length; after a step of the clock it is much further.
    if (Number.isFinite(nowSeconds)) this.endSeconds = nowSeconds + this.lengthSeconds;
    return this.lengthSeconds;
  }
}
