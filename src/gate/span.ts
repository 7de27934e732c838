/**
 * Numbers of which sometimes only a bound is known. A time-out says that a call took at least so long, so a percentile that
 * rests on it lies somewhere from there up. An assertion holds only when it holds wherever the true values lie, so what is
 * computed of such figures is carried along as the interval in which it lies (interval arithmetic: R. E. Moore, 1966).
 */

/** All values from `low` to `high`; equal for a figure that was measured in full. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

export function point(value: number): Span {
  return { low: value, high: value };
}

export function atLeast(low: number): Span {
  return { low, high: Number.POSITIVE_INFINITY };
}

export function isPoint({ low, high }: Span): boolean {
  return low === high;
}

export function negated({ low, high }: Span): Span {
  return { low: -high, high: -low };
}

export function sum(a: Span, b: Span): Span {
  return { low: a.low + b.low, high: a.high + b.high };
}

export function product(a: Span, b: Span): Span {
  // Nothing times a bound that is not known is nothing.
  return hull(a, b, (x, y) => (x === 0 || y === 0 ? 0 : x * y));
}

/** Undefined where the divisor may be zero. */
export function quotient(a: Span, b: Span): Span | undefined {
  return b.low <= 0 && b.high >= 0 ? undefined : hull(a, b, (x, y) => x / y);
}

/** The least and the greatest value at the corners. Infinity over infinity is no corner: it lies between the others. */
function hull(a: Span, b: Span, of: (x: number, y: number) => number): Span {
  const corners = [of(a.low, b.low), of(a.low, b.high), of(a.high, b.low), of(a.high, b.high)].filter(
    (value) => !Number.isNaN(value),
  );
  return { low: Math.min(...corners), high: Math.max(...corners) };
}
