/**
 * A distribution of values at or above 0 in bins of equal width, for comparing distribution functions in constant memory.
 * What lies beyond the last bin is counted, and only known to lie there.
 */

export class BinnedDistribution {
  readonly #binsPerUnit: number;
  readonly #counts: Uint32Array;
  #count = 0;

  /** @param units the bins end there. */
  constructor(binsPerUnit: number, units: number) {
    this.#binsPerUnit = binsPerUnit;
    this.#counts = new Uint32Array(binsPerUnit * units);
  }

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    this.#count += 1;
    const bin = value > 0 ? Math.floor(value * this.#binsPerUnit) : 0;
    if (bin < this.#counts.length) this.#counts[bin] = (this.#counts[bin] as number) + 1;
  }

  /** The shares of the values below the upper edge of each bin. */
  shares(): Float64Array {
    const shares = new Float64Array(this.#counts.length);
    let below = 0;
    for (let bin = 0; bin < shares.length; bin += 1) {
      below += this.#counts[bin] as number;
      shares[bin] = this.#count === 0 ? 0 : below / this.#count;
    }
    return shares;
  }

  /**
   * The Kolmogorov-Smirnov distance from a law, `sup |F_n(x) - F(x)|`, taken at the edges of the bins: less than the true
   * one by what the law has in a bin at the most.
   *
   * Source: A. N. Kolmogorov, "Sulla determinazione empirica di una legge di distribuzione", 1933.
   *
   * @param below the distribution function of the law.
   */
  distanceFrom(below: (value: number) => number): number {
    if (this.#count === 0) return 0;
    return this.shares().reduce(
      (most, share, bin) => Math.max(most, Math.abs(share - below((bin + 1) / this.#binsPerUnit))),
      0,
    );
  }
}

/**
 * The largest share of two distributions that differs by more than `tolerance`: the least d such that, for every x,
 *
 *     F(x - tolerance) - d <= G(x) <= F(x + tolerance) + d.
 *
 * With a tolerance of 0 it is the Kolmogorov-Smirnov distance. Equal values that come a hair apart, as even gaps do, would
 * make that 1 where nothing is wrong; here they count as equal (P. Levy's distance has the same value for both).
 *
 * @param one shares below equally spaced edges, see {@link BinnedDistribution.shares}; `other` over the same edges.
 * @param tolerance in edges.
 */
export function tolerantDistance(one: Float64Array, other: Float64Array, tolerance: number): number {
  let most = 0;
  for (let edge = 0; edge + tolerance < one.length; edge += 1) {
    const later = edge + tolerance;
    most = Math.max(
      most,
      (one[edge] as number) - (other[later] as number),
      (other[edge] as number) - (one[later] as number),
    );
  }
  return most;
}
