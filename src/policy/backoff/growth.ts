/** Exponential growth that stops at its cap. */

/**
 * `min(cap, base x factor^times)`. The cap is looked at before each multiplication, so nothing overflows for any number of
 * times, and only multiplications are made: a power from the platform differs between engines.
 */
export function grown(base: number, factor: number, times: number, cap: number): number {
  let value = base;
  if (base > 0 && factor > 1) for (let step = 0; step < times && value < cap; step++) value *= factor;
  return value < cap ? value : cap;
}
