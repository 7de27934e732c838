/**
 * Student's t distribution for whole degrees of freedom, by + - * / and square roots.
 *
 *     P(|T| > t) = I_x(v / 2, 1 / 2),   x = v / (v + t^2)
 *
 * the regularised incomplete beta function, by its continued fraction. Its constant B(v/2, 1/2) follows from B(1/2, 1/2) = pi,
 * B(1, 1/2) = 2 and B(b + 1, 1/2) = B(b, 1/2) b / (b + 1/2).
 *
 * Source: M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 1964, 26.7.1, 26.5.8 and 6.2.2.
 */

/** Enough for 15 digits: a step adds about a digit in the half of the range where the fraction is used. */
const STEPS_MAX = 300;
const PRECISION = 1e-15;
const TINY = 1e-300;

/**
 * The probability that |T| is above `t`.
 *
 * @param t not negative.
 * @param freedom degrees of freedom, a positive whole number.
 */
export function studentTails(t: number, freedom: number): number {
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return 0;
  const x = freedom / (freedom + square);
  const y = square / (freedom + square);
  const front = halfPower(x, freedom) * Math.sqrt(y);
  const a = freedom / 2;
  // Either fraction holds; each is quick on its side.
  return x < (a + 1) / (a + 2.5)
    ? (front * fraction(a, 0.5, x)) / (a * beta(freedom))
    : 1 - (front * fraction(0.5, a, y)) / (0.5 * beta(freedom));
}

/**
 * The t that |T| exceeds with probability `tails`: the two-sided critical value.
 *
 * @param tails above 0 and below 1.
 * @param freedom degrees of freedom, a positive whole number.
 * @throws RangeError for anything else.
 */
export function studentCritical(tails: number, freedom: number): number {
  if (!(tails > 0 && tails < 1 && Number.isInteger(freedom) && freedom > 0)) {
    throw new RangeError(
      `Cannot invert Student's distribution as 'tails' must be between 0 and 1 and 'freedom' a positive whole number: current values are ${tails} and ${freedom}`,
    );
  }
  let low = 0;
  let high = 1;
  while (studentTails(high, freedom) > tails) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high || high - low < PRECISION * high) return middle;
    if (studentTails(middle, freedom) > tails) low = middle;
    else high = middle;
  }
}

/** x^(halves / 2). */
function halfPower(x: number, halves: number): number {
  let power = halves % 2 === 0 ? 1 : Math.sqrt(x);
  let factor = x;
  for (let left = Math.floor(halves / 2); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power *= factor;
    factor *= factor;
  }
  return power;
}

/** B(freedom / 2, 1 / 2). */
function beta(freedom: number): number {
  let value = freedom % 2 === 0 ? 2 : Math.PI;
  for (let b = freedom % 2 === 0 ? 1 : 0.5; b < freedom / 2; b += 1) value *= b / (b + 0.5);
  return value;
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function fraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= STEPS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return value;
}

/** From zero. */
function away(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
