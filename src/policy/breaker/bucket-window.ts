import { SecondWindow } from "../second-window.ts";
import type { OutcomeWindow } from "./trip-rule.ts";

const ATTEMPTS = 0;
const FAILURES = 1;

/**
 * A window of equal buckets on a fixed grid: the bucket of now and those before it. It covers between `buckets - 1` and
 * `buckets` bucket widths. After an idle spell nothing old is left. {@link SecondWindow} does the work and says what a clock
 * that steps backwards does; its seconds are bucket widths here.
 *
 * Memory: about 0.6 KB, whatever the rate.
 */
export class BucketWindow implements OutcomeWindow {
  private readonly bucketSeconds: number;
  private readonly buckets: number;
  private counts: SecondWindow;

  /** @param windowSeconds above 0. @param buckets at least 1. */
  constructor(windowSeconds: number, buckets: number) {
    this.bucketSeconds = windowSeconds / buckets;
    this.buckets = buckets;
    this.counts = new SecondWindow(2, buckets);
  }

  get failures(): number {
    return this.counts.total(FAILURES);
  }

  get total(): number {
    return this.counts.total(ATTEMPTS);
  }

  record(failed: boolean, nowSeconds: number): void {
    const { counts } = this;
    counts.moveTo(nowSeconds / this.bucketSeconds);
    counts.add(ATTEMPTS);
    if (failed) counts.add(FAILURES);
  }

  reset(): void {
    this.counts = new SecondWindow(2, this.buckets);
  }
}
