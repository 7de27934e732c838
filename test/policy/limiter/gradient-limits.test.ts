import { describe, expect, it } from "vitest";
import { GradientLimit } from "../../../src/policy/limiter/gradient-limit.ts";
import { Gradient2Limit } from "../../../src/policy/limiter/gradient2-limit.ts";
import { ScriptedRandom } from "../fakes.ts";
import { dropped, expectLimits, ok } from "./facts.ts";

// All worked out by hand from the sources.
describe("Gradient2Limit", () => {
  it("grows by smoothing x queueSize = 0.8 with each sample of the usual time", () => {
    expectLimits(new Gradient2Limit(), [
      [1 / 64, 20, ok, 20],
      [1 / 64, 20, ok, 21],
      [1 / 64, 20, ok, 22],
      [1 / 64, 20, ok, 23],
    ]);
  });

  it("follows its rule after ten samples of warm-up", () => {
    const limit = new Gradient2Limit({ smoothing: 0.5, longWindow: 3, minLimit: 1, rttTolerance: 1 });
    for (let sample = 0; sample < 10; sample++) limit.sample(0, 1, 9, false);
    expect(limit.limit).toBe(20);
    expectLimits(limit, [
      [2, 20, ok, 19], // long 1.5,   gradient 0.75:     19.5
      [2, 20, ok, 20], // long 1.75,  gradient 0.875:    20.28125
      [8, 20, ok, 18], // long 4.875, gradient 0.609375: 18.320068359375
      [0.25, 20, dropped, 20], // long 2.5625, gradient 1: 20.320068359375; the drop is not used
    ]);
  });

  it("brings a usual time of more than twice the present one down by 5 % at once", () => {
    const limitAfter = (longRtt: number) => {
      const limit = new Gradient2Limit({
        initialLimit: 2000,
        maxConcurrency: 2000,
        smoothing: 1,
        longWindow: 3,
        minLimit: 1,
        rttTolerance: 1,
        queueSize: 0,
      });
      for (let sample = 0; sample < 10; sample++) limit.sample(0, longRtt, 0, false);
      limit.sample(0, 1, 0, false);
      limit.sample(0, 64, 2000, false);
      return limit.limit;
    };
    // 4: 2.5 x 0.95 = 2.375, then 33.1875, gradient 0.51855; 2: 1.5, then 32.75, gradient 0.51172
    expect([limitAfter(4), limitAfter(2)]).toEqual([1037, 1023]);
  });

  it("learns nothing from a client that uses less than half of it", () => {
    expectLimits(new Gradient2Limit({ initialLimit: 40 }), [
      [1 / 64, 19, ok, 40],
      [1 / 64, 20, ok, 40],
      [1 / 64, 20, ok, 40],
      [1 / 64, 21, ok, 41],
    ]);
  });

  it("never falls by more than smoothing / 2 with a sample, whatever it took", () => {
    const limit = new Gradient2Limit({ initialLimit: 100, minLimit: 1, queueSize: 0 });
    for (let sample = 0; sample < 10; sample++) limit.sample(0, 2 ** -6, 1, false);
    limit.sample(0, 3600, 100, false);
    expect(limit.limit).toBe(90);
  });
});

describe("GradientLimit", () => {
  it("follows its rule", () => {
    expectLimits(new GradientLimit(new ScriptedRandom(0)), [
      [1, 50, ok, 57], // queue 7
      [1, 57, ok, 64], // queue 7
      [1, 64, ok, 72], // queue 8
      [1, 35, ok, 72], // less than half
      [1, 10, dropped, 70], // 0.8 x 72 + 0.2 x 64.8 = 70.56
      [2, 70, ok, 78], // within the tolerance of 2: + 8
      [4, 78, ok, 72], // gradient 0.5: 0.8 x 78.56 + 0.2 x (39.28 + 8) = 72.304
      [1024, 78, ok, 66], // no less than 0.5: 0.8 x 72.304 + 0.2 x (36.152 + 8) = 66.6736
    ]);
  });

  it("falls to its queue and forgets the least time with each probe", () => {
    const random = new ScriptedRandom(0, 0.5);
    expectLimits(new GradientLimit(random, { probeInterval: 2 }), [
      [1, 50, ok, 57],
      [1, 57, ok, 64],
      [4, 64, ok, 8], // the probe; the next after 3 samples
      [4, 64, ok, 12], // 4 is the least time now
      [4, 64, ok, 16],
      [4, 64, ok, 20],
      [4, 64, ok, 4],
    ]);
    expect(random.draws).toBe(3);
  });

  it("never falls below its queue of at least 4", () => {
    const limit = new GradientLimit(new ScriptedRandom(0), { initialLimit: 5 });
    for (let drop = 0; drop < 1000; drop++) limit.sample(0, 1, 5, true);
    expect(limit.limit).toBe(4);
  });

  it("cuts by 2 % for each drop, with no guard of one for each round trip", () => {
    expectLimits(new GradientLimit(new ScriptedRandom(0), { initialLimit: 1000 }), [
      [1, 1, dropped, 980],
      [1, 1, dropped, 960],
    ]);
  });
});
