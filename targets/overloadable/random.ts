/**
 * Mulberry32 (T. Ettinger, 2017, public domain): 32 bits of state, every value once per period. The same seed gives the same
 * sequence on every runtime.
 *
 * @param seed a whole number from 0 to 2^32 - 1.
 * @returns a function that draws uniformly from [0, 1), in steps of 2^-32.
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
