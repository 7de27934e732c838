/** The rules by which a concurrency limit moves. */

/**
 * A limit that is fed with facts, one sample for each attempt that was answered or dropped. It holds no clock.
 *
 * The four facts, and that a rule sees nothing else, are those of Netflix/concurrency-limits
 * (concurrency-limits-core, `Limit.onSample`).
 */
export interface Limit {
  /** Attempts that may be under way at once: at least 1, need not be whole. */
  readonly limit: number;

  /**
   * @param startSeconds when the attempt was sent.
   * @param rttSeconds how long it took.
   * @param inFlight the attempts under way when it was sent, itself included.
   * @param dropped it was refused for overload, or timed out.
   */
  sample(startSeconds: number, rttSeconds: number, inFlight: number, dropped: boolean): void;
}

/**
 * Whether a rule that divides by round-trip times may use this one. Our clocks can stand still or be set; the sources count
 * whole nanoseconds of a monotonic clock (VegasLimit throws at 0).
 */
export function isUsableRtt(rttSeconds: number): boolean {
  return rttSeconds > 0 && rttSeconds < Number.POSITIVE_INFINITY;
}

/** The bounds of a limit, by the names that its options have. */
export interface LimitBounds {
  readonly initial: readonly [name: string, value: number];
  readonly min: readonly [name: string, value: number];
  readonly max: readonly [name: string, value: number];
}

/** @throws {RangeError} unless min <= initial <= max. The sources only log a warning. */
export function checkLimitBounds(action: string, { initial, min, max }: LimitBounds): void {
  if (min[1] > max[1]) {
    throw new RangeError(
      `Cannot ${action} as '${min[0]}' must be at most '${max[0]}', ${max[1]}: current value is ${min[1]}`,
    );
  }
  if (initial[1] < min[1] || initial[1] > max[1]) {
    const rule = `from '${min[0]}' to '${max[0]}', ${min[1]} to ${max[1]}`;
    throw new RangeError(`Cannot ${action} as '${initial[0]}' must be ${rule}: current value is ${initial[1]}`);
  }
}
