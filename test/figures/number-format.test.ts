import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatCount,
  formatMs,
  formatNumber,
  formatPercent,
  formatRate,
  formatRatio,
  formatSeconds,
} from "../../src/figures/number-format.ts";

describe("number-format", () => {
  it.each([
    [0, "0"],
    [0.0004, "<0.001"],
    [0.0314, "0.031"],
    [0.68, "0.68"],
    [0.9996, "1.00"],
    [1.5, "1.50"],
    [9.996, "10.0"],
    [12.34, "12.3"],
    [99.96, "100"],
    [689.4, "689"],
    [1234.5, "1,235"],
    [1_234_567, "1,234,567"],
    [1e21, "1,000,000,000,000,000,000,000"],
    [-12.34, "-12.3"],
    [-0.0001, ">-0.001"],
    [Number.NaN, "-"],
    [Number.POSITIVE_INFINITY, "-"],
  ])("formatNumber(%d) is %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it.each([
    [0, "0 %"],
    [0.0001, "<0.1 %"],
    [0.019, "1.9 %"],
    [0.0997, "10 %"],
    [0.344, "34 %"],
    [0.9937, "99.4 %"],
    [0.99996, ">99.9 %"],
    [1, "100 %"],
    [2.5, "250 %"],
    [-0.5, "-50 %"],
  ])("formatPercent(%d) is %s", (share, text) => {
    expect(formatPercent(share)).toBe(text);
  });

  it("formatPercent() says 0 % and 100 % for nothing and all alone", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true }), (share) => {
        expect(["0 %", "0.0 %", "100 %", "100.0 %"]).not.toContain(formatPercent(share));
      }),
    );
  });

  it("formatNumber() is within 0.5 % or 0.0005 of the value", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.0005, max: 1e12, noNaN: true }), (value) => {
        const shown = Number(formatNumber(value).replaceAll(",", ""));
        expect(Math.abs(shown - value)).toBeLessThanOrEqual(
          Math.max(0.000501, 0.005 * value) + 0.005 * Number(value >= 0.0995 && value < 1),
        );
      }),
    );
  });

  it("units stand after the number", () => {
    expect(formatMs(12.34)).toBe("12.3 ms");
    expect(formatMs(12_340)).toBe("12.3 s");
    expect(formatSeconds(10)).toBe("10 s");
    expect(formatSeconds(3.2)).toBe("3.20 s");
    expect(formatRate(689.2)).toBe("689/s");
    expect(formatRatio(17.71)).toBe("17.7x");
    expect(formatCount(1234.4)).toBe("1,234");
    expect(formatCount(-0.4)).toBe("0");
  });
});
