import fc from "fast-check";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { describe, expect, it } from "vitest";
import { Xoroshiro128Plus } from "../../src/plan/xoroshiro128-plus.ts";

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 });

describe("Xoroshiro128Plus", () => {
  it("random() makes 53 bits of the same outputs as pure-rand's generator, from any state", () => {
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), (state) => {
        const [upper0, lower0, upper1, lower1] = state;
        const random = new Xoroshiro128Plus(upper0, lower0, upper1, lower1);
        const other = xoroshiro128plusFromState(state.map((x) => x | 0));
        for (let draw = 0; draw < 50; draw++) {
          const upper = BigInt(other.next() >>> 5);
          const lower = BigInt(other.next() >>> 6);
          expect(random.random()).toBe(Number((upper << 26n) | lower) / 2 ** 53);
        }
      }),
    );
  });
});
