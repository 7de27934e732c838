/** How fast a total grows, by wall time: recent growth counts most. */

/** What is older than a few of these hardly counts. */
const TIME_CONSTANT_MS = 4000;
/** Closer together, what came between says little. */
const STEP_MS = 100;

export class SmoothedRate {
  #startMs: number | undefined;
  #startTotal = 0;
  #seenMs = 0;
  #seenTotal = 0;
  #perMs: number | undefined;

  /** Per second; undefined when nothing is known yet. */
  get perSecond(): number | undefined {
    return this.#perMs === undefined ? undefined : 1000 * this.#perMs;
  }

  /** @param nowMs by a clock that does not go back. */
  add(total: number, nowMs: number): void {
    if (this.#startMs === undefined) {
      this.#startMs = this.#seenMs = nowMs;
      this.#startTotal = this.#seenTotal = total;
      return;
    }
    const stepMs = nowMs - this.#seenMs;
    if (stepMs < STEP_MS) return;
    const recent = (total - this.#seenTotal) / stepMs;
    const lived = nowMs - this.#startMs;
    // At first the mean of all there is: the weight of the past is that of its length.
    const weight = Math.max(1 - Math.exp(-stepMs / TIME_CONSTANT_MS), stepMs / lived);
    this.#perMs =
      this.#perMs === undefined ? (total - this.#startTotal) / lived : this.#perMs + weight * (recent - this.#perMs);
    this.#seenMs = nowMs;
    this.#seenTotal = total;
  }
}
