import { SecondWindow } from "../second-window.ts";
import { STAYS_CLOSED, type TripRule } from "./trip-rule.ts";

const ATTEMPTS = 0;
const FAILURES = 1;

/**
 * Looks at its window only at the ticks of a clock, one for each bucket: at a tick, it opens when the buckets that are complete
 * hold at least `minRequests` attempts of which `trunc(100 x failures / attempts) >= errorThresholdPercentage`. So it opens up
 * to a bucket later than the failure that was too many, at a tick without traffic too, when old successes leave the window.
 *
 * It has no timer: the ticks that passed are looked at, in order, when the next attempt arrives or ends, and the answer is the
 * time of the tick. Ticks count from the first arrival, and anew from the success of a probe, which forgets the history.
 *
 * Memory: about 0.6 KB.
 *
 * Source: Netflix/Hystrix hystrix-core HystrixCircuitBreaker.java, HystrixCommandMetrics.java (`HealthCounts`),
 * metric/consumer/BucketedRollingCounterStream.java.
 */
export class SnapshotRule implements TripRule {
  private readonly bucketSeconds: number;
  private readonly buckets: number;
  private readonly minRequests: number;
  private readonly errorThresholdPercentage: number;
  private originSeconds = Number.NaN;
  private tick = 0;
  private counts: SecondWindow;

  constructor(windowSeconds: number, buckets: number, minRequests: number, errorThresholdPercentage: number) {
    this.bucketSeconds = windowSeconds / buckets;
    this.buckets = buckets;
    this.minRequests = minRequests;
    this.errorThresholdPercentage = errorThresholdPercentage;
    this.counts = this.newCounts();
  }

  arrive(nowSeconds: number): number {
    if (Number.isNaN(this.originSeconds)) this.startTicks(nowSeconds);
    const tick = Math.floor((nowSeconds - this.originSeconds) / this.bucketSeconds);
    if (tick === this.tick) return STAYS_CLOSED;
    return this.passTicks(tick);
  }

  record(failed: boolean, _tookSeconds: number, nowSeconds: number): number {
    const since = this.arrive(nowSeconds);
    this.counts.add(ATTEMPTS);
    if (failed) this.counts.add(FAILURES);
    return since;
  }

  probed(failed: boolean, _tookSeconds: number, nowSeconds: number): void {
    if (failed) return;
    this.reset();
    this.startTicks(nowSeconds);
  }

  reset(): void {
    this.counts = this.newCounts();
    this.originSeconds = Number.NaN;
  }

  private startTicks(nowSeconds: number): void {
    this.originSeconds = nowSeconds;
    this.tick = 0;
    this.counts.moveTo(0);
  }

  /** After `buckets` ticks without traffic the window is empty, so no more of them are looked at. */
  private passTicks(tick: number): number {
    let since = STAYS_CLOSED;
    const last = Math.min(tick, this.tick + this.buckets);
    for (let passed = this.tick + 1; passed <= last; passed++) {
      this.counts.moveTo(passed);
      if (Number.isNaN(since) && this.isTooMany()) since = this.originSeconds + passed * this.bucketSeconds;
    }
    this.counts.moveTo(tick);
    this.tick = tick;
    return since;
  }

  private isTooMany(): boolean {
    const attempts = this.counts.total(ATTEMPTS);
    if (attempts < this.minRequests) return false;
    return Math.trunc((this.counts.total(FAILURES) / attempts) * 100) >= this.errorThresholdPercentage;
  }

  /** One bucket more than the window: at a tick, the one that begins is still empty. */
  private newCounts(): SecondWindow {
    return new SecondWindow(2, this.buckets + 1);
  }
}
