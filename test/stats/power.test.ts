import { describe, expect, it } from "vitest";
import { inverseNormal } from "../../src/plan/inverse-normal.ts";
import { stream } from "../../src/plan/streams.ts";
import { detectableEffect, type PowerOptions, pairsForSigns, suggestedPairs } from "../../src/stats/power.ts";
import { signFlipTest } from "../../src/stats/sign-flip.ts";

const OPTIONS: PowerOptions = { alpha: 0.05, power: 0.8, contrasts: 1 };

/** So many values of mean 0 and standard deviation 1. */
function unitSpread(n: number): number[] {
  const ranks = Array.from({ length: n }, (_, index) => index - (n - 1) / 2);
  const square = ranks.reduce((sum, rank) => sum + rank * rank, 0) / (n - 1);
  return ranks.map((rank) => rank / Math.sqrt(square));
}

/** The share of experiments with normal effects of that mean and a standard deviation of 1 that the test finds. */
function powerOf(n: number, mean: number): number {
  const random = stream(n, "target");
  let found = 0;
  const experiments = 600;
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    const effects = Array.from({ length: n }, () => mean + inverseNormal(Math.max(random.random(), 1e-12)));
    if ((signFlipTest([effects], random).pValues[0] as number) <= 0.05) found += 1;
  }
  return found / experiments;
}

describe("detectableEffect()", () => {
  it.each([6, 8, 12])("of %d pairs is an effect that the test does find in about 80 % of experiments", (n) => {
    const power = powerOf(n, detectableEffect(unitSpread(n), OPTIONS) as number);
    expect(power).toBeGreaterThan(0.74);
    expect(power).toBeLessThan(0.88);
  });

  // By the noncentral t distribution at the attainable level, integrated with scipy: 0.6604 and 0.4543.
  it.each([
    [20, 0.6604],
    [40, 0.4543],
  ])("of %d pairs is within 3 %% of that of the t test", (n, exact) => {
    expect((detectableEffect(unitSpread(n), OPTIONS) as number) / exact).toBeCloseTo(1.01, 1.5);
  });

  it("grows with the spread, with the wanted power and with the number of contrasts", () => {
    const values = unitSpread(10);
    const effect = detectableEffect(values, OPTIONS) as number;
    expect(
      detectableEffect(
        values.map((value) => 3 * value),
        OPTIONS,
      ),
    ).toBeCloseTo(3 * effect, 9);
    expect(detectableEffect(values, { ...OPTIONS, power: 0.9 })).toBeGreaterThan(effect);
    expect(detectableEffect(values, { ...OPTIONS, contrasts: 4 })).toBeGreaterThan(effect);
  });

  it("is none where not even equal signs in all pairs are enough, and 0 without any spread", () => {
    expect(detectableEffect([0.1, 0.2, 0.1, 0.3, 0.2], OPTIONS)).toBeUndefined();
    expect(detectableEffect([], OPTIONS)).toBeUndefined();
    expect(detectableEffect([0.1, 0.1, 0.1, 0.1, 0.1, 0.1], OPTIONS)).toBe(0);
  });
});

describe("suggestedPairs()", () => {
  it("is never less than sign flips need", () => {
    expect(suggestedPairs([0.5, 0.5, 0.5], 0.05, OPTIONS)).toBe(6);
    expect(suggestedPairs([0.5, 0.5, 0.5], 0.05, { ...OPTIONS, contrasts: 4 })).toBe(8);
  });

  it("takes the effect's size from either side, and more pairs for a smaller one", () => {
    const values = unitSpread(8);
    const pairs = suggestedPairs(values, 1, OPTIONS) as number;
    expect(suggestedPairs(values, -1, OPTIONS)).toBe(pairs);
    expect(suggestedPairs(values, 0.5, OPTIONS)).toBeGreaterThan(3 * pairs);
  });

  it("allows for a pilot's spread being too small by luck: more for fewer values", () => {
    const few = suggestedPairs(unitSpread(3), 0.5, OPTIONS) as number;
    const some = suggestedPairs(unitSpread(6), 0.5, OPTIONS) as number;
    const many = suggestedPairs(unitSpread(100), 0.5, OPTIONS) as number;
    expect(few).toBeGreaterThan(some);
    expect(some).toBeGreaterThan(many);
    // (1.96 + 0.84)^2 / 0.5^2 is 31.4, two more for the t distribution, and 12 % for a spread 6 % larger.
    expect(many).toBeGreaterThanOrEqual(34);
    expect(many).toBeLessThanOrEqual(39);
  });

  it("suggests what an experiment then finds", () => {
    const pairs = suggestedPairs(unitSpread(200), 1.1, OPTIONS) as number;
    expect(powerOf(pairs, 1.1)).toBeGreaterThan(0.76);
  });

  it("knows nothing from one value, and of more pairs than anybody runs", () => {
    expect(suggestedPairs([0.1], 0.05, OPTIONS)).toBeUndefined();
    expect(suggestedPairs(unitSpread(5), 1e-4, OPTIONS)).toBeUndefined();
  });

  it.each([0, Number.NaN, Number.POSITIVE_INFINITY])("refuses an effect of %d", (effect) => {
    expect(() => suggestedPairs(unitSpread(5), effect, OPTIONS)).toThrow(RangeError);
  });

  it.each([{ alpha: 0 }, { alpha: 1 }, { power: 0.3 }, { power: 1 }, { contrasts: 0 }, { contrasts: 1.5 }])(
    "refuses %j",
    (change) => {
      expect(() => suggestedPairs(unitSpread(5), 1, { ...OPTIONS, ...change })).toThrow(RangeError);
    },
  );
});

describe("pairsForSigns()", () => {
  it.each([
    [0.05, 6],
    [0.025, 7],
    [0.03125, 6],
    [0.01, 8],
  ])("at a level of %d is %d", (level, pairs) => {
    expect(pairsForSigns(level)).toBe(pairs);
  });
});
