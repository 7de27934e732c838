/** A log-linear histogram of two significant digits, as Envoy keeps its latencies. */

/** 10^0 ... 10^15: a bin's exponent is an index. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`));
const LARGEST_EXPONENT = POWERS.length - 1;
const BINS_PER_DECADE = 100;

/**
 * Counts whole numbers in bins of their two leading digits, and estimates quantiles from them.
 *
 * Only the bins in use are kept, in order; there are at most 90 for each power of ten, 1,441 in all, whatever the number of
 * values. A latency that varies by a factor of two takes about 30, of 16 bytes.
 *
 * Source: openhistogram/libcircllhist `src/circllhist.c` (`double_to_hist_bucket`, `hist_approx_quantile`).
 */
export class LatencyHistogram {
  /** `100 x exponent + two digits`, ascending; 0 is the bin of the value 0. */
  private readonly bins: number[] = [];
  private readonly counts: number[] = [];
  private total = 0;

  get count(): number {
    return this.total;
  }

  clear(): void {
    this.bins.length = 0;
    this.counts.length = 0;
    this.total = 0;
  }

  /** @param value a whole number of at least 0. */
  add(value: number): void {
    const bin = binOf(value);
    let low = 0;
    let high = this.bins.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.bins[middle] as number) < bin) low = middle + 1;
      else high = middle;
    }
    if (this.bins[low] === bin) {
      this.counts[low] = (this.counts[low] as number) + 1;
    } else {
      this.bins.splice(low, 0, bin);
      this.counts.splice(low, 0, 1);
    }
    this.total += 1;
  }

  /**
   * The value below which a share of all lies, at the place that the k-th of n values in its bin would be expected at:
   * `left + width x k / (n + 1)`.
   *
   * @param share from 0 to 1.
   * @returns 0 when the histogram is empty.
   */
  quantile(share: number): number {
    const target = this.total * share;
    let below = 0;
    for (let index = 0; index < this.bins.length; index += 1) {
      const count = this.counts[index] as number;
      if (below + count >= target || index === this.bins.length - 1) {
        const rank = Math.max(1, Math.ceil(target - below));
        return valueInBin(this.bins[index] as number, rank / (count + 1));
      }
      below += count;
    }
    return 0;
  }
}

function binOf(value: number): number {
  if (!(value >= 1)) return 0;
  let exponent = 0;
  while (exponent < LARGEST_EXPONENT && value >= (POWERS[exponent + 1] as number)) exponent += 1;
  const digits = Math.min(99, Math.floor((value / (POWERS[exponent] as number)) * 10 + 1e-13));
  return exponent * BINS_PER_DECADE + digits;
}

function valueInBin(bin: number, share: number): number {
  if (bin === 0) return 0;
  const power = POWERS[Math.floor(bin / BINS_PER_DECADE)] as number;
  return ((bin % BINS_PER_DECADE) / 10) * power + share * (power / 10);
}
