import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/plan/streams.ts";
import { spentShare } from "../../src/stats/alpha-spending.ts";
import { sequentialSignFlip } from "../../src/stats/sequential-sign-flip.ts";
import { signFlipTest } from "../../src/stats/sign-flip.ts";

const chance = () => stream(1, "comparison");

/** Looks at the first so many of the effects, spending alpha as the program does. */
function looksAt(effects: readonly number[], pairs: readonly number[], alpha: number) {
  const max = pairs[pairs.length - 1] as number;
  return pairs.map((count) => ({ effects: effects.slice(0, count), level: alpha * spentShare(count / max) }));
}

function isRejected(effects: readonly number[], pairs: readonly number[], alpha: number): boolean {
  const looks = looksAt(effects, pairs, alpha);
  const pValues = sequentialSignFlip(looks, pairs[pairs.length - 1] as number, chance());
  return (pValues[pValues.length - 1] as number) <= (looks[pValues.length - 1]?.level as number);
}

/** The share of all sign patterns of effects of these sizes that some look rejects. */
function rejectedShare(sizes: readonly number[], pairs: readonly number[], alpha: number): number {
  const patterns = 2 ** sizes.length;
  let rejected = 0;
  for (let bits = 0; bits < patterns; bits += 1) {
    const effects = sizes.map((size, pair) => ((bits >> pair) & 1 ? -size : size));
    if (isRejected(effects, pairs, alpha)) rejected += 1;
  }
  return rejected / patterns;
}

describe("sequentialSignFlip()", () => {
  it("rejects at all looks together no more than alpha of the sign patterns, whatever the sizes of the effects", () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ min: 0, max: 5, noNaN: true }));
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 8, maxLength: 8 }),
        fc.subarray([3, 4, 5, 6, 7], { minLength: 1 }),
        fc.constantFrom(0.05, 0.1, 0.3),
        (sizes, early, alpha) => {
          expect(rejectedShare(sizes, [...early, 8], alpha)).toBeLessThanOrEqual(alpha);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("spends nearly all of alpha: 0.30 of 0.3 with sizes that have no ties", () => {
    const sizes = [1.1, 2.3, 0.7, 1.9, 3.1, 1.3, 2.9, 0.9];
    expect(rejectedShare(sizes, [4, 6, 8], 0.3)).toBeGreaterThan(0.28);
    expect(rejectedShare(sizes, [4, 6, 8], 0.3)).toBeLessThanOrEqual(0.3);
  });

  it("keeps within what may be spent at each look, not at the last one only", () => {
    const sizes = [1.1, 2.3, 0.7, 1.9, 3.1, 1.3, 2.9, 0.9];
    const looks = looksAt(sizes, [4, 6, 8], 0.3);
    const byLook = [0, 0, 0];
    for (let bits = 0; bits < 256; bits += 1) {
      const effects = sizes.map((size, pair) => ((bits >> pair) & 1 ? -size : size));
      const own = looksAt(effects, [4, 6, 8], 0.3);
      const pValues = sequentialSignFlip(own, 8, chance());
      const at = pValues.length - 1;
      if ((pValues[at] as number) <= (own[at]?.level as number)) byLook[at] = (byLook[at] as number) + 1;
    }
    const [first = 0, second = 0, third = 0] = byLook.map((count) => count / 256);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(0);
    expect(third).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(looks[0]?.level as number);
    expect(first + second).toBeLessThanOrEqual(looks[1]?.level as number);
    expect(first + second + third).toBeLessThanOrEqual(looks[2]?.level as number);
  });

  it("with one look is the test of a number of pairs settled beforehand", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 10 }), (effects) => {
        const [pValue] = sequentialSignFlip([{ effects, level: 0.05 }], effects.length, chance());
        expect(pValue).toBeCloseTo(signFlipTest([effects], chance()).pValues[0] as number, 12);
      }),
    );
  });

  it("decides at the seventh of twenty pairs at the earliest, and not at the sixth, where 2 / 64 is more than may be spent", () => {
    const effects = Array.from({ length: 20 }, (_, pair) => 0.1 + 0.01 * (pair % 3));
    expect(sequentialSignFlip(looksAt(effects, [6, 7, 8, 20], 0.05), 20, chance())).toEqual([2 / 64, 2 / 128]);
  });

  it("counts what earlier looks reject into later p-values", () => {
    // At the first look, 2 of 8 patterns are rejected; this one is not, and its sum is the largest of all later.
    const effects = [1, 1, -0.9, 50, 50];
    const looks = [
      { effects: effects.slice(0, 3), level: 0.25 },
      { effects, level: 0.26 },
    ];
    const [first, second] = sequentialSignFlip(looks, 5, chance()) as [number, number];
    expect(first).toBe(4 / 8);
    // A quarter that was spent, and of the other 24 patterns those with |sum| of at least 101.1: this one and its opposite, and
    // (1, -1, 0.9, ...) and (-1, 1, 0.9, ...) come to 100.9 only.
    expect(second).toBe(8 / 32 + 2 / 32);
  });

  it("does not change when the arms are swapped", () => {
    const effects = [0.3, -0.1, 0.2, 0.05, 0.4, 0.1, -0.02, 0.3];
    const swapped = effects.map((effect) => -effect);
    expect(sequentialSignFlip(looksAt(swapped, [6, 8], 0.05), 8, chance())).toEqual(
      sequentialSignFlip(looksAt(effects, [6, 8], 0.05), 8, chance()),
    );
  });

  it("gives 1 for effects that are all zero, and for none", () => {
    expect(sequentialSignFlip(looksAt([0, 0, 0, 0, 0, 0, 0, 0], [6, 8], 0.05), 8, chance())).toEqual([1, 1]);
    expect(sequentialSignFlip([{ effects: [], level: 0.05 }], 8, chance())).toEqual([1]);
  });

  it("samples patterns where there may be more than 20 pairs: near the exact p-values, and never 0", () => {
    const effects = [3, 1, -2, 4, 2, -1, 5, -3, 2, 1, -1, 2, 3, -2, 1, 4].map((effect) => effect / 10);
    const looks = looksAt(effects, [6, 8, 12, 16], 0.05);
    const exact = sequentialSignFlip(looks, 20, chance());
    const sampled = sequentialSignFlip(looks, 40, chance());
    expect(sampled).not.toEqual(exact);
    expect(sampled).toHaveLength(exact.length);
    for (const [look, pValue] of sampled.entries())
      expect(Math.abs(pValue - (exact[look] as number))).toBeLessThan(0.01);
    const strong = Array.from({ length: 40 }, () => 1);
    const [least = 0] = sequentialSignFlip([{ effects: strong, level: 0 }], 40, chance());
    expect(least).toBeGreaterThan(0);
    expect(least).toBeLessThan(1e-4);
  });

  it("says the same of a look whether or not later ones follow", () => {
    const effects = [0.3, -0.1, 0.2, 0.05, 0.4, 0.1, -0.02, 0.3, -0.2, 0.1];
    const looks = looksAt(effects, [6, 7, 8, 10], 0.05);
    const all = sequentialSignFlip(looks, 40, chance());
    expect(sequentialSignFlip(looks.slice(0, 2), 40, chance())).toEqual(all.slice(0, 2));
  });

  it.each([
    [
      "fewer pairs than before",
      [
        { effects: [1, 2], level: 0.1 },
        { effects: [1], level: 0.2 },
      ],
    ],
    ["more pairs than there may be", [{ effects: [1, 2, 3, 4], level: 0.1 }]],
    [
      "a level that falls",
      [
        { effects: [1], level: 0.2 },
        { effects: [1, 2], level: 0.1 },
      ],
    ],
    ["an effect that is no number", [{ effects: [Number.NaN], level: 0.1 }]],
  ])("refuses %s", (_, looks) => {
    expect(() => sequentialSignFlip(looks, 3, chance())).toThrow(RangeError);
  });
});
