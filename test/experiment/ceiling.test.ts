import { describe, expect, it } from "vitest";
import { ceilingReasons, fitOf } from "../../src/experiment/ceiling.ts";

describe("ceilingReasons()", () => {
  it.each([
    [5000, "fits", []],
    [5000.5, "near", [{ code: "near-ceiling", severity: "note", figure: 5000.5, limit: 5000 }]],
    [10_000, "near", [{ code: "near-ceiling", severity: "note", figure: 10_000, limit: 5000 }]],
    [10_001, "beyond", [{ code: "beyond-ceiling", severity: "suspect", figure: 10_001, limit: 10_000 }]],
  ] as const)("says of a peak of %d/s under a ceiling of 10,000 that it %s", (peak, fit, reasons) => {
    expect(fitOf(peak, 10_000)).toBe(fit);
    expect(ceilingReasons(peak, 10_000)).toMatchObject(reasons);
  });
});
