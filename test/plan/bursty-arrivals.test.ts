import { describe, expect, it } from "vitest";
import { type ArrivalLaw, walkArrivals } from "../../src/plan/arrivals.ts";
import { calmFactor, indexOfDispersion } from "../../src/plan/bursty-arrivals.ts";
import { constantRate } from "../../src/plan/rate-profile.ts";
import { sineRate } from "../../src/plan/sine-rate.ts";
import { stagedRate } from "../../src/plan/staged-rate.ts";
import { timesOf } from "./collect.ts";
import { kolmogorovSmirnov } from "./statistics.ts";

type Bursts = Extract<ArrivalLaw, { law: "bursty" }>;

const BURSTY: Bursts = { law: "bursty", peak: 5, share: 0.1, burstSeconds: 0.01 };
const ON_OFF: Bursts = { law: "bursty", peak: 10, share: 0.1, burstSeconds: 0.5 };

/** Counts of `times` in windows of `seconds`, the last partial one left out. */
function countsIn(times: readonly number[], seconds: number, windows: number): number[] {
  const counts = new Array<number>(windows).fill(0);
  for (const time of times) {
    const window = Math.floor(time / seconds);
    if (window < windows) counts[window] = (counts[window] as number) + 1;
  }
  return counts;
}

function meanAndDispersion(counts: readonly number[]): [number, number] {
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return [mean, counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (counts.length - 1) / mean];
}

describe("bursty arrivals", () => {
  it("calmFactor() keeps the mean, and is exactly 0 where share is 1 / peak", () => {
    expect(calmFactor({ peak: 5, share: 0.1 })).toBe(0.5 / 0.9);
    for (let peak = 2; peak < 1_000; peak++) expect(calmFactor({ peak, share: 1 / peak })).toBe(0);
  });

  it("indexOfDispersion() is 1 + 2 (l1 - l2)^2 p (1 - p) (1 - p) b / m", () => {
    const [l1, l2, p, b, m] = [5_000, (1_000 * 0.5) / 0.9, 0.1, 0.5, 1_000];
    const known = 1 + (2 * (l1 - l2) ** 2 * p * (1 - p) * (1 - p) * b) / m;
    expect(indexOfDispersion({ ...BURSTY, burstSeconds: b }, m)).toBeCloseTo(known, 9);
    expect(known).toBeCloseTo(1_601, 9);
  });

  it.each<[string, Bursts, number]>([
    ["mild", BURSTY, 500],
    ["on/off", { ...ON_OFF, burstSeconds: 0.01 }, 300],
    ["long calm", { law: "bursty", peak: 20, share: 0.01, burstSeconds: 0.02 }, 300],
  ])(
    "%s bursts keep the mean rate and have their index of dispersion in windows much longer than a burst",
    (_name, law, rps) => {
      // Windows of 100 relaxation times and more: the excess of the index is within 1 % of its limit.
      const [windows, seconds] = [4_000, 2];
      const times = timesOf(walkArrivals(law, constantRate(rps, windows * seconds), 10, 7));
      const [mean, dispersion] = meanAndDispersion(countsIn(times, seconds, windows));
      const expected = indexOfDispersion(law, rps);
      expect(expected).toBeGreaterThan(5);
      // The counts' variance over their mean is the index, so this is 4 standard errors of the mean.
      expect(Math.abs(mean - rps * seconds)).toBeLessThan(4 * Math.sqrt((expected * rps * seconds) / windows));
      expect(Math.abs(dispersion / expected - 1)).toBeLessThan(0.12);
    },
  );

  it("bursts in windows much shorter than a burst have the index 1 + variance of the rate x window / mean rate", () => {
    const times = timesOf(walkArrivals(ON_OFF, constantRate(100, 10_000), 10, 3));
    const [, dispersion] = meanAndDispersion(countsIn(times, 0.01, 1_000_000));
    // The rate is 1,000 or 0 with a mean of 100, so its variance is 1,000^2 x 0.1 - 100^2 = 90,000.
    expect(Math.abs(dispersion - (1 + (90_000 * 0.01) / 100))).toBeLessThan(0.5);
  });

  it("with share 1 / peak nothing arrives between bursts, and bursts are Poisson of peak times the rate", () => {
    const times = timesOf(walkArrivals(ON_OFF, constantRate(1_000, 2_000), 10, 1));
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number));
    // A gap inside a burst, at 10,000/s, is over 5 ms once in e^50; one between bursts is shorter once in 900.
    const silences = gaps.filter((gap) => gap > 0.005);
    expect(silences.reduce((sum, gap) => sum + gap, 0) / 2_000).toBeCloseTo(0.9, 1);
    expect(Math.abs(silences.length / (2_000 / 5) - 1)).toBeLessThan(0.2);
    expect(kolmogorovSmirnov(silences, (gap) => 1 - Math.exp(-Math.max(0, gap - 0.005) / 4.5))).toBeLessThan(1.95);
    const inside = gaps.filter((gap) => gap <= 0.005).slice(0, 100_000);
    expect(kolmogorovSmirnov(inside, (gap) => 1 - Math.exp(-10_000 * gap))).toBeLessThan(1.95);
  });

  it("starts in a burst as often as the share says", () => {
    const law: Bursts = { law: "bursty", peak: 4, share: 0.25, burstSeconds: 1_000 };
    const first = Array.from({ length: 2_000 }, (_, seed) => {
      return timesOf(walkArrivals(law, constantRate(100, 1), 1, seed)).length > 0;
    });
    const bursting = first.filter(Boolean).length;
    expect(Math.abs(bursting - 500) / Math.sqrt(2_000 * 0.25 * 0.75)).toBeLessThan(4);
  });

  it("modulates the rate of the profile: each stage keeps its own mean", () => {
    const profile = stagedRate(
      [
        { seconds: 2_000, fromRps: 100, toRps: 100 },
        { seconds: 2_000, fromRps: 0, toRps: 0 },
        { seconds: 2_000, fromRps: 300, toRps: 300 },
      ],
      6_000,
    );
    const times = timesOf(walkArrivals(BURSTY, profile, 10, 1));
    const [first, pause, last] = countsIn(times, 2_000, 3) as [number, number, number];
    expect(Math.abs(first / 200_000 - 1)).toBeLessThan(0.03);
    expect(pause).toBe(0);
    expect(Math.abs(last / 600_000 - 1)).toBeLessThan(0.03);
  });

  it("keeps in order, inside the duration, also along a wave that touches 0", () => {
    const times = timesOf(walkArrivals(BURSTY, sineRate(0, 2_000, 10, 60), 10, 1));
    expect(times.every((time, i) => time >= (times[i - 1] ?? 0) && time < 60)).toBe(true);
    expect(Math.abs(times.length / 60_000 - 1)).toBeLessThan(0.1);
  });

  it("gets over a pause of years at once", () => {
    const profile = stagedRate(
      [
        { seconds: 9e8, fromRps: 0, toRps: 0 },
        { seconds: 10, fromRps: 100, toRps: 100 },
      ],
      900_000_010,
    );
    const arrivals = walkArrivals({ ...BURSTY, burstSeconds: 0.001 }, profile, 1, 1);
    expect(arrivals.next()).toBe(true);
    expect(arrivals.timeSeconds).toBeGreaterThan(9e8);
  });

  it("keeps its arrivals' stream apart from its bursts' stream", () => {
    const bursts = (burstSeconds: number): number[] =>
      timesOf(walkArrivals({ ...ON_OFF, burstSeconds }, constantRate(1_000, 1e6), 1, 1), 3);
    const [a, b] = [bursts(1e5), bursts(2e5)];
    // Longer states stretch the silence before the first burst; inside it the same gaps follow.
    expect((a[1] as number) - (a[0] as number)).toBeCloseTo((b[1] as number) - (b[0] as number), 8);
  });
});
