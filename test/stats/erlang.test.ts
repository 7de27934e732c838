import { describe, expect, it } from "vitest";
import { erlangBelow } from "../../src/stats/erlang.ts";

describe("erlangBelow()", () => {
  it("is the exponential distribution with one stage", () => {
    for (const x of [0.01, 0.5, 1, 3, 20]) expect(erlangBelow(x, 1)).toBeCloseTo(1 - Math.exp(-x), 14);
  });

  // scipy.stats.gamma.cdf(x, stages)
  it.each([
    [1, 2, 0.2642411176571153],
    [5, 5, 0.5595067149347875],
    [20, 10, 0.9950045876916924],
    [100, 100, 0.5132987982791487],
    [950, 1000, 0.0552],
    [1000, 1000, 0.5042],
    [5000, 5000, 0.5019],
  ])("at %d of %d stages is %d", (x, stages, expected) => {
    expect(erlangBelow(x, stages)).toBeCloseTo(expected, 3);
  });

  it("never leaves [0, 1] and never falls, however many the stages", () => {
    for (const stages of [1, 7, 800, 3000]) {
      let before = 0;
      for (let x = 0; x <= 8 * stages; x += stages / 40) {
        const below = erlangBelow(x, stages);
        expect(below).toBeGreaterThanOrEqual(before - 1e-12);
        expect(below).toBeLessThanOrEqual(1);
        before = below;
      }
      expect(before).toBeCloseTo(1, 3);
    }
  });

  it("is 0 at and below 0", () => {
    expect([erlangBelow(0, 3), erlangBelow(-1, 3)]).toEqual([0, 0]);
  });
});
