/** Counts of the last seconds, one bucket per whole second, in a few hundred bytes however fast they grow. */

type Ring = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** A ring starts this long, so that a user who hardly ever calls costs almost nothing ... */
const STARTING_SECONDS = 16;
/** ... and grows to this many times its length: to two minutes at once, as each step leaves garbage in the size of a fleet. */
const GROWTH = 8;

/** No second yet. A small integer, which V8 keeps in the object where a NaN would be an object of its own. */
const NEVER = -(2 ** 30);

/**
 * Sliding sums of several kinds of events over whole seconds. After {@link moveTo}, {@link total} is the sum of the
 * buckets `s` with `s > floor(now) - window`: the current second and the `ceil(window) - 1` before it.
 *
 * Every operation is O(1) amortised over the seconds that pass, whatever the rate; an idle gap of a window or more costs
 * one fill. The ring grows up to `ceil(window)` seconds, and only when a bucket that is still needed would be
 * overwritten; its elements widen from 8 to 16 to 32 bits when a bucket would overflow. Nothing else allocates. A bucket
 * holds at most 2^32 - 1 events of a kind; what exceeds that is not counted.
 *
 * A clock that steps backwards never throws and never poisons the sums:
 * - back to a second that is still in the window: events go to that second's own bucket, as the definition says. The
 *   buckets after it stay in the sums (`s > floor(now) - window` holds for them) and those already dropped stay dropped;
 * - further back: the clock was set, and no bucket has a meaning on the new time line. The whole window is relabelled
 *   so that its newest bucket is the current second: ages are kept, and the last of it expires one window later. To drop
 *   it instead would forget an overload at every correction of the clock; to keep the old labels would hold the counts
 *   until the clock catches up, perhaps for years;
 * - `NaN` and infinities: the previous second stays the current one.
 */
export class SecondWindow {
  // What an attempt touches stands first, and the sums in fields instead of an array: of a hundred thousand clients none is
  // in a cache, and each further object is a wait for memory.
  private ring: Ring;
  private largestCount = 0xff;
  /** The second that events go to, and the offset of its bucket. It differs from the newest when the clock stepped back. */
  private current = NEVER;
  private offset = 0;
  private total0 = 0;
  private total1 = 0;
  private total2 = 0;
  /** The newest second that has a bucket, and the place of that bucket; {@link NEVER} until the clock has given a number. */
  private newest = NEVER;
  private newestSlot = 0;
  private ringSeconds: number;
  private readonly kinds: number;
  private readonly liveSeconds: number;

  /**
   * @param kinds how many kinds of events are counted; a kind is an index from 0.
   * @param windowSeconds length of the window, at least 1; it need not be whole.
   */
  constructor(kinds: 1 | 2 | 3, windowSeconds: number) {
    this.kinds = kinds;
    this.liveSeconds = Math.ceil(windowSeconds);
    this.ringSeconds = Math.min(STARTING_SECONDS, this.liveSeconds);
    this.ring = new Uint8Array(this.ringSeconds * kinds);
  }

  /** Makes `floor(nowSeconds)` the current second and drops what has left the window. */
  moveTo(nowSeconds: number): void {
    const second = Math.floor(nowSeconds);
    if (second !== this.current && Number.isFinite(second)) this.changeSecond(second);
  }

  /** Counts one event in the current second. */
  add(kind: number): void {
    const index = this.offset + kind;
    if (this.ring[index] === this.largestCount && !this.widen()) return;
    this.ring[index] = (this.ring[index] as number) + 1;
    this.addTotal(kind, 1);
  }

  /** Events of a kind in the window, as of the last {@link moveTo}. */
  total(kind: number): number {
    if (kind === 0) return this.total0;
    return kind === 1 ? this.total1 : this.total2;
  }

  private addTotal(kind: number, count: number): void {
    if (kind === 0) this.total0 += count;
    else if (kind === 1) this.total1 += count;
    else this.total2 += count;
  }

  private changeSecond(second: number): void {
    const step = second - this.newest;
    let slot = this.newestSlot;
    if (this.newest === NEVER) {
      this.newest = second;
    } else if (step >= this.liveSeconds) {
      this.ring.fill(0);
      this.total0 = 0;
      this.total1 = 0;
      this.total2 = 0;
      this.newest = second;
    } else if (step > 0) {
      for (let passed = 0; passed < step; passed++) this.openNextBucket();
      slot = this.newestSlot;
      this.newest = second;
    } else if (step > -this.liveSeconds) {
      if (-step >= this.ringSeconds) this.lengthen(1 - step);
      slot = this.newestSlot + step;
      if (slot < 0) slot += this.ringSeconds;
    } else {
      this.newest = second;
    }
    this.current = second;
    this.offset = slot * this.kinds;
  }

  /** Moves the newest bucket on by one second. The ring's oldest bucket becomes the new one. */
  private openNextBucket(): void {
    let start = this.startAfterNewest();
    if (this.ringSeconds < this.liveSeconds && this.isOccupied(start)) {
      this.lengthen(this.ringSeconds + 1);
      start = this.startAfterNewest();
    }
    for (let kind = 0; kind < this.kinds; kind++) {
      this.addTotal(kind, -(this.ring[start + kind] as number));
      this.ring[start + kind] = 0;
    }
    this.newestSlot = start / this.kinds;
  }

  private startAfterNewest(): number {
    const next = this.newestSlot + 1;
    return next === this.ringSeconds ? 0 : next * this.kinds;
  }

  private isOccupied(start: number): boolean {
    for (let kind = 0; kind < this.kinds; kind++) if (this.ring[start + kind] !== 0) return true;
    return false;
  }

  /** Lengthens the ring until it holds `neededSeconds`, at most a window; the empty buckets become the oldest ones. */
  private lengthen(neededSeconds: number): void {
    let seconds = this.ringSeconds;
    while (seconds < neededSeconds) seconds *= GROWTH;
    seconds = Math.min(seconds, this.liveSeconds);
    const old = this.ring;
    const Width = old.constructor as new (length: number) => Ring;
    const longer = new Width(seconds * this.kinds);
    const oldest = (this.newestSlot + 1) * this.kinds;
    longer.set(old.subarray(oldest), 0);
    longer.set(old.subarray(0, oldest), old.length - oldest);
    this.newestSlot = this.ringSeconds - 1;
    this.ring = longer;
    this.ringSeconds = seconds;
  }

  /** @returns false when the elements are as wide as they get. */
  private widen(): boolean {
    if (this.largestCount === 0xffffffff) return false;
    const wide = this.largestCount === 0xff;
    this.ring = wide ? new Uint16Array(this.ring) : new Uint32Array(this.ring);
    this.largestCount = wide ? 0xffff : 0xffffffff;
    return true;
  }
}
