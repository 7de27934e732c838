/** Choices at random, made so that a source of zeros always gives the first and the plainest. */

export class Choices {
  readonly #random: () => number;

  /** @param random gives numbers in [0, 1). */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** A whole number in [0, end). */
  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  /** True with that probability. */
  chance(probability: number): boolean {
    return this.#random() >= 1 - probability;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** So many of the characters. */
  text(characters: string, length: number): string {
    return Array.from({ length }, () => characters[this.below(characters.length)]).join("");
  }

  /** Letters in either case. */
  inSomeCase(text: string): string {
    return this.of([
      () => text,
      () => text.toLowerCase(),
      () => text.toUpperCase(),
      () => [...text].map((letter) => (this.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase())).join(""),
    ])();
  }

  /** Both lists in one, each in its order. */
  merged<T>(first: readonly T[], second: readonly T[]): readonly T[] {
    const merged: T[] = [];
    const [left, right] = [[...first], [...second]];
    while (left.length + right.length > 0) {
      const from = right.length === 0 || (left.length > 0 && this.chance(0.4)) ? left : right;
      merged.push(from.shift() as T);
    }
    return merged;
  }
}
