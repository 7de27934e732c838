import { describe, expect, it } from "vitest";
import { sampleMoments } from "../../src/stats/sample-moments.ts";

describe("sampleMoments()", () => {
  it("divides by n - 1", () => {
    const { mean, deviation } = sampleMoments([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(mean).toBe(5);
    expect(deviation).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  it("finds no spread at all in equal values, whose mean may round", () => {
    expect(sampleMoments([0.1, 0.1, 0.1])).toEqual({ mean: 0.1, deviation: 0 });
  });
});
