/** Time that only runs forwards, from a clock that may not. */

/** A clock that steps back by no more than this is waited for: it is a correction, not a setting. */
const PATIENCE_SECONDS = 1;

/**
 * A time line for rules that measure spans and keep deadlines.
 *
 * - A clock that steps back a little: time stands still until the clock has caught up.
 * - Further back: the clock was set, and time goes on from where it was, so that no span is negative and no deadline moves
 *   away by what the clock was set.
 * - A jump forwards is taken as that much time, as nothing distinguishes it from a sleep.
 * - `NaN` and infinities: time stands still.
 */
export class ForwardTime {
  private offsetSeconds = 0;
  private latestSeconds: number;

  /** @param startSeconds the present reading of the clock. */
  constructor(startSeconds: number) {
    this.latestSeconds = Number.isFinite(startSeconds) ? startSeconds : 0;
  }

  /** The time at a reading of the clock; equal to it as long as the clock ran forwards. */
  at(nowSeconds: number): number {
    const time = nowSeconds + this.offsetSeconds;
    if (time > this.latestSeconds && time < Number.POSITIVE_INFINITY) {
      this.latestSeconds = time;
    } else if (this.latestSeconds - time > PATIENCE_SECONDS && time > Number.NEGATIVE_INFINITY) {
      this.offsetSeconds = this.latestSeconds - nowSeconds;
    }
    return this.latestSeconds;
  }
}
