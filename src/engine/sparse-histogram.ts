/**
 * A latency distribution that tells only the bins it has values in: for what a second brings, which is to be told soon and
 * in few bytes. Its bins are those of {@link LatencyHistogram}, so that its counts can be added to one without loss.
 */

/** Values below this have a bin each; from there on each power of two is split into half as many bins: three digits. */
const EXACT_MICROS = 2048;
const BINS_PER_OCTAVE = EXACT_MICROS / 2;
/** An hour, as in {@link LatencyHistogram}; it must fit 32 bits. */
const HIGHEST_MICROS = 3_600_000_000;
/** Bins have numbers from 0 on, below this. */
export const BINS: number = binOfMicros(HIGHEST_MICROS) + 1;

/** A distribution as plain data, to cross to another thread. */
export interface SparseData {
  readonly count: number;
  readonly zeros: number;
  readonly censored: number;
  readonly sumSeconds: number;
  /** Exact; infinity when there is no value. */
  readonly minSeconds: number;
  /** Exact; 0 when there is no value. */
  readonly maxSeconds: number;
  /** Bins of the values above zero, in no order, see {@link microsOfBin}, and how many values each holds. */
  readonly bins: Uint16Array;
  readonly counts: Uint32Array;
}

/** Records durations in seconds; about 140 KB once there is one above zero. */
export class SparseHistogram {
  #count = 0;
  #zeros = 0;
  #censored = 0;
  #sumSeconds = 0;
  #minSeconds = Number.POSITIVE_INFINITY;
  #maxSeconds = 0;
  #counts: Uint32Array | undefined;
  /** The bins that hold something: the first `#used` of these. */
  #bins: Uint16Array = new Uint16Array(0);
  #used = 0;

  /** Values recorded so far. */
  get count(): number {
    return this.#count;
  }

  /** See {@link LatencyHistogram.record}. */
  record(seconds: number, censored = false): void {
    const value = seconds > 0 ? seconds : 0;
    this.#count += 1;
    this.#sumSeconds += value;
    if (value < this.#minSeconds) this.#minSeconds = value;
    if (value > this.#maxSeconds) this.#maxSeconds = value;
    if (censored) this.#censored += 1;
    const micros = Math.min(Math.round(value * 1e6), HIGHEST_MICROS);
    if (micros === 0) this.#zeros += 1;
    else this.#increase(binOfMicros(micros), 1);
  }

  /** Adds all values of another one. */
  add(other: SparseData): void {
    this.#count += other.count;
    this.#zeros += other.zeros;
    this.#censored += other.censored;
    this.#sumSeconds += other.sumSeconds;
    if (other.minSeconds < this.#minSeconds) this.#minSeconds = other.minSeconds;
    if (other.maxSeconds > this.#maxSeconds) this.#maxSeconds = other.maxSeconds;
    for (const [index, bin] of other.bins.entries()) this.#increase(bin, other.counts[index] as number);
  }

  data(): SparseData {
    return {
      count: this.#count,
      zeros: this.#zeros,
      censored: this.#censored,
      sumSeconds: this.#sumSeconds,
      minSeconds: this.#minSeconds,
      maxSeconds: this.#maxSeconds,
      ...this.#held(),
    };
  }

  /** Forgets all values, at the cost of the bins in use. */
  clear(): void {
    this.#count = 0;
    this.#zeros = 0;
    this.#censored = 0;
    this.#sumSeconds = 0;
    this.#minSeconds = Number.POSITIVE_INFINITY;
    this.#maxSeconds = 0;
    const counts = this.#counts;
    if (counts !== undefined)
      for (let index = 0; index < this.#used; index += 1) counts[this.#bins[index] as number] = 0;
    this.#used = 0;
  }

  #held(): Pick<SparseData, "bins" | "counts"> {
    const bins = this.#bins.slice(0, this.#used);
    const counts = new Uint32Array(this.#used);
    const own = this.#counts;
    if (own !== undefined)
      for (let index = 0; index < bins.length; index += 1) counts[index] = own[bins[index] as number] as number;
    return { bins, counts };
  }

  #increase(bin: number, count: number): void {
    if (this.#counts === undefined) {
      this.#counts = new Uint32Array(BINS);
      this.#bins = new Uint16Array(BINS);
    }
    const before = this.#counts[bin] as number;
    this.#counts[bin] = before + count;
    if (before > 0) return;
    this.#bins[this.#used] = bin;
    this.#used += 1;
  }
}

/** The bin of a whole number of microseconds, 1 to an hour. */
export function binOfMicros(micros: number): number {
  if (micros < EXACT_MICROS) return micros;
  const shift = 21 - Math.clz32(micros);
  return BINS_PER_OCTAVE * shift + (micros >>> shift);
}

/** The smallest value of a bin. */
export function microsOfBin(bin: number): number {
  if (bin < EXACT_MICROS) return bin;
  const shift = Math.floor(bin / BINS_PER_OCTAVE) - 1;
  return (bin - BINS_PER_OCTAVE * shift) * 2 ** shift;
}
