/** Counts of the last seconds to the event: exact, at the price of a few bytes for each event in the window. */

/** Capacities are powers of two, so that a position wraps with a mask. */
const SMALLEST_CAPACITY = 16;

/**
 * A sliding window of accepted and refused events. An event leaves when `now - t > window`, so one that is exactly a
 * window old still counts.
 *
 * Every operation is O(1) amortised. The memory grows with the rate, by definition: 9 bytes an event, in a ring that doubles
 * when full and shrinks when three quarters of it are empty. {@link SecondWindow} is the one with a bound.
 *
 * A clock that steps backwards never throws and never poisons the counts:
 * - by up to a window: events take the newest time seen, which keeps them in order;
 * - further: the clock was set. All events are moved so that the newest time seen is now: ages are kept;
 * - `NaN` and infinities: the newest time seen stays the current one.
 */
export class EventWindow {
  private readonly windowSeconds: number;
  private times: Float64Array<ArrayBuffer> = new Float64Array(SMALLEST_CAPACITY);
  private accepted: Uint8Array<ArrayBuffer> = new Uint8Array(SMALLEST_CAPACITY);
  private oldest = 0;
  private eventCount = 0;
  private acceptedCount = 0;
  private newestSeconds = 0;
  private hasStarted = false;

  /** @param windowSeconds length of the window. */
  constructor(windowSeconds: number) {
    this.windowSeconds = windowSeconds;
  }

  /** Events in the window, as of the last {@link moveTo}. */
  get events(): number {
    return this.eventCount;
  }

  /** Accepted events in the window, as of the last {@link moveTo}. */
  get accepts(): number {
    return this.acceptedCount;
  }

  /** Takes note of the time and drops what has left the window. */
  moveTo(nowSeconds: number): void {
    if (!Number.isFinite(nowSeconds)) return;
    if (!this.hasStarted || this.newestSeconds - nowSeconds > this.windowSeconds) {
      this.rebase(nowSeconds);
    } else if (nowSeconds > this.newestSeconds) {
      this.newestSeconds = nowSeconds;
      this.expire();
    }
  }

  /** Adds an event at the time of the last {@link moveTo}. */
  add(accepted: boolean): void {
    if (this.eventCount === this.times.length) this.resize(2 * this.times.length);
    const index = (this.oldest + this.eventCount) & (this.times.length - 1);
    this.times[index] = this.newestSeconds;
    this.accepted[index] = accepted ? 1 : 0;
    this.eventCount++;
    if (accepted) this.acceptedCount++;
  }

  private expire(): void {
    const mask = this.times.length - 1;
    while (this.eventCount > 0 && this.newestSeconds - (this.times[this.oldest] as number) > this.windowSeconds) {
      this.acceptedCount -= this.accepted[this.oldest] as number;
      this.oldest = (this.oldest + 1) & mask;
      this.eventCount--;
    }
    let capacity = this.times.length;
    while (capacity > SMALLEST_CAPACITY && this.eventCount <= capacity / 4) capacity /= 2;
    if (capacity < this.times.length) this.resize(capacity);
  }

  private resize(capacity: number): void {
    const mask = this.times.length - 1;
    const times = new Float64Array(capacity);
    const accepted = new Uint8Array(capacity);
    for (let event = 0; event < this.eventCount; event++) {
      const index = (this.oldest + event) & mask;
      times[event] = this.times[index] as number;
      accepted[event] = this.accepted[index] as number;
    }
    this.times = times;
    this.accepted = accepted;
    this.oldest = 0;
  }

  /** Makes `nowSeconds` the newest time. From the ages, not by a shift: the difference of two far times is not exact. */
  private rebase(nowSeconds: number): void {
    for (let index = 0; index < this.times.length; index++) {
      this.times[index] = nowSeconds - (this.newestSeconds - (this.times[index] as number));
    }
    this.newestSeconds = nowSeconds;
    this.hasStarted = true;
  }
}
