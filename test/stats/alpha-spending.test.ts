import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spentShare } from "../../src/stats/alpha-spending.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe("spentShare()", () => {
  // Lan and DeMets, alpha_2* / alpha: ln(1 + (e - 1) t).
  it.each([
    [0, 0],
    [0.2, 0.2953],
    [0.5, 0.6201],
    [0.75, 0.8281],
    [1, 1],
  ])("of %d is %d", (done, expected) => {
    expect(spentShare(done)).toBeCloseTo(expected, 3);
  });

  it("never falls, and spends more than what is done of the experiment", () => {
    fc.assert(
      fc.property(share, share, (a, b) => {
        if (a <= b) expect(spentShare(a)).toBeLessThanOrEqual(spentShare(b));
        expect(spentShare(a)).toBeGreaterThanOrEqual(a - 1e-15);
        expect(spentShare(a)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each([-0.1, 1.1, Number.NaN])("refuses %d", (done) => {
    expect(() => spentShare(done)).toThrow(RangeError);
  });
});
