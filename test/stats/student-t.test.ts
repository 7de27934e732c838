import { describe, expect, it } from "vitest";
import { studentCritical, studentTails } from "../../src/stats/student-t.ts";

describe("Student's distribution", () => {
  // 2 * scipy.stats.t.sf(t, freedom)
  it.each([
    [0, 5, 1],
    [0.1, 1, 0.936548965138893],
    [1, 1, 0.5],
    [2.5, 2, 0.12961172022151082],
    [1, 5, 0.3632174676491229],
    [2.5, 30, 0.01811564906806669],
    [1, 1000, 0.31755241808467255],
    [10, 5, 0.00017094757574296363],
    [10, 30, 4.575251408229618e-11],
    [1e5, 5, 1.8980334470788658e-24],
    [Number.POSITIVE_INFINITY, 3, 0],
  ])("|T| exceeds %d with %d degrees of freedom with probability %d", (t, freedom, expected) => {
    expect(Math.abs(studentTails(t, freedom) - expected)).toBeLessThanOrEqual(1e-12 * expected);
  });

  // scipy.stats.t.isf(tails / 2, freedom)
  it.each([
    [0.05, 1, 12.706204736174705],
    [0.05, 2, 4.302652729749464],
    [0.05, 5, 2.5705818356363155],
    [0.03125, 5, 2.967419724999757],
    [0.01, 10, 3.1692726726169504],
    [0.05, 29, 2.045229642132704],
    [0.05, 999, 1.9623414611334498],
    [1e-6, 3, 130.15458955835794],
  ])("with probability %d and %d degrees of freedom the critical value is %d", (tails, freedom, expected) => {
    expect(studentCritical(tails, freedom) / expected).toBeCloseTo(1, 11);
  });

  it.each([
    [0, 5],
    [1, 5],
    [0.05, 0],
    [0.05, 1.5],
  ])("refuses a probability of %d with %d degrees of freedom", (tails, freedom) => {
    expect(() => studentCritical(tails, freedom)).toThrow(RangeError);
  });
});
