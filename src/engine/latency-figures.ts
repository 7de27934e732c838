/** What every latency distribution carries exactly beside its bins: counts, sum, and extremes. */

/** As plain data. */
export interface FiguresData {
  readonly count: number;
  /** Values that round to zero microseconds: no bin holds them. */
  readonly zeros: number;
  readonly censored: number;
  readonly sumSeconds: number;
  /** Exact; infinity when there is no value. */
  readonly minSeconds: number;
  /** Exact; 0 when there is no value. */
  readonly maxSeconds: number;
}

/** The longest that a bin can tell: an hour. */
export const HIGHEST_MICROS = 3_600_000_000;
const MICROS_PER_SECOND = 1e6;

export class LatencyFigures implements FiguresData {
  count = 0;
  /** Apart, since in the virtual world lateness and waits are all zero, and a counter costs nothing. */
  zeros = 0;
  censored = 0;
  sumSeconds = 0;
  minSeconds: number = Number.POSITIVE_INFINITY;
  maxSeconds = 0;

  /**
   * Counts one duration. A negative one (a timer that fired early by less than the clock's grain) counts as zero.
   *
   * @param censored true when the true duration is at least this long: a time-out, a call cut off at the end.
   * @returns what is for a bin: whole microseconds, at most an hour; 0 for none.
   */
  record(seconds: number, censored: boolean): number {
    const value = seconds > 0 ? seconds : 0;
    this.count += 1;
    this.sumSeconds += value;
    if (value < this.minSeconds) this.minSeconds = value;
    if (value > this.maxSeconds) this.maxSeconds = value;
    if (censored) this.censored += 1;
    const micros = Math.min(Math.round(value * MICROS_PER_SECOND), HIGHEST_MICROS);
    if (micros === 0) this.zeros += 1;
    return micros;
  }

  add(other: FiguresData): void {
    this.count += other.count;
    this.zeros += other.zeros;
    this.censored += other.censored;
    this.sumSeconds += other.sumSeconds;
    if (other.minSeconds < this.minSeconds) this.minSeconds = other.minSeconds;
    if (other.maxSeconds > this.maxSeconds) this.maxSeconds = other.maxSeconds;
  }

  data(): FiguresData {
    const { count, zeros, censored, sumSeconds, minSeconds, maxSeconds } = this;
    return { count, zeros, censored, sumSeconds, minSeconds, maxSeconds };
  }

  clear(): void {
    this.count = 0;
    this.zeros = 0;
    this.censored = 0;
    this.sumSeconds = 0;
    this.minSeconds = Number.POSITIVE_INFINITY;
    this.maxSeconds = 0;
  }
}
