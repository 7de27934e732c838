/** The exponential function from + - * / alone: that of the platform differs between engines in the last bit. */

/** e^r to the last bits for |r| <= 1/2: 15 terms of its series. */
const TERMS = 15;

/** Below this e^x is 0. */
const UNDERFLOW = -746;

/** `e^x` for x up to a few hundred, with a relative error below 1e-13. */
export function exponential(x: number): number {
  if (x < UNDERFLOW) return 0;
  let squarings = 0;
  let r = x;
  while (r > 0.5 || r < -0.5) {
    r /= 2;
    squarings += 1;
  }
  let sum = 1;
  for (let term = TERMS; term > 0; term--) sum = 1 + (sum * r) / term;
  for (; squarings > 0; squarings--) sum *= sum;
  return sum;
}
