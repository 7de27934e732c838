import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countArrivals, walkArrivals } from "../../src/plan/arrivals.ts";
import { sineRate } from "../../src/plan/sine-rate.ts";
import { timesOf } from "./collect.ts";

const WAVES = fc
  .record({
    low: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e5, noNaN: true })),
    rise: fc.double({ min: 0.001, max: 1e5, noNaN: true }),
    period: fc.double({ min: 0.01, max: 1e5, noNaN: true }),
    periods: fc.double({ min: 0.1, max: 1_000, noNaN: true }),
  })
  .map(({ low, rise, period, periods }) => sineRate(low, low + rise, period, periods * period));

describe("sineRate", () => {
  it("countArrivals() of whole periods is exact", () => {
    expect(countArrivals(sineRate(500, 1_500, 60, 600))).toBe(600_000);
    expect(countArrivals(sineRate(0, 200, 0.1, 30))).toBe(3_000);
    expect(timesOf(walkArrivals({ law: "constant" }, sineRate(0, 200, 7, 70), 1, 1))).toHaveLength(7_000);
  });

  it("arrivalsBefore() is the area under mean + amplitude sin(2 pi t / period), from the mean and rising", () => {
    const wave = sineRate(50, 150, 8, 80);
    const area = (t: number): number => 100 * t + ((50 * 8) / (2 * Math.PI)) * (1 - Math.cos((2 * Math.PI * t) / 8));
    for (let t = 0; t < 80; t += 0.37) expect(wave.arrivalsBefore(t)).toBeCloseTo(area(t), 9);
    expect([2, 4, 8, 16, 80].map((t) => wave.arrivalsBefore(t))).toEqual([
      expect.closeTo(200 + 200 / Math.PI, 10),
      expect.closeTo(400 + 400 / Math.PI, 10),
      800,
      1_600,
      8_000,
    ]);
  });

  it("timeAt() starts the same in every period", () => {
    const wave = sineRate(0, 200, 8, 8e9);
    for (let i = 0; i < 800; i++) expect(wave.timeAt(i + 800 * 1_024) - 8 * 1_024).toBeCloseTo(wave.timeAt(i), 10);
  });

  it("timeAt() is the inverse of arrivalsBefore(), to 1e-12 of the arrivals, also where the rate is 0", () => {
    fc.assert(
      fc.property(WAVES, fc.double({ min: 1e-12, max: 1, noNaN: true, maxExcluded: true }), (wave, part) => {
        const arrivals = part * wave.meanArrivals;
        const error = Math.abs(wave.arrivalsBefore(wave.timeAt(arrivals)) - arrivals);
        expect(error).toBeLessThanOrEqual(1e-12 * arrivals);
      }),
      { seed: 1, numRuns: 5_000 },
    );
    const trough = sineRate(0, 200, 8, 80);
    for (let i = -1_000; i <= 1_000; i++) {
      const arrivals = trough.arrivalsBefore(6 + i * 1e-5);
      expect(Math.abs(trough.timeAt(arrivals) - (6 + i * 1e-5))).toBeLessThan(1e-4);
    }
  });

  it("timeAt() is exact to 1e-12 of the time where the rate is not near 0", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), (time) => {
        const wave = sineRate(500, 1_500, 3_600, 1e6 + 1);
        expect(Math.abs(wave.timeAt(wave.arrivalsBefore(time)) / time - 1)).toBeLessThan(1e-12);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });

  it("timeAt() never decreases from arrival to arrival", () => {
    const wave = sineRate(0, 2e4, 10, 20);
    const times = timesOf(walkArrivals({ law: "constant" }, wave, 1, 1));
    expect(times).toHaveLength(200_000);
    let decreases = 0;
    for (let i = 1; i < times.length; i++) if (!((times[i] as number) > (times[i - 1] as number))) decreases++;
    expect(decreases).toBe(0);
    expect(times.at(-1)).toBeLessThan(20);
  });
});
