/** Below this the exponential of a negative number is far from vanishing. */
const STEP = 300;
const STEP_FACTOR = Math.exp(-STEP);
const LARGE = 1e150;

/**
 * The distribution function of the Erlang distribution: of the time that `stages` arrivals of a Poisson process of rate 1
 * take, each from the one before. With one stage it is the exponential distribution.
 *
 *     F(x) = 1 - e^-x (1 + x + x^2 / 2! + ... + x^(k-1) / (k-1)!)
 *
 * The sum is scaled on the way where it would overflow, so that it holds for thousands of stages.
 *
 * Source: N. L. Johnson, S. Kotz, N. Balakrishnan, "Continuous Univariate Distributions", vol. 1, 1994, 17.2.
 *
 * @param stages a positive whole number.
 */
export function erlangBelow(x: number, stages: number): number {
  if (!(x > 0)) return 0;
  let left = x;
  let term = 1;
  let sum = 1;
  for (let k = 1; k < stages; k += 1) {
    term *= x / k;
    sum += term;
    if (sum > LARGE && left > STEP) {
      term *= STEP_FACTOR;
      sum *= STEP_FACTOR;
      left -= STEP;
    }
  }
  return Math.min(1, Math.max(0, 1 - sum * Math.exp(-left)));
}
