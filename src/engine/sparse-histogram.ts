/**
 * A latency distribution that tells only the bins it has values in: for what a second brings, which is to be told soon and
 * in few bytes. Its bins are those of {@link LatencyHistogram}, so that its counts can be added to one without loss.
 */

import { type FiguresData, HIGHEST_MICROS, LatencyFigures } from "./latency-figures.ts";

/** Values below this have a bin each; from there on each power of two is split into half as many bins: three digits. */
const EXACT_MICROS = 2048;
const BINS_PER_OCTAVE = EXACT_MICROS / 2;
const MICROS_PER_SECOND = 1e6;
/** Bins have numbers from 0 on, below this. */
export const BINS: number = binOfMicros(HIGHEST_MICROS) + 1;

/** A distribution as plain data, to cross to another thread. */
export interface SparseData extends FiguresData {
  /** Bins of the values above zero, in no order, see {@link microsOfBin}, and how many values each holds. */
  readonly bins: Uint16Array;
  readonly counts: Uint32Array;
}

/** Records durations in seconds; about 140 KB once there is one above zero. */
export class SparseHistogram {
  readonly #figures = new LatencyFigures();
  #counts: Uint32Array | undefined;
  /** The bins that hold something: the first `#used` of these. */
  #bins: Uint16Array = new Uint16Array(0);
  #used = 0;

  /** Values recorded so far. */
  get count(): number {
    return this.#figures.count;
  }

  /** See {@link LatencyHistogram.record}. */
  record(seconds: number, censored = false): void {
    const micros = this.#figures.record(seconds, censored);
    if (micros > 0) this.#increase(binOfMicros(micros), 1);
  }

  /** Adds all values of another one. */
  add(other: SparseData): void {
    this.#figures.add(other);
    for (const [index, bin] of other.bins.entries()) this.#increase(bin, other.counts[index] as number);
  }

  data(): SparseData {
    return { ...this.#figures.data(), ...this.#held() };
  }

  /** Forgets all values, at the cost of the bins in use. */
  clear(): void {
    this.#figures.clear();
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

/** The value at or below which a share `quantile` (0..1) of all values of several lies, in seconds; undefined without values. */
export function sparseQuantileSeconds(parts: readonly SparseData[], quantile: number): number | undefined {
  const byBin = new Map<number, number>();
  let left = Math.max(1, Math.ceil(quantile * parts.reduce((sum, { count }) => sum + count, 0)));
  for (const { zeros, bins, counts } of parts) {
    left -= zeros;
    for (const [index, bin] of bins.entries()) byBin.set(bin, (byBin.get(bin) ?? 0) + (counts[index] as number));
  }
  if (left <= 0) return 0;
  for (const [bin, count] of [...byBin].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return microsOfBin(bin) / MICROS_PER_SECOND;
  }
  return undefined;
}
