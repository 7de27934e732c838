/** Random streams, one per purpose and index, all from one seed: what one consumer draws never shifts another's numbers. */

import type { Random } from "../policy/policy.ts";
import { avalanche } from "./avalanche.ts";
import { Xoroshiro128Plus } from "./xoroshiro128-plus.ts";

/** What a stream is drawn for. */
export type StreamPurpose =
  | "arrivals"
  | "users"
  | "policy"
  | "jitter"
  | "target"
  | "bursts"
  | "sentinel"
  | "criticality"
  | "network"
  | "service"
  | "order"
  | "comparison";

/** The numbers are part of every schedule ever made: add new ones, never change one. */
const PURPOSE_NUMBERS: Readonly<Record<StreamPurpose, number>> = {
  arrivals: 1,
  users: 2,
  policy: 3,
  jitter: 4,
  target: 5,
  bursts: 6,
  sentinel: 7,
  criticality: 8,
  network: 9,
  service: 10,
  order: 11,
  comparison: 12,
};

/** Purposes stay below this: a variant counts in steps of it. */
const VARIANT_STEP = 2 ** 8;
/** The number of a purpose and its variant is one word of 32 bits. */
const VARIANTS = 2 ** 24;

const GOLDEN = 0x9e3779b9;
const TWO_32 = 0x100000000;

/**
 * The random stream of one purpose and index: xoroshiro128+ (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021) from a state that {@link generatorOf} derives. Two calls with the same arguments give
 * two generators of the same numbers. Streams start at pseudorandom places of one cycle of 2^128 - 1, so that even ten
 * million of them, 2^40 numbers each, overlap with a probability of about 2^-40.
 *
 * @param seed a non-negative safe integer.
 * @param index which of the streams of that purpose, such as the virtual user; an integer in [0, 2^32).
 * @param variant whose: arms with chance of their own have streams of their own, all else takes 0; an integer in [0, 2^24).
 * @throws RangeError when `seed`, `index` or `variant` is out of range.
 */
export function stream(seed: number, purpose: StreamPurpose, index = 0, variant = 0): Random {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new RangeError(
      `Cannot derive a random stream as 'seed' must be a non-negative safe integer: current value is ${seed}`,
    );
  }
  if (!Number.isInteger(index) || index < 0 || index >= TWO_32) {
    throw new RangeError(
      `Cannot derive a random stream as 'index' must be an integer from 0 to 4294967295: current value is ${index}`,
    );
  }
  if (!Number.isInteger(variant) || variant < 0 || variant >= VARIANTS) {
    throw new RangeError(
      `Cannot derive a random stream as 'variant' must be an integer from 0 to ${VARIANTS - 1}: current value is ${variant}`,
    );
  }
  const purposeWord = PURPOSE_NUMBERS[purpose] + VARIANT_STEP * variant;
  return generatorOf(seed % TWO_32, Math.floor(seed / TWO_32), purposeWord, index);
}

/**
 * Mixes four 32-bit words into a state of four, of which it makes a generator: three rounds of an unbalanced Feistel network,
 * keyed with multiples of 2^32 / golden ratio. Each step can be undone, so different words always give different states; only
 * the one state that the generator cannot leave is replaced.
 */
function generatorOf(a: number, b: number, c: number, d: number): Xoroshiro128Plus {
  for (let key = GOLDEN; key < 12 * GOLDEN; key += 4 * GOLDEN) {
    b ^= avalanche(a + key);
    c ^= avalanche(b + key + GOLDEN);
    d ^= avalanche(c + key + 2 * GOLDEN);
    a ^= avalanche(d + key + 3 * GOLDEN);
  }
  return (a | b | c | d) === 0 ? new Xoroshiro128Plus(1, 0, 0, 0) : new Xoroshiro128Plus(a, b, c, d);
}
