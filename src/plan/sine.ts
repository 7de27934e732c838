/**
 * A sine that gives the same bits on every engine. ECMAScript leaves `Math.sin` implementation-approximated; here are only
 * the operations that IEEE 754 rounds exactly. Angles are in turns, so that taking whole ones off is exact.
 */

const RADIANS_PER_TURN = 6.283185307179586;

/**
 * sin(2 pi `turns`), within 2e-16. Folded exactly to at most an eighth of a turn, and there the Taylor series of the sine
 * or the cosine (Abramowitz and Stegun 4.3.65 and 4.3.66), whose first terms left out are below 1e-18.
 *
 * @param turns a finite number.
 */
export function sineOfTurns(turns: number): number {
  const signed = turns - Math.round(turns);
  const fraction = signed < 0 ? -signed : signed;
  const folded = fraction > 0.25 ? 0.5 - fraction : fraction;
  const sine = folded <= 0.125 ? sine0(RADIANS_PER_TURN * folded) : cosine0(RADIANS_PER_TURN * (0.25 - folded));
  return signed < 0 ? -sine : sine;
}

/** The sine of at most pi / 4. */
function sine0(x: number): number {
  const z = x * x;
  const rest =
    -1 / 6 +
    z *
      (1 / 120 +
        z *
          (-1 / 5040 +
            z *
              (1 / 362880 +
                z * (-1 / 39916800 + z * (1 / 6227020800 + z * (-1 / 1307674368000 + z * (1 / 355687428096000)))))));
  return x + x * (z * rest);
}

/** The cosine of at most pi / 4. */
function cosine0(x: number): number {
  const z = x * x;
  const rest =
    1 / 24 +
    z *
      (-1 / 720 +
        z * (1 / 40320 + z * (-1 / 3628800 + z * (1 / 479001600 + z * (-1 / 87178291200 + z * (1 / 20922789888000))))));
  return 1 - (0.5 * z - z * (z * rest));
}
