import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { power } from "../../src/policy/power.ts";

describe("power()", () => {
  it.each([
    [0.25, 0.5, 0.5],
    [0.25, 1.5, 0.125],
    [0.5, 10, 1 / 1024],
    [0.75, 1, 0.75],
    [0, 0.001, 0],
    [1, 0.3, 1],
  ])("power(%d, %d) is %d exactly", (base, exponent, expected) => {
    expect(power(base, exponent)).toBe(expected);
  });

  it("is base ** exponent to 1e-13, for the probabilities and the aggressions that there are", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 1000, noNaN: true }),
        (base, aggression) => {
          const exact = base ** (1 / aggression);
          expect(Math.abs(power(base, 1 / aggression) / exact - 1)).toBeLessThan(1e-13);
        },
      ),
    );
  });

  it("grows with the base and falls with the exponent", () => {
    const probability = fc.double({ min: 1e-6, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(probability, fc.double({ min: 0.001, max: 1, noNaN: true }), (base, exponent) => {
        expect(power(base * 1.001, exponent)).toBeGreaterThan(power(base, exponent));
        expect(power(base, exponent * 1.01)).toBeLessThan(power(base, exponent));
      }),
    );
  });

  it("gives the same bits on every runtime", () => {
    expect([power(0.3, 1 / 3), power(0.7, 1 / 1.5), power(1e-9, 1 / 7)]).toEqual([
      0.6694329500821691, 0.7883735163105235, 0.05179474679231211,
    ]);
  });
});
