import { describe, expect, it } from "vitest";
import { VegasLimit, wholeLog10 } from "../../../src/policy/limiter/vegas-limit.ts";
import { ScriptedRandom } from "../fakes.ts";
import { dropped, expectLimits, ok } from "./facts.ts";

const NO_LOAD = 15 / 1024;
const vegas = (options = {}, ...draws: number[]) => new VegasLimit(new ScriptedRandom(...draws, 0.5), options);

// Worked out by hand from the source, but where its own `VegasLimitTest` is named.
describe("VegasLimit", () => {
  it("follows its rule: 6 more without a queue, 1 more with a small one, 1 less with a large one or a drop", () => {
    expectLimits(vegas(), [
      [NO_LOAD, 20, ok, 20],
      [NO_LOAD, 20, ok, 26],
      [16 / 1024, 26, ok, 27],
      [30 / 1024, 27, ok, 26],
      [20 / 1024, 26, ok, 25],
      [18 / 1024, 25, ok, 25],
      [NO_LOAD, 12, ok, 25],
      [NO_LOAD, 1, dropped, 24],
    ]);
  });

  it("takes a fast drop for its new no-load time: the drop is not counted, and what is served looks queued", () => {
    expectLimits(vegas(), [
      [NO_LOAD, 20, ok, 20],
      [1 / 1024, 20, dropped, 20],
      [NO_LOAD, 20, ok, 19],
      [NO_LOAD, 20, ok, 18],
      [1 / 1024, 20, ok, 24],
    ]);
  });

  it.each([
    [
      "increaseLimit",
      [
        [0.01, 10, ok, 10],
        [0.01, 11, ok, 16],
      ],
    ],
    [
      "decreaseLimit",
      [
        [0.01, 10, ok, 10],
        [0.05, 11, ok, 9],
      ],
    ],
    [
      "noChangeIfWithinThresholds",
      [
        [0.01, 10, ok, 10],
        [0.014, 14, ok, 10],
      ],
    ],
  ] as const)("agrees with the source's own test %s", (_name, facts) => {
    expectLimits(vegas({ initialLimit: 10, maxConcurrency: 20 }), facts);
  });

  it("agrees with the source's own test largeLimitIncrease: the steps grow with the digits of the limit", () => {
    expectLimits(vegas({ initialLimit: 10_000, maxConcurrency: 20_000 }), [
      [10, 5000, ok, 10_000],
      [10, 6000, ok, 10_024],
    ]);
  });

  it("stays within 1 and maxConcurrency", () => {
    expectLimits(vegas({ initialLimit: 2, maxConcurrency: 5 }), [
      [0.5, 2, ok, 2],
      [0.5, 2, ok, 5],
      [0.5, 5, dropped, 4],
      [0.5, 5, dropped, 3],
      [0.5, 5, dropped, 2],
      [0.5, 5, dropped, 1],
      [0.5, 5, dropped, 1],
    ]);
  });

  it("smooths each step", () => {
    expectLimits(vegas({ smoothing: 0.5 }), [
      [0.5, 20, ok, 20],
      [0.5, 20, ok, 23],
      [0.5, 20, dropped, 22],
    ]);
  });

  it("measures the no-load time anew after jitter x probeMultiplier x limit samples", () => {
    const random = new ScriptedRandom(0);
    expectLimits(new VegasLimit(random, { initialLimit: 4, probeMultiplier: 1 }), [
      [1 / 64, 4, ok, 4],
      [1 / 16, 4, ok, 4],
      [1 / 16, 4, ok, 10],
    ]);
    expect(random.draws).toBe(2);
  });

  it("ignores samples without a usable time", () => {
    expectLimits(vegas(), [
      [NO_LOAD, 20, ok, 20],
      [0, 20, dropped, 20],
      [Number.NaN, 20, dropped, 20],
      [-1, 20, ok, 20],
      [Number.POSITIVE_INFINITY, 20, dropped, 20],
    ]);
  });
});

describe("wholeLog10()", () => {
  it("is max(1, floor(log10))", () => {
    const limits = [0, 1, 9, 10, 99, 99.9, 100, 999, 1000, 9999, 10_000, 2 ** 53];
    expect(limits.map(wholeLog10)).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 15]);
  });
});
