import { describe, expect, it } from "vitest";
import { effectsOf, estimateOf, knownEffects, scaleOf, sizeOf, smallestOn } from "../../src/comparison/effects.ts";
import { LABEL_WIDTH_MAX, METRICS, metricOf } from "../../src/figures/metrics.ts";
import { displayWidth } from "../../src/report/display-width.ts";
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
    expect(knownEffects([1, null])).toBeUndefined();
    expect(knownEffects([])).toBeUndefined();
  });
});

describe("scaleOf() and estimateOf()", () => {
  it("average ratios by their logarithms, so that half and double cancel out", () => {
    const scale = scaleOf(RATIO, [0.5, 2]);
    expect(scale.values[0]).toBeCloseTo(-(scale.values[1] ?? 0), 15);
    expect(estimateOf([0.5, 2], scale)).toBe(1);
    expect(estimateOf([0.1, 0.1, 0.1], scaleOf(RATIO, [0.1, 0.1, 0.1]))).toBe(0.1);
    expect(estimateOf([-1, 2], scaleOf(DIFFERENCE, [-1, 2]))).toBe(0.5);
  });

  it("keep the order of ratios where one of them is zero, and call their middle zero", () => {
    const scale = scaleOf(RATIO, [0, 0.5, 1, 2]);
    expect(scale.isLinear).toBe(false);
    expect(scale.values).toEqual([-1, -1 / 3, 0, 1 / 3]);
    expect(estimateOf([0, 2], scaleOf(RATIO, [0, 2]))).toBe(0);
  });
});

describe("smallestOn() and sizeOf()", () => {
  it("are the inverse of each other", () => {
    expect(sizeOf(RATIO, smallestOn(RATIO, 0.05))).toBeCloseTo(0.05, 12);
    expect(sizeOf(DIFFERENCE, smallestOn(DIFFERENCE, 0.05))).toBe(0.05);
    expect(sizeOf(RATIO, 1e6)).toBeNull();
  });
});
