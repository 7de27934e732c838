import { describe, expect, it } from "vitest";
import {
  coldThrottled,
  echoedRefusals,
  medianDrainSeconds,
  normalBelow,
  stuckProbability,
  tippedProbability,
  waveShares,
} from "./closed-forms-metastable.ts";
import { fluidBucket, fluidDepositBudget, fluidRetry, fluidSreBudget, fluidThrottle } from "./fluid-policies.ts";
import type { FluidPolicy } from "./fluid-storm.ts";
import { FOUR_WORKERS, fluidStormSeconds, type Storm } from "./storm-load.ts";
import { policy } from "./virtual-load.ts";

const NEVER = Number.POSITIVE_INFINITY;

describe("stuckProbability()", () => {
  const load = { offered: 40, attempts: 4 };

  it("falls with time, to 0 below the capacity and to 1 - exp(-2 drift x / variance) above it", () => {
    expect(stuckProbability(1, 300, load, 170)).toBeGreaterThan(0.999);
    expect(stuckProbability(1000, 300, load, 170)).toBeLessThan(1e-6);
    expect(stuckProbability(1e6, 30, load, 150)).toBeCloseTo(1 - Math.exp((-2 * 10 * 30) / 640), 6);
  });

  it("is that of the reflection principle without drift", () => {
    expect(stuckProbability(100, 300, load, 160)).toBeCloseTo(2 * normalBelow(300 / Math.sqrt(64_000)) - 1, 6);
  });

  it("has its median below the mean drain", () => {
    const median = medianDrainSeconds(300, load, 170);
    expect(stuckProbability(median, 300, load, 170)).toBeCloseTo(0.5, 6);
    expect(median).toBeLessThan(30);
  });
});

describe("normalBelow()", () => {
  it.each([
    [0, 0.5],
    [1, 0.841344746],
    [-1.959963985, 0.025],
    [4, 0.999968329],
  ])("of %d is %d", (x, below) => {
    expect(normalBelow(x)).toBeCloseTo(below, 6);
  });

  it("tells a trigger at the critical load to tip one time in two", () => {
    expect(tippedProbability(300, 300, 10)).toBeCloseTo(0.5, 6);
  });
});

describe("coldThrottled()", () => {
  it("grows nearly with the square of the calls under way", () => {
    expect(coldThrottled(10)).toBeCloseTo(57.7, 0);
    expect(coldThrottled(30) / coldThrottled(10)).toBeGreaterThan(6);
    expect(coldThrottled(30) / coldThrottled(10)).toBeLessThan(9);
  });
});

describe("waveShares()", () => {
  it("gives the whole wave of a second to one second, and half of it to each of two where it is late by up to one", () => {
    expect(waveShares([1])[0]).toBeCloseTo(1, 9);
    const [first, second] = waveShares([1, 1]);
    expect(first).toBeCloseTo(0.5, 1);
    expect(second).toBeCloseTo(0.5, 1);
  });

  it("is Irwin and Hall's law for equal delays", () => {
    const shares = waveShares([1, 1, 1, 1]);
    for (const [second, times24] of [1, 11, 11, 1].entries()) expect(shares[second]).toBeCloseTo(times24 / 24, 1);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });
});

describe("echoedRefusals()", () => {
  it("is 1 where all that comes back finds room", () => {
    const refusals = echoedRefusals({ rho: 0.25, burst: 10, waitSeconds: 5, jitterSeconds: 0, lookSeconds: 30 });
    expect(refusals).toBeCloseTo(1, 2);
  });

  it("is less with jitter", () => {
    const echo = { rho: 0.8, burst: 10, waitSeconds: 5, lookSeconds: 40 };
    const plain = echoedRefusals({ ...echo, jitterSeconds: 0 });
    expect(plain).toBeGreaterThan(2.5);
    expect(echoedRefusals({ ...echo, jitterSeconds: 1 })).toBeLessThan(plain);
  });
});

describe("fluidStormSeconds()", () => {
  const storm = (offered: number, warmupSeconds = 20): Storm => ({
    ...FOUR_WORKERS,
    factor: 0.1,
    slowSeconds: 3,
    policy: policy("retry"),
    users: 1,
    offered,
    warmupSeconds,
    horizonSeconds: 240,
  });

  it.each<[claim: string, offered: number, make: () => FluidPolicy, recovers: boolean]>([
    ["four attempts below a quarter of the capacity", 38, () => fluidRetry(), true],
    ["four attempts above it", 42, () => fluidRetry(), false],
    ["a backoff that is short against the trigger", 42, () => fluidRetry(0.1), false],
    ["a budget below lambda / (1 - beta) = C", 114, () => fluidSreBudget(0.25, 10), true],
    ["a budget above it", 132, () => fluidSreBudget(0.25, 10), false],
    ["the throttle, where four attempts alone never recover", 42, () => fluidThrottle(2, 10), true],
    ["a bucket that nothing refills", 42, () => fluidBucket(1000), true],
    ["deposits of as much as all retries", 50, () => fluidDepositBudget(1500, 10), false],
  ])("%s", (_claim, offered, make, recovers) => {
    const seconds = fluidStormSeconds(storm(offered), 4, make());
    expect(seconds < NEVER).toBe(recovers);
  });
});
