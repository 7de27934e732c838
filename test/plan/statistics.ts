/** Pearson's chi-square of `counts` against equal expectations, as standard deviations off its mean (df = cells - 1). */
export function chiSquareScore(counts: readonly number[]): number {
  const expected = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  const statistic = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  const freedom = counts.length - 1;
  return (statistic - freedom) / Math.sqrt(2 * freedom);
}

/** Numbers of [0, 1) counted in `cells` equal cells. */
export function histogram(uniforms: readonly number[], cells: number): number[] {
  const counts = new Array<number>(cells).fill(0);
  for (const u of uniforms) {
    const cell = Math.floor(u * cells);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}

/** Correlation of two lists of uniforms, as standard deviations off 0. */
export function correlationScore(a: readonly number[], b: readonly number[]): number {
  const sum = a.reduce((total, x, i) => total + (x - 0.5) * ((b[i] as number) - 0.5), 0);
  return (12 * sum) / Math.sqrt(a.length);
}

/** Kolmogorov-Smirnov: sqrt(n) times the greatest distance of the samples from `cdf`; 1.95 is exceeded once in 1,000. */
export function kolmogorovSmirnov(samples: readonly number[], cdf: (x: number) => number): number {
  const sorted = Float64Array.from(samples).sort();
  const n = sorted.length;
  let distance = 0;
  sorted.forEach((x, i) => {
    distance = Math.max(distance, (i + 1) / n - cdf(x), cdf(x) - i / n);
  });
  return distance * Math.sqrt(n);
}
