/** The inverse of the normal distribution from + - * /, the square root and the logarithm made of them: the same bits everywhere. */

import { naturalLog } from "./natural-log.ts";

/** Beyond this distance of p from 1/2 its tail is small enough for the other two approximations. */
const CENTRE = 0.425;
/** In units of sqrt(-ln tail): where the far tail, below 1.4e-11, begins. */
const FAR = 5;

/** Numerators and denominators of three rational approximations, the constant terms first. */
const CENTRE_OVER = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
  33430.57558358813, 2509.0809287301227,
];
const CENTRE_UNDER = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271, 28729.085735721943,
  5226.495278852854,
];
const TAIL_OVER = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684, 0.2417807251774506,
  0.022723844989269184, 0.0007745450142783414,
];
const TAIL_UNDER = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
];
const FAR_OVER = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
];
const FAR_UNDER = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
  1.421511758316446e-7, 2.0442631033899397e-15,
];

/**
 * The z for which a standard normal variable is below z with probability `p`; relative error about 1e-15.
 *
 * Source: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37(3), 1988,
 * PPND16.
 *
 * @param p above 0 and below 1.
 * @throws RangeError for anything else.
 */
export function inverseNormal(p: number): number {
  if (!(p > 0 && p < 1)) {
    throw new RangeError(
      `Cannot invert the normal distribution as 'p' must be above 0 and below 1: current value is ${p}`,
    );
  }
  const q = p - 0.5;
  if (q >= -CENTRE && q <= CENTRE) return q * ratio(CENTRE_OVER, CENTRE_UNDER, CENTRE * CENTRE - q * q);
  const r = Math.sqrt(-naturalLog(q < 0 ? p : 1 - p));
  const z = r <= FAR ? ratio(TAIL_OVER, TAIL_UNDER, r - 1.6) : ratio(FAR_OVER, FAR_UNDER, r - FAR);
  return q < 0 ? -z : z;
}

/** Horner's rule, the order of its operations fixed: another one would round otherwise. */
function ratio(over: readonly number[], under: readonly number[], x: number): number {
  let numerator = 0;
  let denominator = 0;
  for (let term = over.length - 1; term >= 0; term -= 1) {
    numerator = numerator * x + (over[term] as number);
    denominator = denominator * x + (under[term] as number);
  }
  return numerator / denominator;
}
