import { describe, expect, it } from "vitest";
import {
  effectsOf,
  estimateOf,
  isEquivalent,
  meanOn,
  type Scale,
  scaleOf,
  sizeOf,
  smallestOn,
} from "../../src/comparison/effects.ts";
import { LABEL_WIDTH_MAX, METRICS, metricOf } from "../../src/figures/metrics.ts";
import { displayWidth } from "../../src/report/display-width.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { collapsed, silent, throttled } from "../support/trial-cases.ts";
import { trialFixture } from "../support/trial-fixture.ts";

const RATIO = { effect: "ratio" } as const;
const DIFFERENCE = { effect: "difference" } as const;

describe("METRICS", () => {
  it("begin with goodput, have a key of their own each, and labels that fit their column", () => {
    expect(METRICS[0]?.key).toBe("goodput");
    expect(new Set(METRICS.map(({ key }) => key)).size).toBe(METRICS.length);
    expect(METRICS.filter(({ label }) => displayWidth(label) > LABEL_WIDTH_MAX)).toEqual([]);
  });

  it.each(METRICS)("'$key' is a finite figure of a trial that served calls, or none", ({ figure }) => {
    for (const trial of [collapsed(0), throttled(0), silent("off", 0), trialFixture({ calls: { ok: 0 } })]) {
      const value = figure(trial)?.value;
      expect(value === undefined || Number.isFinite(value)).toBe(true);
    }
  });
});

describe("effectsOf()", () => {
  const pair = (pair: number, base: number, other: number) => ({
    pair,
    base: trialFixture({ pair, calls: { ok: base, failed: 10_000 - base } }),
    other: trialFixture({ pair, calls: { ok: other, failed: 10_000 - other } }),
  });

  it("divides rates and subtracts shares, without what rounding makes of them", () => {
    const pairs = [pair(0, 1_000, 900), pair(1, 3_000, 2_700), pair(2, 7_000, 6_300)];
    expect(effectsOf(metricOf("goodput"), pairs)).toEqual([0.9, 0.9, 0.9]);
    expect(effectsOf(metricOf("okShare"), pairs)).toEqual([-0.01, -0.03, -0.07]);
  });

  it("has none where the baseline had nothing to divide by; a difference there is", () => {
    expect(effectsOf(metricOf("goodput"), [pair(0, 0, 10), pair(1, 0, 0)])).toEqual([null, null]);
    expect(effectsOf(metricOf("okShare"), [pair(0, 0, 10)])).toEqual([0.001]);
  });
});

/** The scale of pairs of such figures, ratios or differences. */
function scale(effect: "ratio" | "difference", ...figures: readonly (readonly [base: number, other: number])[]): Scale {
  const trials = figures.map(([base, other], pair) => ({
    pair,
    base: trialFixture(),
    other: trialFixture(),
    base_: base,
    other_: other,
  }));
  const values = new Map(
    trials.flatMap(({ base, other, base_, other_ }) => [[base, base_] as const, [other, other_] as const]),
  );
  const metric = { effect, figure: (trial: TrialResult) => ({ value: values.get(trial) ?? 0, lowerBound: false }) };
  return scaleOf(metric, trials) as Scale;
}

describe("scaleOf() and estimateOf()", () => {
  it("average ratios by their logarithms, so that half and double cancel out", () => {
    const ratios = scale("ratio", [2, 1], [1, 2]);
    expect(ratios.values[0]).toBeCloseTo(-(ratios.values[1] ?? 0), 15);
    expect(estimateOf([0.5, 2], ratios)).toBe(1);
    expect(estimateOf([0.1, 0.1, 0.1], scale("ratio", [10, 1], [10, 1], [10, 1]))).toBe(0.1);
    expect(estimateOf([-1, 2], scale("difference", [1, 0], [0, 2]))).toBe(0.5);
  });

  it("take pairs by difference over sum where a figure is zero, of whichever arm, and have no middle of ratios then", () => {
    const zeros = scale("ratio", [0, 0], [0, 5], [5, 0], [1, 3], [3, 1]);
    expect(zeros.isLinear).toBe(false);
    expect(zeros.values).toEqual([0, 1, -1, 0.5, -0.5]);
    expect(meanOn(zeros)).toBe(0);
    expect(estimateOf([null, null, 0, 3, 1 / 3], zeros)).toBeNull();
    expect(estimateOf([0, 2], scale("ratio", [1, 0], [1, 2]))).toBeNull();
    expect(estimateOf([0, 0], scale("ratio", [1, 0], [2, 0]))).toBe(0);
  });

  it("have no scale where a figure is missing or a lower bound, nor without pairs", () => {
    const pairs = [{ pair: 0, base: trialFixture(), other: trialFixture() }];
    expect(scaleOf({ effect: "ratio", figure: () => undefined }, pairs)).toBeUndefined();
    expect(scaleOf({ effect: "ratio", figure: () => ({ value: 1, lowerBound: true }) }, pairs)).toBeUndefined();
    expect(scaleOf(metricOf("goodput"), [])).toBeUndefined();
  });

  it("have no bound beyond what difference over sum can be", () => {
    const { effectOf } = scale("ratio", [0, 1]);
    expect([effectOf(-1.2), effectOf(-1), effectOf(0), effectOf(0.5), effectOf(1), effectOf(1.2)]).toEqual([
      0,
      0,
      1,
      3,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });
});

describe("smallestOn() and sizeOf()", () => {
  it("are the inverse of each other", () => {
    const ratios = scale("ratio", [1, 1]);
    expect(sizeOf(RATIO, smallestOn(RATIO, ratios, 0.05))).toBeCloseTo(0.05, 12);
    expect(sizeOf(DIFFERENCE, smallestOn(DIFFERENCE, scale("difference", [1, 1]), 0.05))).toBe(0.05);
    expect(sizeOf(RATIO, 1e6)).toBeNull();
    expect(smallestOn(RATIO, scale("ratio", [0, 1]), 0.05)).toBeCloseTo(0.05 / 2.05, 15);
  });
});

describe("isEquivalent()", () => {
  it("is the same whichever arm of a ratio is the baseline", () => {
    const bounds = [1 / 1.05, 1, 1.05, 0.951, 1.051];
    for (const low of bounds) {
      for (const high of bounds.filter((bound) => bound >= low)) {
        expect(isEquivalent("ratio", { low, high }, 0.05)).toBe(
          isEquivalent("ratio", { low: 1 / high, high: 1 / low }, 0.05 + 1e-12),
        );
      }
    }
    expect(isEquivalent("ratio", { low: 0.951, high: 1 }, 0.05)).toBe(false);
    expect(isEquivalent("ratio", { low: 0.953, high: 1.05 }, 0.05)).toBe(true);
  });

  it("wants both bounds, and points of a difference", () => {
    expect(isEquivalent("ratio", undefined, 0.05)).toBe(false);
    expect(isEquivalent("ratio", { low: 1, high: null }, 0.05)).toBe(false);
    expect(isEquivalent("difference", { low: -0.05, high: 0.05 }, 0.05)).toBe(true);
    expect(isEquivalent("difference", { low: -0.06, high: 0 }, 0.05)).toBe(false);
  });
});
