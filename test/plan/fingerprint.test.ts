import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprint } from "../../src/plan/fingerprint.ts";

function digest(words: readonly number[]): string {
  const fingerprint = new Fingerprint();
  for (const word of words) fingerprint.addWord(word);
  return fingerprint.digest();
}

describe("Fingerprint", () => {
  it("digest() is 16 hexadecimal digits, the same on every runtime", () => {
    expect(digest([])).toBe("c4c53f6b6796ac4e");
    expect(digest([1, 2, 3])).toBe("aa360f8ba80ea444");
  });

  it("digest() changes in both halves with any one bit of any word", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.nat(), fc.nat(31), (words, at, bit) => {
        const changed = words.with(at % words.length, (words[at % words.length] as number) ^ (1 << bit));
        expect(digest(changed).slice(0, 8)).not.toBe(digest(words).slice(0, 8));
        expect(digest(changed).slice(8)).not.toBe(digest(words).slice(8));
      }),
      { seed: 1 },
    );
  });

  it("digest() depends on the order, and does not lose the top bits of two words", () => {
    expect(digest([1, 2])).not.toBe(digest([2, 1]));
    expect(digest([0, 0])).not.toBe(digest([1 << 31, 1 << 31]));
  });

  it("addDouble() tells apart doubles that differ in the last bit, and the two zeros", () => {
    const of = (x: number): string => {
      const fingerprint = new Fingerprint();
      fingerprint.addDouble(x);
      return fingerprint.digest();
    };
    expect(of(0.1 + 0.2)).not.toBe(of(0.3));
    expect(of(0)).not.toBe(of(-0));
  });

  it("addText() tells apart texts that are cut at different places", () => {
    const of = (...texts: string[]): string => {
      const fingerprint = new Fingerprint();
      for (const text of texts) fingerprint.addText(text);
      return fingerprint.digest();
    };
    expect(of("ab", "c")).not.toBe(of("a", "bc"));
  });
});
