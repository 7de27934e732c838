import type { Random } from "../policy/policy.ts";

const TWO_26 = 0x4000000;
const TWO_MINUS_53 = 1 / 0x20000000000000;

/**
 * xoroshiro128+ with the constants 24, 16 and 37 (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * ACM TOMS 47(4), 2021), as in pure-rand, whose numbers it gives. A user of a fleet has one of its own and meets it in no
 * cache: it is one object of four 32-bit fields, and its steps are written into {@link random}.
 */
export class Xoroshiro128Plus implements Random {
  #upper0: number;
  #lower0: number;
  #upper1: number;
  #lower1: number;

  /** The two words of the state, each as its upper and its lower 32 bits; not all of them 0. */
  constructor(upper0: number, lower0: number, upper1: number, lower1: number) {
    this.#upper0 = upper0 | 0;
    this.#lower0 = lower0 | 0;
    this.#upper1 = upper1 | 0;
    this.#lower1 = lower1 | 0;
  }

  /** 53 bits of the lower halves of two outputs, 27 and then 26, without the lowest ones, which are the weak ones. */
  random(): number {
    const upper = this.#next() >>> 5;
    const lower = this.#next() >>> 6;
    return (upper * TWO_26 + lower) * TWO_MINUS_53;
  }

  /** The lower half of the next output. */
  #next(): number {
    const upper0 = this.#upper0;
    const lower0 = this.#lower0;
    const upper = this.#upper1 ^ upper0;
    const lower = this.#lower1 ^ lower0;
    const output = (lower0 + this.#lower1) | 0;
    this.#lower0 = (lower0 << 24) ^ (upper0 >>> 8) ^ lower ^ (lower << 16);
    this.#upper0 = (upper0 << 24) ^ (lower0 >>> 8) ^ upper ^ ((upper << 16) | (lower >>> 16));
    this.#lower1 = (upper << 5) ^ (lower >>> 27);
    this.#upper1 = (lower << 5) ^ (upper >>> 27);
    return output;
  }
}
