/** Powers that are the same on every runtime. */

/**
 * `base ** exponent`, to about 1e-14 of it. ECMAScript leaves `**` approximate, and engines differ in the last bit, by which one
 * request more or less is rejected; square roots and products are exact to the bit everywhere.
 *
 * The exponent's binary digits say which of base^(1/2), base^(1/4), ... and base, base^2, base^4, ... are to be multiplied.
 *
 * @param base 0 to 1.
 * @param exponent above 0 and finite.
 */
export function power(base: number, exponent: number): number {
  let result = 1;
  let whole = Math.floor(exponent);
  for (let square = base; whole > 0; square *= square) {
    if (whole % 2 === 1) result *= square;
    whole = Math.floor(whole / 2);
  }
  let root = base;
  for (let digits = exponent % 1; digits > 0; ) {
    root = Math.sqrt(root);
    digits *= 2;
    if (digits < 1) continue;
    result *= root;
    digits -= 1;
  }
  return result;
}
