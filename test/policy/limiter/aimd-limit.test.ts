import { describe, expect, it } from "vitest";
import { AimdLimit } from "../../../src/policy/limiter/aimd-limit.ts";
import { dropped, expectLimits, ok } from "./facts.ts";

// Worked out by hand from the source; the first row is also its own test, `AIMDLimitTest.decreaseOnDrops`.
describe("AimdLimit", () => {
  it("takes a tenth off for a drop, rounded down, and one on for a success at half the limit or more", () => {
    expectLimits(new AimdLimit({ initialLimit: 30 }), [
      [0, 0, dropped, 27],
      [0.5, 1, dropped, 24],
      [0.5, 30, dropped, 21],
      [0.5, 30, dropped, 20],
      [0.5, 9, ok, 20],
      [0.5, 10, ok, 21],
      [0.5, 10, ok, 21],
      [0.5, 11, ok, 22],
      [5, 11, ok, 23],
    ]);
  });

  it("takes an attempt of more than timeout for dropped", () => {
    expectLimits(new AimdLimit({ initialLimit: 40, timeout: 0.5 }), [
      [0.5, 40, ok, 41],
      [0.5 + 2 ** -20, 40, ok, 36],
      [Number.POSITIVE_INFINITY, 40, ok, 32],
    ]);
  });

  it("stays within minLimit and maxLimit", () => {
    expectLimits(new AimdLimit({ initialLimit: 21, maxLimit: 21, minLimit: 18 }), [
      [0.5, 21, ok, 21],
      [0.5, 21, dropped, 18],
      [0.5, 21, dropped, 18],
    ]);
  });

  it("cuts once for each drop, also of one round trip: the source has no guard", () => {
    const limit = new AimdLimit({ initialLimit: 200, minLimit: 1 });
    for (let drop = 0; drop < 20; drop++) limit.sample(0, 0.5, 200, true);
    expect(limit.limit).toBe(21);
  });

  it("never leaves 20 downwards with the defaults", () => {
    const limit = new AimdLimit();
    for (let drop = 0; drop < 1000; drop++) limit.sample(0, 0.5, 20, true);
    expect(limit.limit).toBe(20);
  });

  it("refuses bounds that do not go together as a RangeError", () => {
    expect(() => new AimdLimit({ maxLimit: 10 })).toThrow(
      new RangeError("Cannot create AimdLimit as 'minLimit' must be at most 'maxLimit', 10: current value is 20"),
    );
    expect(() => new AimdLimit({ initialLimit: 5 })).toThrow(
      new RangeError(
        "Cannot create AimdLimit as 'initialLimit' must be from 'minLimit' to 'maxLimit', 20 to 200: current value is 5",
      ),
    );
    expect(() => new AimdLimit({ backoffRatio: 1 })).toThrow(/'backoffRatio'/);
  });
});
