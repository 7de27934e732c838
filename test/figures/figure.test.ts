import { describe, expect, it } from "vitest";
import { exact, formatFigure, latencyFigure, medianFigure } from "../../src/figures/figure.ts";
import { latencyFixture } from "../support/trial-fixture.ts";

describe("latencyFigure()", () => {
  it("is nothing where the distribution is empty or absent", () => {
    expect(latencyFigure(undefined, "p50Ms")).toBeUndefined();
    expect(latencyFigure(latencyFixture(0, 0, 0, 0), "p50Ms")).toBeUndefined();
  });

  it.each([
    [0, { p50Ms: false, p99Ms: false, maxMs: false }],
    [1, { p50Ms: false, p99Ms: false, maxMs: true }],
    [10, { p50Ms: false, p99Ms: false, maxMs: true }],
    [11, { p50Ms: false, p99Ms: true, maxMs: true }],
    [500, { p50Ms: false, p99Ms: true, maxMs: true }],
    [501, { p50Ms: true, p99Ms: true, maxMs: true }],
    [1000, { p50Ms: true, p99Ms: true, maxMs: true }],
  ])("with %d of 1,000 values censored marks %j as lower bounds", (censored, expected) => {
    const latency = latencyFixture(1000, 10, 90, 100, censored);
    const marks = {
      p50Ms: latencyFigure(latency, "p50Ms")?.lowerBound,
      p99Ms: latencyFigure(latency, "p99Ms")?.lowerBound,
      maxMs: latencyFigure(latency, "maxMs")?.lowerBound,
    };
    expect(marks).toEqual(expected);
  });
});

describe("medianFigure()", () => {
  const bound = (value: number) => ({ value, lowerBound: true });

  it("ignores what is missing and is nothing where all is", () => {
    expect(medianFigure([undefined, exact(3), undefined])).toEqual(exact(3));
    expect(medianFigure([undefined])).toBeUndefined();
  });

  it("is exact when the bounds lie above it, a bound when one lies at or below it", () => {
    expect(medianFigure([exact(1), exact(2), bound(9)])).toEqual(exact(2));
    expect(medianFigure([exact(1), bound(2), exact(9)])).toEqual(bound(2));
    expect(medianFigure([bound(1), exact(2), exact(9)])).toEqual(bound(2));
  });
});

describe("formatFigure()", () => {
  it("shows a bound as ≥ and nothing as -", () => {
    expect(formatFigure({ value: 1000, lowerBound: true })).toBe("≥1,000");
    expect(formatFigure(exact(12.34))).toBe("12.3");
    expect(formatFigure(undefined)).toBe("-");
  });
});
