/** Successes, failures and local rejects of the last moments, with the runs of good and bad buckets at their end. */

/** How many buckets a window has. */
export const BUCKETS = 40;

export const SUCCESS = 0;
export const FAILURE = 1;
export const DROP = 2;
const KINDS = 3;
const LARGEST_COUNT = 0xffffffff;
/** A first look this far away is of another time line: the clock was set since. */
const FAR_BUCKETS = 2 ** 40;

/**
 * A ring of 40 buckets that begin at multiples of their length after the first look. A look costs the buckets that passed
 * since the last one; the runs are walked as far as they reach, once for each change that could end or lengthen them.
 *
 * 480 bytes of counts. A clock that steps back empties it, as in the source; `NaN` and infinities change nothing.
 *
 * Source: zeromicro/go-zero core/collection/rollingwindow.go, core/breaker/googlebreaker.go (`history`).
 */
export class OutcomeBuckets {
  private readonly bucketSeconds: number;
  private readonly counts: Uint32Array<ArrayBuffer> = new Uint32Array(BUCKETS * KINDS);
  private originSeconds = Number.NaN;
  private newest = 0;
  private newestSlot = 0;
  private successCount = 0;
  private eventCount = 0;
  private working = 0;
  private failing = 0;
  private runsAreKnown = false;

  /** @param bucketSeconds length of a bucket. */
  constructor(bucketSeconds: number) {
    this.bucketSeconds = bucketSeconds;
  }

  /** Successes, as of the last {@link moveTo}. */
  get successes(): number {
    return this.successCount;
  }

  /** Events of all three kinds. */
  get total(): number {
    return this.eventCount;
  }

  moveTo(nowSeconds: number): void {
    if (!Number.isFinite(nowSeconds)) return;
    let bucket = Math.floor((nowSeconds - this.originSeconds) / this.bucketSeconds);
    if (!(Math.abs(bucket) < FAR_BUCKETS)) {
      this.originSeconds = nowSeconds;
      this.clear();
      bucket = 0;
    }
    if (bucket === this.newest) return;
    const step = bucket - this.newest;
    this.newest = bucket;
    if (step < 0 || step >= BUCKETS) this.clear();
    else for (let passed = 0; passed < step; passed++) this.openNext();
  }

  /** Counts one event in the current bucket. @param kind {@link SUCCESS}, {@link FAILURE} or {@link DROP}. */
  add(kind: number): void {
    const index = this.newestSlot * KINDS + kind;
    const count = this.counts[index] as number;
    if (count === LARGEST_COUNT) return;
    if (count === 0) this.runsAreKnown = false;
    this.counts[index] = count + 1;
    this.eventCount++;
    if (kind === SUCCESS) this.successCount++;
  }

  /** Buckets with successes since the last one with a failure. */
  workingBuckets(): number {
    this.findRuns();
    return this.working;
  }

  /** Buckets with failures since the last one with a success. */
  failingBuckets(): number {
    this.findRuns();
    return this.failing;
  }

  private findRuns(): void {
    if (this.runsAreKnown) return;
    this.working = this.runWithout(FAILURE, SUCCESS);
    this.failing = this.runWithout(SUCCESS, FAILURE);
    this.runsAreKnown = true;
  }

  private runWithout(ending: number, counted: number): number {
    let run = 0;
    let slot = this.newestSlot;
    for (let age = 0; age < BUCKETS; age++) {
      if (this.counts[slot * KINDS + ending] !== 0) break;
      if (this.counts[slot * KINDS + counted] !== 0) run++;
      slot = slot === 0 ? BUCKETS - 1 : slot - 1;
    }
    return run;
  }

  private openNext(): void {
    this.newestSlot = this.newestSlot === BUCKETS - 1 ? 0 : this.newestSlot + 1;
    const start = this.newestSlot * KINDS;
    for (let kind = 0; kind < KINDS; kind++) {
      const count = this.counts[start + kind] as number;
      this.eventCount -= count;
      if (kind === SUCCESS) this.successCount -= count;
      this.counts[start + kind] = 0;
    }
    this.runsAreKnown = false;
  }

  private clear(): void {
    this.counts.fill(0);
    this.eventCount = 0;
    this.successCount = 0;
    this.runsAreKnown = false;
  }
}
