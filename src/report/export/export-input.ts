/** What exports are made of beside the results themselves. */

/** A bin of a latency histogram that holds something: values from `lowMicros` to `highMicros`, all taken for the same. */
export interface LatencyBin {
  readonly lowMicros: number;
  readonly highMicros: number;
  readonly count: number;
}

/** Several histograms as one: its bins in ascending order, and how the histogram is made up. */
export interface DecodedLatencies {
  readonly bins: readonly LatencyBin[];
  readonly buckets: number;
  readonly subBuckets: number;
}

/** Decodes the `hdr` texts of latency summaries and adds them up. It needs a package, so it comes from outside. */
export type DecodeLatencies = (hdrs: readonly string[]) => DecodedLatencies;

/** A text of an export, and what to put before the extension of its file where an export has several. */
export interface ExportedText {
  readonly part: string;
  readonly text: string;
}
