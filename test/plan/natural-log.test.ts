import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { naturalLog } from "../../src/plan/natural-log.ts";

const bits = new BigInt64Array(1);
const double = new Float64Array(bits.buffer);

/** How many doubles lie between two of the same sign. */
function ulpsApart(a: number, b: number): number {
  double[0] = Math.abs(a);
  const first = bits[0] as bigint;
  double[0] = Math.abs(b);
  return Math.abs(Number(first - (bits[0] as bigint)));
}

describe("naturalLog", () => {
  // Arguments and the doubles nearest to their logarithms, by mpmath with 200 bits.
  it.each([
    [2 ** -53, -36.7368005696771],
    [1 - 2 ** -53, -1.1102230246251565e-16],
    [1, 0],
    [5e-324, -744.4400719213812],
    [2.225073858507201e-308, -708.3964185322641],
    [2.2250738585072014e-308, -708.3964185322641],
    [Math.SQRT1_2, -0.3465735902799726],
    [0.7071067811865475, -0.34657359027997275],
    [0.25, -1.3862943611198906],
    [0.2, -1.6094379124341003],
    [0.3, -1.2039728043259361],
    [0.9, -0.10536051565782628],
    [0.99, -0.01005033585350145],
    [1e-10, -23.025850929940457],
    [1e-300, -690.7755278982137],
    [7, 1.9459101490553132],
    [Number.MAX_VALUE, 709.782712893384],
  ])("naturalLog(%d) is %d, to the last bit", (x, expected) => {
    expect(naturalLog(x)).toBe(expected);
  });

  it("naturalLog(x) is within 2 ulp of Math.log(x) for every positive double", () => {
    const positive = fc.double({ min: 0, minExcluded: true, max: Number.MAX_VALUE, noNaN: true });
    const unit = fc.double({ min: 0, minExcluded: true, max: 1, noNaN: true });
    const nearOne = fc.double({ min: 0.5, max: 2, noNaN: true });
    fc.assert(
      fc.property(fc.oneof(positive, unit, nearOne), (x) => ulpsApart(naturalLog(x), Math.log(x)) <= 2),
      { numRuns: 20_000, seed: 1 },
    );
  });

  it("naturalLog(x) is within 2 ulp of Math.log(x) on an even grid of (0, 1]", () => {
    let worst = 0;
    for (let i = 1; i <= 100_003; i++)
      worst = Math.max(worst, ulpsApart(naturalLog(i / 100_003), Math.log(i / 100_003)));
    expect(worst).toBeLessThanOrEqual(2);
  });

  it("naturalLog() gives the same bits on every runtime", () => {
    let hash = 0;
    for (let x = 1; x > 1e-300; x *= 0.99) {
      double[0] = naturalLog(x);
      hash = (Math.imul(hash, 31) + Number((bits[0] as bigint) & 0xffffffffn)) | 0;
    }
    expect(hash).toBe(646835118);
  });

  it.each([0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY])("naturalLog(%d) is refused", (x) => {
    expect(() => naturalLog(x)).toThrow(
      new RangeError(
        `Cannot take the natural logarithm as 'x' must be a positive finite number: current value is ${x}`,
      ),
    );
  });
});
