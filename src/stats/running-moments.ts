/**
 * Mean and variance of values that come one at a time, in constant memory, without the cancellation of a sum of squares.
 *
 * Source: B. P. Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 4 (3),
 * 1962.
 */
export class RunningMoments {
  #count = 0;
  #mean = 0;
  #squares = 0;

  add(value: number): void {
    this.#count += 1;
    const offset = value - this.#mean;
    this.#mean += offset / this.#count;
    this.#squares += offset * (value - this.#mean);
  }

  get count(): number {
    return this.#count;
  }

  /** 0 when there are no values. */
  get mean(): number {
    return this.#mean;
  }

  /** Of the values as a whole population; 0 when there are none. */
  get standardDeviation(): number {
    return this.#count === 0 ? 0 : Math.sqrt(this.#squares / this.#count);
  }

  /** Coefficient of variation: standard deviation over mean; 0 where the mean is. */
  get variation(): number {
    return this.#mean === 0 ? 0 : this.standardDeviation / this.#mean;
  }
}
