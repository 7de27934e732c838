/**
 * Latency distributions: HdrHistogram (http://hdrhistogram.org) in microseconds, three significant digits, up to an hour,
 * with what it would blur carried beside it: exact minimum, maximum and mean, and how many values are only lower bounds.
 */

import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  type JsHistogram,
} from "hdr-histogram-js";
import type { LatencySummary } from "../result/schema.ts";
import { type FiguresData, HIGHEST_MICROS, LatencyFigures } from "./latency-figures.ts";
import { microsOfBin, type SparseData } from "./sparse-histogram.ts";

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
export interface HistogramData extends FiguresData {
  /** HdrHistogram V2, compressed, base64, of the values above zero in microseconds; empty when there are none. */
  readonly hdr: string;
}

/** Records durations in seconds. About 100 ns a record; no allocation but the first; memory fixed at about 190 KB. */
export class LatencyHistogram {
  #histogram: Histogram | undefined;
  readonly #figures = new LatencyFigures();

  /** Values recorded so far. */
  get count(): number {
    return this.#figures.count;
  }

  /** The largest value so far, exact, in seconds. */
  get maxSeconds(): number {
    return this.#figures.maxSeconds;
  }

  /**
   * Records one duration. A negative one (a timer that fired early by less than the clock's grain) counts as zero, one
   * over an hour as an hour in the percentiles; minimum and maximum stay exact.
   *
   * @param censored true when the true duration is at least this long: a time-out, a call cut off at the end.
   */
  record(seconds: number, censored = false): void {
    const micros = this.#figures.record(seconds, censored);
    if (micros === 0) return;
    this.#histogram ??= newHistogram();
    this.#histogram.recordValue(micros);
  }

  /** Adds all values of another histogram: bin by bin, so that the order and the number of the parts change nothing. */
  add(other: HistogramData): void {
    this.#figures.add(other);
    if (other.hdr === "") return;
    this.#histogram ??= newHistogram();
    this.#histogram.add(decodeHistogram(other.hdr));
  }

  /** Adds all values of a sparse one: its bins are this one's. */
  addSparse(other: SparseData): void {
    this.#figures.add(other);
    if (other.bins.length === 0) return;
    this.#histogram ??= newHistogram();
    for (const [index, bin] of other.bins.entries()) {
      this.#histogram.recordValueWithCount(microsOfBin(bin), other.counts[index] as number);
    }
  }

  data(): HistogramData {
    return {
      ...this.#figures.data(),
      hdr: this.#histogram === undefined ? "" : encodeIntoCompressedBase64(this.#histogram),
    };
  }

  /** The value at or below which a share `quantile` (0..1) of the values lies, in seconds; 0 when empty. */
  quantileSeconds(quantile: number): number {
    const { count, zeros, maxSeconds } = this.#figures;
    const rank = Math.max(1, Math.ceil(quantile * count));
    if (rank <= zeros || this.#histogram === undefined) return 0;
    // The histogram lacks the zeros: ask it for the same rank among the values it has.
    const share = (100 * (rank - zeros)) / (count - zeros);
    const micros = this.#histogram.getValueAtPercentile(Math.min(100, share));
    return Math.min(micros / MICROS_PER_SECOND, maxSeconds);
  }

  /** The distribution as it stands in a result file. */
  summary(): LatencySummary {
    const { count, zeros, censored, sumSeconds, minSeconds, maxSeconds } = this.#figures;
    if (count === 0) return EMPTY;
    const full = newHistogram();
    if (this.#histogram !== undefined) full.add(this.#histogram);
    if (zeros > 0) full.recordValueWithCount(0, zeros);
    if (full.totalCount !== count) {
      throw new Error(`Histogram holds ${full.totalCount} values but ${count} were recorded`);
    }
    return {
      count,
      minMs: toMs(minSeconds),
      meanMs: toMs(sumSeconds / count),
      p50Ms: toMs(this.quantileSeconds(0.5)),
      p90Ms: toMs(this.quantileSeconds(0.9)),
      p99Ms: toMs(this.quantileSeconds(0.99)),
      p999Ms: toMs(this.quantileSeconds(0.999)),
      maxMs: toMs(maxSeconds),
      censored,
      hdr: encodeIntoCompressedBase64(full),
    };
  }
}

/** The histogram inside a {@link LatencySummary}, values in microseconds. */
export function decodeHistogram(hdr: string): Histogram {
  return decodeFromCompressedBase64(hdr, COUNT_BITS);
}

/** A bin of a histogram that holds something: values from `lowMicros` to `highMicros`, all taken for the same. */
export interface HistogramBin {
  readonly lowMicros: number;
  readonly highMicros: number;
  readonly count: number;
}

/** The bins of several histograms of {@link LatencySummary} together, in ascending order; how many the histogram has. */
export function decodeBins(hdrs: readonly string[]): {
  readonly bins: readonly HistogramBin[];
  readonly buckets: number;
  readonly subBuckets: number;
} {
  const merged = newHistogram() as JsHistogram;
  for (const hdr of hdrs) if (hdr !== "") merged.add(decodeHistogram(hdr) as JsHistogram);
  const bins: HistogramBin[] = [];
  const iterator = merged.recordedValuesIterator;
  iterator.reset();
  while (iterator.hasNext()) {
    const { valueIteratedTo, countAtValueIteratedTo: count } = iterator.next();
    bins.push({ lowMicros: merged.lowestEquivalentValue(valueIteratedTo), highMicros: valueIteratedTo, count });
  }
  return { bins, buckets: merged.bucketCount, subBuckets: merged.subBucketCount };
}

/** The value in ms at or below which a share (0..1) of the values of a distribution lies, as its other figures give it. */
export function percentileMs({ hdr, count, maxMs }: LatencySummary, share: number): number {
  if (count === 0) return 0;
  const rank = Math.max(1, Math.ceil(share * count));
  const micros = decodeHistogram(hdr).getValueAtPercentile(Math.min(100, (100 * rank) / count));
  return Math.min(micros / 1e3, maxMs);
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
