/** A cube root that is the same on every runtime. */

const GUESS_TERMS = 6;
/** The guess is off by 6 % at most; each step squares the error, and the fourth takes it below the last bit. */
const NEWTON_STEPS = 5;

/**
 * The cube root of a finite number of at least 0, to within one unit of the last place. `Math.cbrt` and `**` may differ in
 * the last bit between engines (ECMAScript leaves them approximate); + - * / and square roots may not.
 *
 * The first guess is x^(1/4 + 1/16 + ... + 1/4096), from square roots; then Newton's steps `y - (y - x / y^2) / 3`.
 */
export function cubeRoot(x: number): number {
  if (x === 0) return 0;
  let factor = x;
  let root = 1;
  for (let term = 0; term < GUESS_TERMS; term += 1) {
    factor = Math.sqrt(Math.sqrt(factor));
    root *= factor;
  }
  for (let step = 0; step < NEWTON_STEPS; step += 1) root -= (root - x / (root * root)) / 3;
  return root;
}
