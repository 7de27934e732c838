import { describe, expect, it } from "vitest";
import type { DurationLaw } from "../../../src/engine/trial-spec.ts";
import { stream } from "../../../src/plan/streams.ts";
import { describeDuration, durationsOf, meanSeconds } from "../../../src/world/virtual/durations.ts";
import { kolmogorovSmirnov } from "../../plan/statistics.ts";

const LAWS = {
  uniform: { law: "uniform", fromSeconds: 0.002, toSeconds: 0.008 },
  exponential: { law: "exponential", meanSeconds: 0.005 },
  lognormal: { law: "lognormal", medianSeconds: 0.005, p99Seconds: 0.02 },
} as const satisfies Record<string, DurationLaw>;

const take = (law: number | DurationLaw, count: number): number[] => {
  const durations = durationsOf(law, stream(1, "network"));
  return Array.from({ length: count }, () => durations.next());
};

/** Error function to 1.2e-7: Numerical Recipes in C, 2nd edition, 6.2. */
function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.5 * x);
  const series = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587];
  const sum = [...series, -0.82215223, 0.17087277].reduceRight((total, term) => total * t + term, 0);
  const tail = (t * Math.exp(-x * x + sum)) / 2;
  return z > 0 ? 1 - tail : tail;
}

describe("random durations", () => {
  it.each<[keyof typeof LAWS, (x: number) => number]>([
    ["uniform", (x) => Math.min(1, Math.max(0, (x - 0.002) / 0.006))],
    ["exponential", (x) => 1 - Math.exp(-x / 0.005)],
    ["lognormal", (x) => normalBelow((Math.log(x / 0.005) / Math.log(4)) * 2.3263478740408408)],
  ])("follow the %s law", (name, cdf) => {
    expect(kolmogorovSmirnov(take(LAWS[name], 20_000), cdf)).toBeLessThan(1.95);
  });

  it.each(Object.values(LAWS))("of %o have the mean that meanSeconds() says", (law) => {
    const durations = take(law, 100_000);
    const mean = durations.reduce((sum, seconds) => sum + seconds, 0) / durations.length;
    expect(Math.abs(mean / meanSeconds(law) - 1)).toBeLessThan(0.01);
  });

  it("of a lognormal law are below its median half of the time, and below its second parameter 99 times of 100", () => {
    const durations = take(LAWS.lognormal, 100_000);
    const share = (bound: number) => durations.filter((seconds) => seconds < bound).length / durations.length;
    expect(Math.abs(share(0.005) - 0.5)).toBeLessThan(0.005);
    expect(Math.abs(share(0.02) - 0.99)).toBeLessThan(0.001);
  });

  it("are exactly these on every runtime", () => {
    expect(Object.values(LAWS).map((law) => take(law, 4))).toEqual([
      [0.004795344568492982, 0.006095140153711556, 0.004816055088912186, 0.0063997205425096295],
      [0.0031357744715259884, 0.005736755174290179, 0.0031681925159481217, 0.006607905971511411],
      [0.004751336021346942, 0.0066349836825249624, 0.004775978555422068, 0.00724680891315929],
    ]);
  });

  it("of a constant are the constant, and draw nothing", () => {
    const refuses = {
      random: () => {
        throw new Error("drawn");
      },
    };
    expect(durationsOf(0.25, refuses).next()).toBe(0.25);
    expect(meanSeconds(0.25)).toBe(0.25);
    expect(describeDuration(0.25)).toBe("0.25s");
  });

  it("stay finite at the ends of the uniform numbers that they are made of", () => {
    for (const u of [0, 2 ** -53, 1 - 2 ** -53]) {
      for (const law of Object.values(LAWS)) {
        const seconds = durationsOf(law, { random: () => u }).next();
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThan(1);
      }
    }
  });
});
