import { describe, expect, test } from "vitest";
import { seededRandom } from "../../targets/overloadable/random.ts";

const draw = (seed: number, count: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
};

describe("seededRandom()", () => {
  test("gives the same sequence for the same seed, on every runtime, and another for the next", () => {
    expect(draw(1, 3).map((value) => value * 2 ** 32)).toEqual([2_693_262_067, 11_749_833, 2_265_367_787]);
    expect(draw(2 ** 32 - 1, 3)).toEqual(draw(2 ** 32 - 1, 3));
    expect(draw(1, 3)).not.toEqual(draw(2, 3));
  });

  test("draws evenly from [0, 1)", () => {
    const values = draw(7, 100_000);
    const tenths = Array.from({ length: 10 }, (_, tenth) => values.filter((value) => Math.floor(value * 10) === tenth));
    for (const { length } of tenths) expect(Math.abs(length - 10_000)).toBeLessThan(500);
  });
});
