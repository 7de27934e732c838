/**
 * Spreads the bits of a 32-bit word: each input bit flips each output bit in about half of the cases, and different words
 * give different results. The finaliser of MurmurHash3 (Appleby, smhasher, `fmix32`).
 *
 * @returns a signed 32-bit integer.
 */
export function avalanche(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
