/** Counts of the last seconds in samples that begin when something happens, not on a grid. */

/** Shortest time between the beginnings of two samples. */
const GRANULARITY_SECONDS = 1;
const STARTING_CAPACITY = 8;

/**
 * A queue of samples. Each begins at a look or a record, at the earliest one second after the sample before it, and leaves
 * once its beginning is a window old: what is looked at covers between the window and a second less.
 *
 * 20 bytes a sample of which there are at most a window's seconds; it starts with 8 and doubles. A clock that steps back is
 * read as standing still; one set back by more than the window moves all samples with it, so that ages are kept. `NaN` and
 * infinities change nothing.
 *
 * Source: envoyproxy/envoy source/extensions/filters/http/admission_control/thread_local_controller.cc.
 */
export class SampleWindow {
  private readonly windowSeconds: number;
  private starts: Float64Array<ArrayBuffer> = new Float64Array(STARTING_CAPACITY);
  private sampleRequests: Uint32Array<ArrayBuffer> = new Uint32Array(STARTING_CAPACITY);
  private sampleSuccesses: Uint32Array<ArrayBuffer> = new Uint32Array(STARTING_CAPACITY);
  private oldest = 0;
  private samples = 0;
  private requestCount = 0;
  private successCount = 0;

  /** @param windowSeconds at least 1. */
  constructor(windowSeconds: number) {
    this.windowSeconds = windowSeconds;
  }

  /** Requests, as of the last {@link moveTo} or {@link record}. */
  get requests(): number {
    return this.requestCount;
  }

  get successes(): number {
    return this.successCount;
  }

  /** Drops what is too old, and begins a sample when it is time for one. */
  moveTo(nowSeconds: number): void {
    if (!Number.isFinite(nowSeconds)) return;
    if (this.samples > 0 && this.newestStart() - nowSeconds > this.windowSeconds) this.rebase(nowSeconds);
    while (this.samples > 0 && nowSeconds - this.oldestStart() >= this.windowSeconds) this.dropOldest();
    if (this.samples === 0 || nowSeconds - this.newestStart() >= GRANULARITY_SECONDS) this.begin(nowSeconds);
  }

  record(success: boolean, nowSeconds: number): void {
    this.moveTo(nowSeconds);
    if (this.samples === 0) return; // No time was ever told.
    const index = this.index(this.samples - 1);
    this.sampleRequests[index] = (this.sampleRequests[index] as number) + 1;
    this.requestCount++;
    if (!success) return;
    this.sampleSuccesses[index] = (this.sampleSuccesses[index] as number) + 1;
    this.successCount++;
  }

  /**
   * Whole requests per whole second over the window, or over the age of the oldest sample when that is more. It drops
   * nothing first, so after an idle time the old requests are spread over all of it.
   */
  averagePerSecond(nowSeconds: number): number {
    if (this.samples === 0 || this.requestCount === 0) return 0;
    const age = Math.floor(nowSeconds - this.oldestStart());
    return Math.floor(this.requestCount / (age > this.windowSeconds ? age : this.windowSeconds));
  }

  private index(position: number): number {
    return (this.oldest + position) & (this.starts.length - 1);
  }

  private oldestStart(): number {
    return this.starts[this.oldest] as number;
  }

  private newestStart(): number {
    return this.starts[this.index(this.samples - 1)] as number;
  }

  private begin(nowSeconds: number): void {
    if (this.samples === this.starts.length) this.double();
    const index = this.index(this.samples);
    this.starts[index] = nowSeconds;
    this.sampleRequests[index] = 0;
    this.sampleSuccesses[index] = 0;
    this.samples++;
  }

  private dropOldest(): void {
    this.requestCount -= this.sampleRequests[this.oldest] as number;
    this.successCount -= this.sampleSuccesses[this.oldest] as number;
    this.oldest = this.index(1);
    this.samples--;
  }

  private double(): void {
    const capacity = 2 * this.starts.length;
    const starts = new Float64Array(capacity);
    const requests = new Uint32Array(capacity);
    const successes = new Uint32Array(capacity);
    for (let position = 0; position < this.samples; position++) {
      const index = this.index(position);
      starts[position] = this.starts[index] as number;
      requests[position] = this.sampleRequests[index] as number;
      successes[position] = this.sampleSuccesses[index] as number;
    }
    this.starts = starts;
    this.sampleRequests = requests;
    this.sampleSuccesses = successes;
    this.oldest = 0;
  }

  private rebase(nowSeconds: number): void {
    const newest = this.newestStart();
    for (let position = 0; position < this.samples; position++) {
      const index = this.index(position);
      this.starts[index] = nowSeconds - (newest - (this.starts[index] as number));
    }
  }
}
