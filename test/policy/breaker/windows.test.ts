import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BucketWindow } from "../../../src/policy/breaker/bucket-window.ts";
import { CountWindow } from "../../../src/policy/breaker/count-window.ts";
import { DriftingWindow } from "../../../src/policy/breaker/drifting-window.ts";
import { constantOpenTime, DoublingOpenTime, EqualJitterOpenTime } from "../../../src/policy/breaker/open-time.ts";
import type { OutcomeWindow } from "../../../src/policy/breaker/trip-rule.ts";
import { ScriptedRandom } from "../fakes.ts";

/** Failures of total after each of the failures at those times. */
function totals(window: OutcomeWindow, times: readonly number[]): number[] {
  return times.map((at) => {
    window.record(true, at);
    expect(window.failures).toBe(window.total);
    return window.total;
  });
}

describe("BucketWindow", () => {
  it("of 10 s in 10 buckets counts the second of now and nine before", () => {
    expect(totals(new BucketWindow(10, 10), [0, 0.75, 1, 9.75, 10, 11, 100])).toEqual([1, 2, 3, 4, 3, 3, 1]);
  });

  it("of 2 s in 4 buckets turns over each half second", () => {
    expect(totals(new BucketWindow(2, 4), [0.25, 0.5, 1.75, 2, 2.25, 2.5])).toEqual([1, 2, 3, 3, 4, 4]);
  });
});

describe("DriftingWindow", () => {
  it("with ageing starts a slice with the traffic and drops it a window after its start", () => {
    expect(totals(new DriftingWindow(10, 10, true), [0.75, 1.5, 1.75, 10.5, 10.75, 11.75, 100])).toEqual([
      1, 2, 3, 4, 3, 3, 1,
    ]);
  });

  it("without ageing drops one slice for each attempt that starts one, whatever the time", () => {
    const times = [0, 1, 2, 3, 4, 86_400, 172_800];
    expect(totals(new DriftingWindow(5, 5, false), times)).toEqual([1, 2, 3, 4, 5, 5, 5]);
  });

  it("with ageing drops everything when the clock steps back by more than a slice", () => {
    expect(totals(new DriftingWindow(10, 10, true), [3600, 3600, 3599.5, 0, 0.5])).toEqual([1, 2, 3, 1, 2]);
  });
});

describe("CountWindow", () => {
  it("counts the last three, whatever their time", () => {
    const window = new CountWindow(3);
    const seen = [true, true, false, false, false, true].map((failed, at) => {
      window.record(failed, at * 86_400);
      return [window.failures, window.total];
    });
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [2, 3],
      [1, 3],
      [0, 3],
      [1, 3],
    ]);
  });

  it("counts slow attempts apart from failures", () => {
    const window = new CountWindow(2);
    window.record(true, 0, true);
    window.record(false, 0, true);
    expect([window.failures, window.slow]).toEqual([1, 2]);
    window.record(false, 0, false);
    expect([window.failures, window.slow]).toEqual([0, 1]);
  });
});

describe.each([
  ["BucketWindow", () => new BucketWindow(10, 10)],
  ["DriftingWindow with ageing", () => new DriftingWindow(10, 10, true)],
  ["DriftingWindow without", () => new DriftingWindow(10, 10, false)],
  ["CountWindow", () => new CountWindow(20)],
] as const)("%s", (_name, make) => {
  it("never counts more failures than attempts, nor less than none, on any clock; and is empty after a reset", () => {
    const time = fc.oneof(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.constantFrom(0, 3600, -3600, Number.MAX_SAFE_INTEGER, 1e300, -1e300),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(time, fc.boolean()), { maxLength: 100 }), (records) => {
        const window = make();
        for (const [at, failed] of records) {
          window.record(failed, at);
          expect(window.failures).toBeGreaterThanOrEqual(failed ? 1 : 0);
          expect(window.total).toBeGreaterThanOrEqual(Math.max(1, window.failures));
          expect(window.total).toBeLessThanOrEqual(records.length);
        }
        window.reset();
        expect([window.failures, window.total]).toEqual([0, 0]);
      }),
    );
  });
});

describe("open times", () => {
  it("constantOpenTime() is the same each time", () => {
    const time = constantOpenTime(5);
    expect([time.next(), time.next()]).toEqual([5, 5]);
    time.reset();
    expect(time.next()).toBe(5);
  });

  it("DoublingOpenTime doubles up to its cap, adds the share drawn of it, of whole seconds in whole seconds, and starts anew after a reset", () => {
    const time = new DoublingOpenTime(1, 60, 0.5, new ScriptedRandom(0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0));
    expect(Array.from({ length: 7 }, () => time.next())).toEqual([1, 2, 5, 11, 23, 46, 60]);
    const half = new DoublingOpenTime(0.5, 60, 0.5, new ScriptedRandom(0.5));
    expect(half.next()).toBe(0.625);
    time.reset();
    expect(time.next()).toBe(1);
  });

  it("EqualJitterOpenTime is 5, then h + U(0, h) of h = 5, 10, 20, ..., then 300 for ever", () => {
    const time = new EqualJitterOpenTime(5, 300, new ScriptedRandom(0.5, 0.5, 0.5, 0, 0.5, 0.25, 0));
    expect(Array.from({ length: 10 }, () => time.next())).toEqual([5, 7.5, 15, 30, 40, 120, 200, 300, 300, 300]);
    time.reset();
    expect([time.next(), time.next()]).toEqual([5, 5]);
  });

  it("stay finite and within [0, cap] however often they are asked", () => {
    for (const draw of [0, 0.999_999]) {
      const times = [
        new DoublingOpenTime(1, 60, 100, new ScriptedRandom(draw)),
        new EqualJitterOpenTime(5, 60, new ScriptedRandom(draw)),
      ];
      for (const time of times) {
        const seconds = Array.from({ length: 5000 }, () => time.next());
        expect(seconds.every(Number.isFinite)).toBe(true);
        expect(Math.min(...seconds)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...seconds)).toBe(60);
      }
    }
  });
});
