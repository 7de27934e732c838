import { describe, expect, it } from "vitest";
import { formatPValue, pValueText } from "../../src/figures/p-value.ts";

describe("p-values", () => {
  it.each([
    [0.03125, "0.031", "p = 0.031"],
    [1, "1.00", "p = 1.00"],
    [0.001, "0.001", "p = 0.001"],
    [0.0009, "<0.001", "p < 0.001"],
    [0, "<0.001", "p < 0.001"],
  ])("%s is the same number in a column and in a sentence", (pValue, short, long) => {
    expect([formatPValue(pValue), pValueText(pValue)]).toEqual([short, long]);
  });

  it("formatPValue() of none is a dash", () => {
    expect(formatPValue(null)).toBe("-");
  });
});
