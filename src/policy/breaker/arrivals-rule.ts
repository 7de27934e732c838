import { SecondWindow } from "../second-window.ts";
import { STAYS_CLOSED, type TripRule } from "./trip-rule.ts";

const ARRIVALS = 0;
const FAILURES = 1;

/**
 * Opens at a failure when `100 x failures / arrivals > errorThresholdPercentage` and `arrivals >= volumeThreshold`. Arrivals are
 * all attempts that came to the breaker, also those under way and those it refused, so the rate is lower than the share of
 * failures among what ended, the more so the longer the answers take. Nothing is forgotten when a probe succeeded: what failed
 * before counts until it leaves the window.
 *
 * The source ends an attempt after 10 s itself; here the driver's own bound on an attempt does.
 *
 * The grid of buckets starts at the first arrival. Memory: about 0.6 KB.
 *
 * Source: nodeshift/opossum lib/circuit.js (`fail`) and lib/status.js.
 */
export class ArrivalsRule implements TripRule {
  private readonly bucketSeconds: number;
  private readonly buckets: number;
  private readonly volumeThreshold: number;
  private readonly errorThresholdPercentage: number;
  private originSeconds = Number.NaN;
  private counts: SecondWindow;

  constructor(windowSeconds: number, buckets: number, volumeThreshold: number, errorThresholdPercentage: number) {
    this.bucketSeconds = windowSeconds / buckets;
    this.buckets = buckets;
    this.volumeThreshold = volumeThreshold;
    this.errorThresholdPercentage = errorThresholdPercentage;
    this.counts = new SecondWindow(2, buckets);
  }

  arrive(nowSeconds: number): number {
    this.moveTo(nowSeconds);
    this.counts.add(ARRIVALS);
    return STAYS_CLOSED;
  }

  record(failed: boolean, _tookSeconds: number, nowSeconds: number): number {
    if (!failed) return STAYS_CLOSED;
    this.moveTo(nowSeconds);
    this.counts.add(FAILURES);
    const arrivals = this.counts.total(ARRIVALS);
    if (arrivals < this.volumeThreshold) return STAYS_CLOSED;
    const rate = (this.counts.total(FAILURES) / arrivals) * 100;
    return rate > this.errorThresholdPercentage ? nowSeconds : STAYS_CLOSED;
  }

  probed(failed: boolean, _tookSeconds: number, nowSeconds: number): void {
    if (!failed) return;
    this.moveTo(nowSeconds);
    this.counts.add(FAILURES);
  }

  reset(): void {
    this.counts = new SecondWindow(2, this.buckets);
    this.originSeconds = Number.NaN;
  }

  private moveTo(nowSeconds: number): void {
    if (Number.isNaN(this.originSeconds)) this.originSeconds = nowSeconds;
    this.counts.moveTo((nowSeconds - this.originSeconds) / this.bucketSeconds);
  }
}
