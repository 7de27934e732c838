/**
 * Latency distributions: HdrHistogram (http://hdrhistogram.org) in microseconds, three significant digits, up to an hour,
 * with what it would blur carried beside it: exact minimum, maximum and mean, and how many values are only lower bounds.
 */

import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from "hdr-histogram-js";
import type { LatencySummary } from "../result/schema.ts";
import { microsOfBin, type SparseData } from "./sparse-histogram.ts";

const HIGHEST_MICROS = 3_600_000_000;
const MICROS_PER_SECOND = 1e6;
/** A bin must hold more than 2^32 values. */
const COUNT_BITS = 64;

const EMPTY: LatencySummary = {
  count: 0,
  minMs: 0,
  meanMs: 0,
  p50Ms: 0,
  p90Ms: 0,
  p99Ms: 0,
  p999Ms: 0,
  maxMs: 0,
  censored: 0,
  hdr: "",
};

/** A distribution as plain data, to cross to another thread: nothing is lost, and two are added by {@link LatencyHistogram.add}. */
export interface HistogramData {
  readonly count: number;
  readonly zeros: number;
  readonly censored: number;
  readonly sumSeconds: number;
  /** Exact; infinity when there is no value. */
  readonly minSeconds: number;
  /** Exact; 0 when there is no value. */
  readonly maxSeconds: number;
  /** HdrHistogram V2, compressed, base64, of the values above zero in microseconds; empty when there are none. */
  readonly hdr: string;
}

/** Records durations in seconds. About 100 ns a record; no allocation but the first; memory fixed at about 190 KB. */
export class LatencyHistogram {
  #histogram: Histogram | undefined;
  #count = 0;
  /** Zeros are counted apart: in the virtual world lateness and waits are all zero, and a counter costs nothing. */
  #zeros = 0;
  #censored = 0;
  #sumSeconds = 0;
  #minSeconds = Number.POSITIVE_INFINITY;
  #maxSeconds = 0;

  /** Values recorded so far. */
  get count(): number {
    return this.#count;
  }

  /** The largest value so far, exact, in seconds. */
  get maxSeconds(): number {
    return this.#maxSeconds;
  }

  /**
   * Records one duration. A negative one (a timer that fired early by less than the clock's grain) counts as zero, one
   * over an hour as an hour in the percentiles; minimum and maximum stay exact.
   *
   * @param censored true when the true duration is at least this long: a time-out, a call cut off at the end.
   */
  record(seconds: number, censored = false): void {
    const value = seconds > 0 ? seconds : 0;
    this.#count += 1;
    this.#sumSeconds += value;
    if (value < this.#minSeconds) this.#minSeconds = value;
    if (value > this.#maxSeconds) this.#maxSeconds = value;
    if (censored) this.#censored += 1;
    const micros = Math.min(Math.round(value * MICROS_PER_SECOND), HIGHEST_MICROS);
    if (micros === 0) {
      this.#zeros += 1;
      return;
    }
    this.#histogram ??= newHistogram();
    this.#histogram.recordValue(micros);
  }

  /** Adds all values of another histogram: bin by bin, so that the order and the number of the parts change nothing. */
  add(other: HistogramData): void {
    this.#addFigures(other);
    if (other.hdr === "") return;
    this.#histogram ??= newHistogram();
    this.#histogram.add(decodeHistogram(other.hdr));
  }

  /** Adds all values of a sparse one: its bins are this one's. */
  addSparse(other: SparseData): void {
    this.#addFigures(other);
    if (other.bins.length === 0) return;
    this.#histogram ??= newHistogram();
    for (const [index, bin] of other.bins.entries()) {
      this.#histogram.recordValueWithCount(microsOfBin(bin), other.counts[index] as number);
    }
  }

  data(): HistogramData {
    return {
      count: this.#count,
      zeros: this.#zeros,
      censored: this.#censored,
      sumSeconds: this.#sumSeconds,
      minSeconds: this.#minSeconds,
      maxSeconds: this.#maxSeconds,
      hdr: this.#histogram === undefined ? "" : encodeIntoCompressedBase64(this.#histogram),
    };
  }

  /** The value at or below which a share `quantile` (0..1) of the values lies, in seconds; 0 when empty. */
  quantileSeconds(quantile: number): number {
    const rank = Math.max(1, Math.ceil(quantile * this.#count));
    if (rank <= this.#zeros || this.#histogram === undefined) return 0;
    // The histogram lacks the zeros: ask it for the same rank among the values it has.
    const share = (100 * (rank - this.#zeros)) / (this.#count - this.#zeros);
    const micros = this.#histogram.getValueAtPercentile(Math.min(100, share));
    return Math.min(micros / MICROS_PER_SECOND, this.#maxSeconds);
  }

  /** The distribution as it stands in a result file. */
  summary(): LatencySummary {
    if (this.#count === 0) return EMPTY;
    const full = newHistogram();
    if (this.#histogram !== undefined) full.add(this.#histogram);
    if (this.#zeros > 0) full.recordValueWithCount(0, this.#zeros);
    if (full.totalCount !== this.#count) {
      throw new Error(`Histogram holds ${full.totalCount} values but ${this.#count} were recorded`);
    }
    return {
      count: this.#count,
      minMs: toMs(this.#minSeconds),
      meanMs: toMs(this.#sumSeconds / this.#count),
      p50Ms: toMs(this.quantileSeconds(0.5)),
      p90Ms: toMs(this.quantileSeconds(0.9)),
      p99Ms: toMs(this.quantileSeconds(0.99)),
      p999Ms: toMs(this.quantileSeconds(0.999)),
      maxMs: toMs(this.#maxSeconds),
      censored: this.#censored,
      hdr: encodeIntoCompressedBase64(full),
    };
  }

  #addFigures(other: Omit<HistogramData, "hdr">): void {
    this.#count += other.count;
    this.#zeros += other.zeros;
    this.#censored += other.censored;
    this.#sumSeconds += other.sumSeconds;
    if (other.minSeconds < this.#minSeconds) this.#minSeconds = other.minSeconds;
    if (other.maxSeconds > this.#maxSeconds) this.#maxSeconds = other.maxSeconds;
  }
}

/** The histogram inside a {@link LatencySummary}, values in microseconds. */
export function decodeHistogram(hdr: string): Histogram {
  return decodeFromCompressedBase64(hdr, COUNT_BITS);
}

function newHistogram(): Histogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_MICROS,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: COUNT_BITS,
    useWebAssembly: false,
  });
}

/** Milliseconds, rounded to the microsecond so that files stay readable. */
function toMs(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e3;
}
