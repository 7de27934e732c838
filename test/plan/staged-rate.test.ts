import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countArrivals, walkArrivals } from "../../src/plan/arrivals.ts";
import type { Stage } from "../../src/plan/load.ts";
import type { RateProfile } from "../../src/plan/rate-profile.ts";
import { stagedRate, stagesSeconds } from "../../src/plan/staged-rate.ts";
import { timesOf } from "./collect.ts";

function stage(seconds: number, fromRps: number, toRps = fromRps): Stage {
  return { seconds, fromRps, toRps };
}

function profile(...stages: Stage[]): RateProfile {
  return stagedRate(stages, stagesSeconds(stages));
}

function evenly(...stages: Stage[]): number[] {
  return timesOf(walkArrivals({ law: "constant" }, profile(...stages), 1, 1));
}

const RATES = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 1_000 }),
  fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
);
const STAGES = fc
  .array(
    fc
      .record({ seconds: fc.double({ min: 0.001, max: 1_000, noNaN: true }), fromRps: RATES, toRps: RATES })
      .chain((ramp) => fc.constantFrom(ramp, { ...ramp, toRps: ramp.fromRps })),
    { minLength: 1, maxLength: 20 },
  )
  .filter((stages) => stages.some(({ fromRps, toRps }) => fromRps + toRps > 1e-3));

const PARTS = fc.oneof(fc.constant(0), fc.double({ min: 1e-12, max: 1, maxExcluded: true, noNaN: true }));

describe("stagedRate", () => {
  it("timeAt() skips a pause: an arrival at its start belongs after it", () => {
    expect(evenly(stage(10, 1), stage(10, 0), stage(10, 1))).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      ...[20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
    ]);
  });

  it("timeAt() begins after a pause at the beginning, and ends before one at the end", () => {
    expect(evenly(stage(10, 0), stage(3, 1))).toEqual([10, 11, 12]);
    expect(evenly(stage(3, 1), stage(10, 0))).toEqual([0, 1, 2]);
    expect(profile(stage(3, 1), stage(10, 0)).timeAt(3)).toBe(13);
  });

  it("timeAt() skips a pause also where the arrivals before it are whole but for rounding", () => {
    expect(evenly(stage(10, 1.1), stage(10, 0), stage(10, 1.1))[11]).toBe(20);
    expect(evenly(...Array.from({ length: 10 }, () => stage(1, 0.1)), stage(10, 0), stage(1, 1))).toEqual([0, 20]);
  });

  it("timeAt() follows a ramp, up from 0 and down to 0", () => {
    // 2 t^2 / 20 and its mirror image.
    expect(evenly(stage(10, 0, 2)).map((time) => time ** 2 / 10)).toEqual(
      Array.from({ length: 10 }, (_, i) => expect.closeTo(i, 12)),
    );
    expect(evenly(stage(10, 2, 0)).map((time) => 10 - (10 - time) ** 2 / 10)).toEqual(
      Array.from({ length: 10 }, (_, i) => expect.closeTo(i, 12)),
    );
  });

  it("timeAt() loses nothing on a ramp that hardly rises", () => {
    const hold = profile(stage(100, 1_000));
    const ramp = profile(stage(100, 1_000, 1_000.0000001));
    for (const arrivals of [1, 500, 99_999]) {
      expect(Math.abs(ramp.timeAt(arrivals) / hold.timeAt(arrivals) - 1)).toBeLessThan(1e-9);
    }
    expect(profile(stage(100, 1_000, 999)).timeAt(1e-6) / 1e-9).toBeCloseTo(1, 13);
  });

  it("countArrivals() of holds, ramps, pulses and pauses is exact", () => {
    const load = profile(stage(10, 500), stage(20, 500, 2_000), stage(5, 8_000), stage(7, 0), stage(30, 500));
    expect(countArrivals(load)).toBe(5_000 + 25_000 + 40_000 + 15_000);
    expect(timesOf(walkArrivals({ law: "constant" }, load, 1, 1))).toHaveLength(85_000);
  });

  it("countArrivals() is exact for 10,000 stages of a tenth of an arrival", () => {
    expect(countArrivals(profile(...Array.from({ length: 10_000 }, () => stage(0.1, 1.1))))).toBe(1_100);
  });

  it("countArrivals() in each stage is what the stage has, where that is whole", () => {
    const times = evenly(stage(10, 500), stage(20, 500, 2_000), stage(5, 8_000), stage(30, 500));
    const before = (seconds: number): number => times.filter((time) => time < seconds).length;
    expect([10, 30, 35, 65].map(before)).toEqual([5_000, 30_000, 70_000, 85_000]);
  });

  it("arrivalsBefore() is the inverse of timeAt(), to 1e-12", () => {
    fc.assert(
      fc.property(STAGES, PARTS, (stages, part) => {
        const load = profile(...stages);
        const arrivals = part * load.meanArrivals;
        expect(Math.abs(load.arrivalsBefore(load.timeAt(arrivals)) - arrivals)).toBeLessThanOrEqual(
          1e-12 * load.meanArrivals,
        );
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it("arrivalsBefore() is the area under the rate", () => {
    const load = profile(stage(10, 5), stage(10, 0, 4), stage(10, 0), stage(10, 4, 0));
    expect([0, 5, 10, 15, 20, 25, 30, 35, 40].map((seconds) => load.arrivalsBefore(seconds))).toEqual([
      ...[0, 25, 50, 55, 70, 70, 70, 85, 90],
    ]);
  });

  it("timeAt() never decreases, and gives the same whatever was asked before", () => {
    fc.assert(
      fc.property(STAGES, fc.array(PARTS, { minLength: 2 }), (stages, parts) => {
        const load = profile(...stages);
        const sorted = [...parts].sort((a, b) => a - b);
        const times = new Map(parts.map((part) => [part, load.timeAt(part * load.meanArrivals)]));
        let previous = 0;
        for (const part of sorted) {
          const time = load.timeAt(part * load.meanArrivals);
          expect(time).toBe(times.get(part));
          expect(time).toBeGreaterThanOrEqual(previous * (1 - 1e-15));
          expect(time).toBeLessThanOrEqual(load.durationSeconds);
          previous = time;
        }
        expect(load.timeAt(load.meanArrivals)).toBe(load.durationSeconds);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it("timeAt() puts the arrivals of any stages inside their duration, in order", () => {
    const small = STAGES.map((stages) =>
      stages.map(({ seconds, fromRps, toRps }) => stage(seconds / 100, fromRps / 1e4, toRps / 1e4)),
    ).filter((stages) => stages.some(({ fromRps, toRps }) => fromRps + toRps > 1e-3));
    fc.assert(
      fc.property(small, (stages) => {
        const times = evenly(...stages);
        expect(times).toHaveLength(countArrivals(profile(...stages)));
        expect(times.every((time, i) => time >= (times[i - 1] ?? 0) && time < stagesSeconds(stages))).toBe(true);
      }),
      { seed: 1 },
    );
  });
});
