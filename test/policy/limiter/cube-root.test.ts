import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cubeRoot } from "../../../src/policy/limiter/cube-root.ts";

describe("cubeRoot()", () => {
  it("is exact for cubes of small whole numbers, and for 0", () => {
    for (let n = 0; n <= 1000; n++) expect(cubeRoot(n ** 3)).toBe(n);
  });

  it("cubed is x to the rounding of a last bit, over the whole range", () => {
    const positive = fc.double({ min: Number.MIN_VALUE * 2 ** 60, max: 1e300, noNaN: true });
    fc.assert(
      fc.property(positive, (x) => {
        const root = cubeRoot(x);
        expect(Math.abs(root * root * root - x)).toBeLessThanOrEqual(5 * Number.EPSILON * x);
      }),
    );
  });

  it("gives these bits on every runtime", () => {
    const bits = (x: number) => new BigUint64Array(Float64Array.of(cubeRoot(x)).buffer)[0]?.toString(16);
    expect([75, 0.3, 1e9 / 7, 2 ** -40].map(bits)).toEqual([
      "4010de601024fb88",
      "3fe56bfea66ef78d",
      "408056104c95d0d3",
      "3f1965fea53d6e3c",
    ]);
  });
});
