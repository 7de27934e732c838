/** Mean and spread of a sample. */
export interface SampleMoments {
  readonly mean: number;
  /** With n - 1 in the denominator; exactly 0 where all values are equal. */
  readonly deviation: number;
}

/** @param values at least two, all finite. */
export function sampleMoments(values: readonly number[]): SampleMoments {
  const first = values[0] as number;
  if (values.every((value) => value === first)) return { mean: first, deviation: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}
