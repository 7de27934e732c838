import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Costs, paidByGoodput, paidByOther, shareOfAlpha, weightsOf } from "../../src/comparison/multiplicity.ts";
import { METRICS, metricOf } from "../../src/figures/metrics.ts";
import type { Design } from "../../src/result/design-schema.ts";

const LOOKS = [6, 8, 11, 15, 20, 30];

function design(stopping: Design["stopping"], pairs = 30): Design {
  return { arms: ["off", "on"], pairs, seed: 1, chance: "common", stopping };
}

const SEQUENTIAL = design({ rule: "sequential", alpha: 0.05, smallestEffect: 0.05, looks: LOOKS });

const ALL: Costs = { weights: weightsOf(METRICS), contrasts: 1, share: 1 };

describe("weightsOf()", () => {
  it("divides alpha only where goodput is compared beside others", () => {
    expect(weightsOf(METRICS)).toMatchObject({ lead: 0.8, isDivided: true });
    expect(weightsOf([metricOf("goodput")])).toEqual({ lead: 1, others: 1, isDivided: false });
    expect(weightsOf([metricOf("waste"), metricOf("sent")])).toEqual({ lead: 1, others: 1, isDivided: false });
  });
});

describe("paidByGoodput() and paidByOther()", () => {
  it("give the others a fifth of alpha, and all of it once goodput is rejected", () => {
    expect(paidByGoodput(0.02, ALL)).toBeCloseTo(0.025, 12);
    expect(paidByOther(0.04, 0.025, ALL)).toBe(0.04);
    expect(paidByOther(0.01, 0.025, ALL)).toBe(0.025);
    expect(paidByOther(0.04, 0.06, ALL)).toBe(0.06);
    expect(paidByOther(0.04, 0.9, ALL)).toBeCloseTo(0.2, 12);
    expect(paidByOther(0.009, 1, ALL)).toBeCloseTo(0.045, 12);
  });

  it("charge contrasts and looks, up to 1", () => {
    expect(paidByGoodput(0.02, { ...ALL, contrasts: 2 })).toBeCloseTo(0.05, 12);
    expect(paidByGoodput(0.02, { ...ALL, share: 0 })).toBe(1);
    expect(paidByOther(0.01, 0.001, { ...ALL, contrasts: 3, share: 0.5 })).toBeCloseTo(0.06, 12);
    expect(paidByOther(0.9, 1, { ...ALL, contrasts: 3 })).toBe(1);
    expect(paidByOther(0.02, null, { ...ALL, weights: weightsOf([metricOf("waste")]), contrasts: 2 })).toBe(0.04);
  });

  it("never go below what they were given, nor above 1, and keep the order of the others", () => {
    const p = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(p, p, p, fc.integer({ min: 1, max: 9 }), (goodput, a, b, contrasts) => {
        const costs = { ...ALL, contrasts };
        const paid = paidByGoodput(goodput, costs);
        expect(paid).toBeGreaterThanOrEqual(goodput);
        const [low, high] = [paidByOther(Math.min(a, b), paid, costs), paidByOther(Math.max(a, b), paid, costs)];
        expect(low).toBeGreaterThanOrEqual(Math.min(a, b));
        expect(low).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  // On a grid of p-values, each as likely as the others, whatever they have in common: here independent, which costs the most.
  it("make any false verdict at most as likely as alpha, whichever of goodput, other metric and other arm differ", () => {
    const cells = 100;
    const ps = Array.from({ length: cells }, (_, index) => (index + 1) / cells);
    const alpha = 0.2;
    const costs = { ...ALL, contrasts: 2 };
    const errors = (isGoodputEqual: boolean, isArmEqual: boolean): number => {
      let wrong = 0;
      for (const one of ps) {
        for (const two of ps) {
          const goodput = paidByGoodput(isGoodputEqual ? one : 0.0001, costs);
          const isWrong =
            (isGoodputEqual && goodput <= alpha) ||
            paidByOther(two, goodput, costs) <= alpha ||
            (isArmEqual && paidByGoodput(one, costs) <= alpha && !isGoodputEqual);
          if (isWrong) wrong += 1;
        }
      }
      return wrong / cells ** 2;
    };
    for (const isArmEqual of [true, false]) {
      expect(errors(true, isArmEqual)).toBeLessThanOrEqual(alpha / 2);
      expect(errors(false, isArmEqual)).toBeLessThanOrEqual(alpha);
      expect(errors(false, isArmEqual)).toBeGreaterThanOrEqual(alpha / 2);
    }
  });
});

describe("shareOfAlpha()", () => {
  it("is all of it where the number of pairs was settled", () => {
    expect(shareOfAlpha(design({ rule: "all-pairs" }), 7, 0.05)).toBe(1);
  });

  it("keeps what a look of too few pairs could not use", () => {
    const first = shareOfAlpha(SEQUENTIAL, 6, 0.05);
    // 2 / 2^6 is above 0.05 times that: nothing could be rejected at the first look.
    expect(2 / 2 ** 6).toBeGreaterThan(0.05 * first);
    expect(shareOfAlpha(SEQUENTIAL, 8, 0.05)).toBeGreaterThan(first);
  });

  it("never spends more than all of alpha over the looks", () => {
    let spent = 0;
    for (const look of LOOKS) {
      const share = shareOfAlpha(SEQUENTIAL, look, 0.05);
      expect(share).toBeGreaterThan(0);
      if (2 / 2 ** look <= 0.05 * share) spent += share;
    }
    expect(spent).toBeLessThanOrEqual(1 + 1e-12);
    expect(spent).toBeGreaterThan(0.9);
  });
});
