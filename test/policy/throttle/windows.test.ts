/** The two windows that are no grid of seconds, against their definitions written naively. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUCKETS, DROP, FAILURE, OutcomeBuckets, SUCCESS } from "../../../src/policy/throttle/outcome-buckets.ts";
import { SampleWindow } from "../../../src/policy/throttle/sample-window.ts";

const binaryFractions = (max: number) => fc.integer({ min: 0, max: max * 64 }).map((n) => n / 64);
const advances = fc.oneof(fc.constant(0), binaryFractions(1), binaryFractions(3), binaryFractions(40));

describe("SampleWindow", () => {
  it("follows the source's queue of samples, on any clock that runs forwards", () => {
    const steps = fc.array(fc.tuple(advances, fc.constantFrom("look", "success", "failure")), { maxLength: 120 });
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 5, 30), fc.constantFrom(0, 1_700_000_000.75), steps, (seconds, start, list) => {
        const window = new SampleWindow(seconds);
        let samples: { start: number; requests: number; successes: number }[] = [];
        let now = start;
        for (const [advance, what] of list) {
          now += advance;
          const before = samples.reduce((sum, { requests }) => sum + requests, 0);
          const age = Math.floor(now - (samples[0]?.start ?? now));
          expect(window.averagePerSecond(now)).toBe(Math.floor(before / Math.max(seconds, age)));
          samples = samples.filter(({ start: began }) => now - began < seconds);
          if (now - (samples.at(-1)?.start ?? Number.NEGATIVE_INFINITY) >= 1) {
            samples.push({ start: now, requests: 0, successes: 0 });
          }
          if (what === "look") window.moveTo(now);
          else {
            window.record(what === "success", now);
            samples.at(-1)!.requests++;
            if (what === "success") samples.at(-1)!.successes++;
          }
          expect(window.requests).toBe(samples.reduce((sum, { requests }) => sum + requests, 0));
          expect(window.successes).toBe(samples.reduce((sum, { successes }) => sum + successes, 0));
        }
      }),
    );
  });

  it("set back by more than the window keeps ages: what it holds leaves one window later", () => {
    const window = new SampleWindow(30);
    window.record(false, 1_700_000_000);
    window.record(false, 1_700_000_010);
    window.moveTo(5);
    expect(window.requests).toBe(2);
    window.moveTo(25);
    expect(window.requests).toBe(1);
    window.moveTo(35);
    expect(window.requests).toBe(0);
  });
});

describe("OutcomeBuckets", () => {
  it("counts, and finds the runs at its end, as a walk from the oldest bucket to the newest does", () => {
    const kinds = fc.array(fc.constantFrom(SUCCESS, FAILURE, DROP), { maxLength: 3 });
    const steps = fc.array(fc.tuple(advances, kinds), { maxLength: 80 });
    fc.assert(
      fc.property(fc.constantFrom(0, -7.5, 1_700_000_000.75), steps, (start, list) => {
        const window = new OutcomeBuckets(0.25);
        const buckets = new Map<number, number[]>();
        let now = start;
        window.moveTo(now);
        for (const [advance, events] of list) {
          now += advance;
          window.moveTo(now);
          const current = Math.floor((now - start) / 0.25);
          for (const kind of events) {
            window.add(kind);
            const counts = buckets.get(current) ?? [0, 0, 0];
            counts[kind]!++;
            buckets.set(current, counts);
          }
          let [successes, total, working, failing] = [0, 0, 0, 0];
          for (let bucket = current - BUCKETS + 1; bucket <= current; bucket++) {
            const [good = 0, bad = 0, dropped = 0] = buckets.get(bucket) ?? [];
            successes += good;
            total += good + bad + dropped;
            if (bad > 0) working = 0;
            else if (good > 0) working++;
            if (good > 0) failing = 0;
            else if (bad > 0) failing++;
          }
          expect([window.successes, window.total, window.workingBuckets(), window.failingBuckets()]).toEqual([
            successes,
            total,
            working,
            failing,
          ]);
        }
      }),
    );
  });

  it("moves on whatever the first reading of the clock was", () => {
    for (const first of [1e300, -1e300, 2 ** 53]) {
      const window = new OutcomeBuckets(0.25);
      window.moveTo(first);
      window.add(FAILURE);
      window.moveTo(7);
      window.add(FAILURE);
      expect([window.total, window.failingBuckets()]).toEqual([1, 1]);
      window.moveTo(17);
      expect([window.total, window.failingBuckets()]).toEqual([0, 0]);
    }
  });

  it("is empty after the clock stepped back", () => {
    const window = new OutcomeBuckets(0.25);
    window.moveTo(10);
    window.add(FAILURE);
    window.moveTo(9.75);
    expect(window.total).toBe(0);
    window.add(SUCCESS);
    window.moveTo(10);
    expect(window.total).toBe(1);
  });
});
