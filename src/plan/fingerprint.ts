import { avalanche } from "./avalanche.ts";

/**
 * A 64-bit hash of a sequence of words, with the same result on every engine. Not cryptographic. Two lanes of 32 bits,
 * each `lane = (rotate(lane) xor word) * odd`: FNV-1a on words (Fowler, Noll and Vo; draft-eastlake-fnv), where the
 * rotation carries high bits down, which a product alone does not. For equal lengths each lane changes with every change of
 * a single word.
 */
export class Fingerprint {
  #a = 0x811c9dc5 | 0;
  #b = 0x9e3779b9 | 0;
  readonly #double = new DataView(new ArrayBuffer(8));

  /** Adds the low 32 bits of `word`. */
  addWord(word: number): void {
    this.#a = Math.imul(((this.#a << 5) | (this.#a >>> 27)) ^ word, 0x01000193);
    this.#b = Math.imul(((this.#b << 13) | (this.#b >>> 19)) ^ word, 0x85ebca6b);
  }

  /** Adds the length and the UTF-16 code units of `text`. */
  addText(text: string): void {
    this.addWord(text.length);
    for (let i = 0; i < text.length; i++) this.addWord(text.charCodeAt(i));
  }

  /** Adds the exact bits of a double. */
  addDouble(x: number): void {
    this.#double.setFloat64(0, x);
    this.addWord(this.#double.getInt32(0));
    this.addWord(this.#double.getInt32(4));
  }

  /** The hash of what was added so far: 16 lower-case hexadecimal digits. */
  digest(): string {
    const a = avalanche(this.#a ^ avalanche(this.#b));
    const b = avalanche(this.#b ^ a);
    return [a, b].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
  }
}
