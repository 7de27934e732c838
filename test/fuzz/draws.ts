/** Draws from one stream of random numbers. */

import { stream } from "../../src/plan/streams.ts";
import type { Random } from "../../src/policy/policy.ts";

export class Draws {
  readonly #random: Random;

  /** The same numbers for the same seed and index. Both are integers, at least 0. */
  constructor(seed: number, index: number) {
    this.#random = stream(seed, "order", index);
  }

  /** An integer from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.#random.random() * bound);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.#random.random() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}
