/**
 * A natural logarithm that gives the same bits on every engine. ECMAScript leaves `Math.log` implementation-approximated,
 * and V8 and JavaScriptCore do differ in the last bit; here are only the operations that IEEE 754 rounds exactly.
 */

const value = new Float64Array(1);
const words = new Uint32Array(value.buffer);
value[0] = 1;
/** Index of the word with the sign, the exponent and the top of the fraction: 1.0 is 0x3ff00000 followed by zeros. */
const HIGH = words[1] === 0x3ff00000 ? 1 : 0;

/** High words of 1 and of the square root of 1/2. */
const ONE = 0x3ff00000;
const SQRT_HALF = 0x3fe6a09e;

const SMALLEST_NORMAL = 2.2250738585072014e-308;
const TWO_54 = 18014398509481984;

/** ln 2 in two parts; the upper one ends in 21 zero bits, so its product with an exponent is exact. */
const LN2_UPPER = 0.6931471803691238;
const LN2_LOWER = 1.9082149292705877e-10;

/**
 * The natural logarithm of `x`, within 1 ulp. Allocates nothing.
 *
 * `x = 2^k (1 + f)` with `1 + f` in [sqrt(1/2), sqrt(2)), and with `s = f / (2 + f)`, `z = s^2`:
 *
 *     ln(1 + f) = 2 artanh(s) = 2 s + s R,    R = 2 z / 3 + 2 z^2 / 5 + ... + 2 z^10 / 21
 *
 * (Abramowitz and Stegun 4.1.27; z <= 0.0295, so the first term left out is below 2^-60 of the result). The sum is taken
 * as `f - (f^2 / 2 - s (f^2 / 2 + R))`, which is the same because `2 s = f - s f`, and loses nothing to the rounding of
 * `s`; that step and the split of ln 2 are those of fdlibm (FreeBSD, lib/msun/src/e_log.c).
 *
 * @param x a positive finite number, subnormal ones included.
 * @throws RangeError for anything else.
 */
export function naturalLog(x: number): number {
  if (!(x > 0 && x <= Number.MAX_VALUE)) {
    throw new RangeError(
      `Cannot take the natural logarithm as 'x' must be a positive finite number: current value is ${x}`,
    );
  }
  const subnormal = x < SMALLEST_NORMAL;
  value[0] = subnormal ? x * TWO_54 : x;
  const shifted = (words[HIGH] as number) + (ONE - SQRT_HALF);
  words[HIGH] = (shifted & 0xfffff) + SQRT_HALF;
  const k = (shifted >>> 20) - 1023 - (subnormal ? 54 : 0);
  const f = (value[0] as number) - 1;

  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const odd =
    z *
    (0.6666666666666666 +
      w * (0.2857142857142857 + w * (0.18181818181818182 + w * (0.13333333333333333 + w * 0.10526315789473684))));
  const even =
    w *
    (0.4 + w * (0.2222222222222222 + w * (0.15384615384615385 + w * (0.11764705882352941 + w * 0.09523809523809523))));
  const half = 0.5 * f * f;
  return k * LN2_UPPER - (half - (s * (half + (odd + even)) + k * LN2_LOWER) - f);
}
