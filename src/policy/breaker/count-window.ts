import type { OutcomeWindow } from "./trip-rule.ts";

/**
 * The last `size` attempts that ended, whatever their age: no clock, so no idle time forgives a failure. A slow day's failures
 * count as much as this second's.
 *
 * Memory: 1 byte an attempt of the window, and about 0.3 KB.
 */
export class CountWindow implements OutcomeWindow {
  /** 0: no attempt yet; else a sum of the flags. */
  private readonly outcomes: Uint8Array<ArrayBuffer>;
  private next = 0;
  private attemptCount = 0;
  private failureCount = 0;
  private slowCount = 0;

  constructor(size: number) {
    this.outcomes = new Uint8Array(size);
  }

  get failures(): number {
    return this.failureCount;
  }

  get total(): number {
    return this.attemptCount;
  }

  get slow(): number {
    return this.slowCount;
  }

  record(failed: boolean, _nowSeconds: number, slow = false): void {
    const { outcomes, next } = this;
    const old = outcomes[next] as number;
    if (old === 0) this.attemptCount++;
    if ((old & FAILED) !== 0) this.failureCount--;
    if ((old & SLOW) !== 0) this.slowCount--;
    if (failed) this.failureCount++;
    if (slow) this.slowCount++;
    outcomes[next] = ENDED + (failed ? FAILED : 0) + (slow ? SLOW : 0);
    this.next = next + 1 === outcomes.length ? 0 : next + 1;
  }

  reset(): void {
    this.outcomes.fill(0);
    this.attemptCount = 0;
    this.failureCount = 0;
    this.slowCount = 0;
  }
}

const ENDED = 1;
const FAILED = 2;
const SLOW = 4;
