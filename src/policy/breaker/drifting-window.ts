import type { OutcomeWindow } from "./trip-rule.ts";

/** Where a slice keeps its numbers. */
const STARTED = 0;
const SUCCESSES = 1;
const FAILURES = 2;
const FIELDS = 3;

/**
 * A window of slices, each of which starts with the first attempt that ends a slice length or more after the start of the
 * one before. The grid drifts with the traffic.
 *
 * - `ageing`: a slice leaves when it started a window or more ago (Polly).
 * - without it, a slice leaves only when a new one takes its place, one for each attempt at most. So what was counted before
 *   an idle spell, however long, is still there when the traffic comes back (cockatiel).
 *
 * A clock that steps back by more than a slice starts a new slice: the old ones are of unknown age, and with `ageing` they
 * are dropped.
 *
 * Memory: 24 bytes a slice, and about 0.3 KB.
 */
export class DriftingWindow implements OutcomeWindow {
  private readonly windowSeconds: number;
  private readonly sliceSeconds: number;
  private readonly ageing: boolean;
  private readonly slices: Float64Array<ArrayBuffer>;
  private current = 0;
  /** Slices in use, the current one included. */
  private used = 0;
  private successCount = 0;
  private failureCount = 0;

  constructor(windowSeconds: number, slices: number, ageing: boolean) {
    this.windowSeconds = windowSeconds;
    this.sliceSeconds = windowSeconds / slices;
    this.ageing = ageing;
    this.slices = new Float64Array(slices * FIELDS);
  }

  get failures(): number {
    return this.failureCount;
  }

  get total(): number {
    return this.failureCount + this.successCount;
  }

  record(failed: boolean, nowSeconds: number): void {
    if (this.used === 0) this.begin(nowSeconds);
    else this.moveTo(nowSeconds);
    const field = this.current + (failed ? FAILURES : SUCCESSES);
    this.slices[field] = (this.slices[field] as number) + 1;
    if (failed) this.failureCount++;
    else this.successCount++;
  }

  reset(): void {
    this.slices.fill(0);
    this.used = 0;
    this.successCount = 0;
    this.failureCount = 0;
  }

  private moveTo(nowSeconds: number): void {
    const ageSeconds = nowSeconds - (this.slices[this.current + STARTED] as number);
    if (ageSeconds <= -this.sliceSeconds && this.ageing) this.reset();
    if (ageSeconds >= this.sliceSeconds || ageSeconds <= -this.sliceSeconds) this.begin(nowSeconds);
    if (this.ageing) this.expire(nowSeconds);
  }

  /** Starts a slice in place of the oldest. */
  private begin(nowSeconds: number): void {
    const { slices } = this;
    const next = this.current + FIELDS === slices.length ? 0 : this.current + FIELDS;
    if (this.used * FIELDS === slices.length) this.drop(next);
    slices[next + STARTED] = nowSeconds;
    this.current = next;
    this.used++;
  }

  private expire(nowSeconds: number): void {
    const { slices } = this;
    while (this.used > 1) {
      let oldest = this.current - (this.used - 1) * FIELDS;
      if (oldest < 0) oldest += slices.length;
      if (nowSeconds - (slices[oldest + STARTED] as number) < this.windowSeconds) return;
      this.drop(oldest);
    }
  }

  private drop(slice: number): void {
    this.successCount -= this.slices[slice + SUCCESSES] as number;
    this.failureCount -= this.slices[slice + FAILURES] as number;
    this.slices.fill(0, slice, slice + FIELDS);
    this.used--;
  }
}
