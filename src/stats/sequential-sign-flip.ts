/**
 * The test by sign flips, looked at several times while pairs come in, with an error rate that is exact over all looks.
 *
 * Given how large the effects are, their signs have 2^n equally likely patterns when the arms are equal. At look k, over its n_k
 * pairs, a pattern is already rejected when what it says of an earlier look's pairs was. Of the others, those with the largest
 * |sum| are rejected, as many as keep all rejected ones together within the level spent so far, `levels[k]`, as a share of
 * 2^n_k. (The studentised mean grows with |sum|, as flips do not change the sum of the squares.) A pattern over n_k pairs stands
 * for the same share of those over n_(k+1), so nothing is counted twice, and all looks together reject at most the last level.
 * This is Lan and DeMets' alpha spending on the exact distribution instead of the normal one.
 *
 * The p-value at a look orders patterns by when they are rejected, then by |sum|: it is the share of the patterns that are
 * rejected earlier, or are as extreme at this look. The experiment is decided at the first look where it is at most the level.
 *
 * Sources: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70(3), 1983;
 * A. A. Tsiatis, G. L. Rosner and C. R. Mehta, "Exact confidence intervals following a group sequential test", Biometrics 40,
 * 1984 (the stagewise order of outcomes); on sampled patterns, B. Phipson and G. K. Smyth, SAGMB 9, 2010.
 */

import type { Random } from "../policy/policy.ts";

/** Up to so many pairs in all, every pattern is looked at: 2^19, as the opposite of a pattern gives the opposite sum. */
const EXACT_PAIRS_MAX = 20;
/** Beyond it a sample of so many, the observed one among them. */
const SAMPLE = 32_768;
const TWO_32 = 0x100000000;
/** Of the sum of all |effects|: less than this is rounding. */
const TIE = 1e-12;

export interface SequentialLook {
  /** Effects of the pairs so far: those of the look before and further ones. Their scale may change from look to look. */
  readonly effects: readonly number[];
  /** What may have been spent by now, see spentShare; not below that of the look before. */
  readonly level: number;
}

/**
 * The p-values at the looks, up to the one at which it is decided, if there is one: at most its level.
 *
 * @param pairsMax pairs that the experiment may come to: up to 20, all patterns are counted; beyond, a sample, which is to be the
 *   same one at each look.
 * @param random made anew from the same seed each time that looks of one experiment are tested.
 * @returns p-values in (0, 1], as many as there are looks or fewer.
 * @throws RangeError when a look has fewer effects than the one before or more than `pairsMax`, a lower level, or an effect that
 *   is not finite.
 */
export function sequentialSignFlip(looks: readonly SequentialLook[], pairsMax: number, random: Random): number[] {
  check(looks, pairsMax);
  const patterns = pairsMax <= EXACT_PAIRS_MAX ? new AllPatterns() : new SampledPatterns(pairsMax, random);
  const pValues: number[] = [];
  /** By pattern: 1 when an earlier look rejects it. */
  let rejected: Uint8Array = new Uint8Array(patterns.size(0));
  for (const [look, { effects, level }] of looks.entries()) {
    rejected = patterns.extend(rejected, effects.length);
    const sums = patterns.sums(effects);
    const tie = TIE * effects.reduce((sum, effect) => sum + Math.abs(effect), 0);
    const bound = (sums[0] as number) - tie;
    let before = 0;
    let reached = 0;
    for (let index = 0; index < sums.length; index += 1) {
      const was = rejected[index] as number;
      before += was;
      if (was === 1 || (sums[index] as number) >= bound) reached += 1;
    }
    pValues.push(reached / sums.length);
    // A share that should be exact may miss it by rounding.
    const allowed = level * sums.length * (1 + 1e-12);
    if (reached <= allowed) break;
    if (look < looks.length - 1) rejectLargest(sums, rejected, before, allowed, tie);
  }
  return pValues;
}

/** Marks the patterns whose own p-value would be at most the level: equal sums all or none. */
function rejectLargest(sums: Float64Array, rejected: Uint8Array, before: number, allowed: number, tie: number): void {
  const left = sums.filter((_, index) => rejected[index] === 0).sort();
  let bound = Number.POSITIVE_INFINITY;
  let next = left.length - 1;
  // `next` is the last of those that do not count as reached by a pattern of sum `candidate`.
  for (let at = left.length - 1; at >= 0; at -= 1) {
    const candidate = left[at] as number;
    while (next >= 0 && (left[next] as number) >= candidate - tie) next -= 1;
    if (before + left.length - 1 - next > allowed) break;
    bound = candidate;
  }
  for (let index = 0; index < sums.length; index += 1) {
    if ((sums[index] as number) >= bound - tie) rejected[index] = 1;
  }
}

/** Patterns relative to the observed signs, the observed one first. */
interface Patterns {
  size(pairs: number): number;
  /** What was marked on the patterns of fewer pairs, on those of `pairs`. */
  extend(marks: Uint8Array, pairs: number): Uint8Array;
  /** |sum| of the effects under each pattern. */
  sums(effects: readonly number[]): Float64Array;
}

/** All: bit j - 1 of an index flips pair j, and pair 0 is never flipped. */
class AllPatterns implements Patterns {
  size(pairs: number): number {
    return 2 ** Math.max(0, pairs - 1);
  }

  extend(marks: Uint8Array, pairs: number): Uint8Array {
    const extended = new Uint8Array(this.size(pairs));
    // An index's low bits are the pattern of the pairs before.
    for (let start = 0; start < extended.length; start += marks.length) extended.set(marks, start);
    return extended;
  }

  sums(effects: readonly number[]): Float64Array {
    const sums = new Float64Array(this.size(effects.length));
    sums[0] = effects.reduce((sum, effect) => sum + effect, 0);
    for (let pair = 1, filled = 1; pair < effects.length; pair += 1, filled *= 2) {
      const change = 2 * (effects[pair] as number);
      for (let index = 0; index < filled; index += 1) sums[filled + index] = (sums[index] as number) - change;
    }
    return absolute(sums);
  }
}

/** Drawn once for all looks, over all pairs there may be: so the observed pattern is one of equally likely ones at each. */
class SampledPatterns implements Patterns {
  readonly #words: Uint32Array;
  readonly #wordsEach: number;

  constructor(pairsMax: number, random: Random) {
    this.#wordsEach = Math.ceil(pairsMax / 32);
    this.#words = new Uint32Array(SAMPLE * this.#wordsEach);
    for (let index = this.#wordsEach; index < this.#words.length; index += 1) {
      this.#words[index] = Math.floor(random.random() * TWO_32);
    }
  }

  size(): number {
    return SAMPLE;
  }

  extend(marks: Uint8Array): Uint8Array {
    return marks;
  }

  sums(effects: readonly number[]): Float64Array {
    const sums = new Float64Array(SAMPLE);
    for (let pair = 0; pair < effects.length; pair += 1) {
      const effect = effects[pair] as number;
      for (let index = 0; index < SAMPLE; index += 1) {
        const word = this.#words[index * this.#wordsEach + (pair >>> 5)] as number;
        sums[index] = (sums[index] as number) + (((word >>> (pair & 31)) & 1) === 0 ? effect : -effect);
      }
    }
    return absolute(sums);
  }
}

/** In place. */
function absolute(sums: Float64Array): Float64Array {
  for (let index = 0; index < sums.length; index += 1) sums[index] = Math.abs(sums[index] as number);
  return sums;
}

function check(looks: readonly SequentialLook[], pairsMax: number): void {
  let pairs = 0;
  let spent = 0;
  for (const { effects, level } of looks) {
    if (effects.length < pairs || effects.length > pairsMax) {
      throw new RangeError(
        `Cannot test at looks as each must have the pairs of the one before and at most ${pairsMax}: one has ${effects.length} after ${pairs}`,
      );
    }
    if (!(level >= spent && level <= 1)) {
      throw new RangeError(
        `Cannot test at looks as levels must not fall and be at most 1: one is ${level} after ${spent}`,
      );
    }
    const wrong = effects.find((effect) => !Number.isFinite(effect));
    if (wrong !== undefined) {
      throw new RangeError(`Cannot test at looks as effects must be finite: one of them is ${wrong}`);
    }
    pairs = effects.length;
    spent = level;
  }
}
