import { describe, expect, it } from "vitest";
import { countArrivals, walkArrivals } from "../../src/plan/arrivals.ts";
import { constantRate } from "../../src/plan/rate-profile.ts";
import { collect, timesOf } from "./collect.ts";
import { chiSquareScore, kolmogorovSmirnov } from "./statistics.ts";

describe("constant arrivals", () => {
  it.each([
    [0.1, [1, 1, 3]],
    [0.5, [1, 5, 15]],
    [1, [1, 10, 30]],
    [7, [7, 70, 210]],
    [70, [70, 700, 2_100]],
    [78, [78, 780, 2_340]],
    [99.9, [100, 999, 2_997]],
    [1_000, [1_000, 10_000, 30_000]],
    [12_345, [12_345, 123_450, 370_350]],
    [100_000, [100_000, 1_000_000, 3_000_000]],
  ])("walkArrivals() at %d/s for 1, 10 and 30 s gives exactly %j arrivals", (rps, counts) => {
    const profiles = [1, 10, 30].map((durationSeconds) => constantRate(rps, durationSeconds));
    expect(profiles.map(countArrivals)).toEqual(counts);
    expect(profiles.map((profile) => timesOf(walkArrivals({ law: "constant" }, profile, 10, 1)).length)).toEqual(
      counts,
    );
  });

  it("countArrivals() is the nearest whole number only when rounding alone is between", () => {
    expect(countArrivals(constantRate(1.1, 100))).toBe(110);
    expect(countArrivals(constantRate(16.1, 30))).toBe(483);
    expect(countArrivals(constantRate(33.3, 30))).toBe(999);
    expect(countArrivals(constantRate(0.1 * 3, 10))).toBe(3);
    expect(countArrivals(constantRate(1, 3.000001))).toBe(4);
    expect(countArrivals(constantRate(1, 2.999999))).toBe(3);
    expect(countArrivals(constantRate(1e5, 1_800_000.000001))).toBe(180_000_000_001);
  });

  it("walkArrivals() puts arrival i at i / rate, never accumulated, in [0, duration)", () => {
    const times = timesOf(walkArrivals({ law: "constant" }, constantRate(99.9, 10), 10, 1));
    expect(times).toEqual(Array.from({ length: 999 }, (_, i) => i / 99.9));
    expect(times.at(-1)).toBeLessThan(10);
  });

  it("walkArrivals() gives the users turns", () => {
    const arrivals = collect(walkArrivals({ law: "constant" }, constantRate(10, 1), 3, 1));
    expect(arrivals.map(([, user]) => user)).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
  });
});

describe("poisson arrivals", () => {
  const rps = 500;
  const arrivals = collect(walkArrivals({ law: "poisson" }, constantRate(rps, 200), 100, 1));
  const times = arrivals.map(([time]) => time);
  const users = arrivals.map(([, user]) => user);

  it("walkArrivals() gives rate x duration arrivals on average, with a variance like the mean", () => {
    expect(Math.abs(times.length - 100_000) / Math.sqrt(100_000)).toBeLessThan(3);
    const perTenth = new Array<number>(2_000).fill(0);
    for (const time of times) {
      const tenth = Math.floor(time * 10);
      perTenth[tenth] = (perTenth[tenth] ?? 0) + 1;
    }
    const mean = times.length / perTenth.length;
    const variance = perTenth.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (perTenth.length - 1);
    // The index of dispersion of a Poisson process is 1, here with a standard error of sqrt(2 / 2000).
    expect(Math.abs(variance / mean - 1)).toBeLessThan(4 * Math.sqrt(2 / 2_000));
  });

  it("walkArrivals() has exponential gaps (Kolmogorov-Smirnov), the first one from 0", () => {
    const gaps = times.map((time, i) => time - (times[i - 1] ?? 0));
    expect(kolmogorovSmirnov(gaps, (gap) => 1 - Math.exp(-rps * gap))).toBeLessThan(1.63);
  });

  it("walkArrivals() has independent gaps (lag-1 correlation)", () => {
    const gaps = times.map((time, i) => (time - (times[i - 1] ?? 0)) * rps - 1);
    const sum = gaps.slice(1).reduce((total, gap, i) => total + gap * (gaps[i] as number), 0);
    expect(Math.abs(sum) / Math.sqrt(gaps.length)).toBeLessThan(4);
  });

  it("walkArrivals() spreads the arrivals evenly over the users", () => {
    const counts = new Array<number>(100).fill(0);
    for (const user of users) counts[user] = (counts[user] ?? 0) + 1;
    expect(counts).toHaveLength(100);
    expect(Math.abs(chiSquareScore(counts))).toBeLessThan(4);
  });

  it("walkArrivals() has the mean and the variance of a Poisson count over 1,000 seeds", () => {
    const counts = Array.from({ length: 1_000 }, (_, seed) => {
      return timesOf(walkArrivals({ law: "poisson" }, constantRate(10, 2), 5, seed)).length;
    });
    const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
    const variance = counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (counts.length - 1);
    expect(Math.abs(mean - 20)).toBeLessThan(4 * Math.sqrt(20 / 1_000));
    expect(Math.abs(variance / 20 - 1)).toBeLessThan(4 * Math.sqrt(2 / 1_000));
  });
});
