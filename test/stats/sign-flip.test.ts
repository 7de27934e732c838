import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/plan/streams.ts";
import { signFlipTest } from "../../src/stats/sign-flip.ts";

const chance = () => stream(1, "comparison");

/** Heights of cross- minus self-fertilised maize, in eighths of an inch: Darwin's, as Fisher tests them (1935, section 21). */
const MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

/** Without the smallest of numbers, which other units would round to 0. */
const effect = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -1e7, max: 1e7 }).map((millionths) => millionths / 1e6),
);
/** Two to four metrics over one to eight pairs. */
const table = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 4 }))
  .chain(([pairs, metrics]) =>
    fc.array(fc.array(effect, { minLength: pairs, maxLength: pairs }), { minLength: metrics, maxLength: metrics }),
  );

/** |t| of the mean, by its definition. */
function studentised(values: readonly number[]): number {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  if (mean === 0) return 0;
  return variance < 1e-20 ? Number.POSITIVE_INFINITY : Math.abs(mean) / Math.sqrt(variance / n);
}

/** All metrics' |t| under all 2^n patterns; the first pattern changes nothing. */
function allPatterns(effects: readonly (readonly number[])[]): number[][] {
  const pairs = effects[0]?.length ?? 0;
  return Array.from({ length: 2 ** pairs }, (_, bits) =>
    effects.map((row) => studentised(row.map((value, pair) => ((bits >> pair) & 1 ? -value : value)))),
  );
}

function share(patterns: readonly (readonly number[])[], reaches: (t: readonly number[]) => boolean): number {
  return patterns.filter(reaches).length / patterns.length;
}

describe("signFlipTest()", () => {
  it("gives Darwin's maize the exact p-value that Fisher counts, 2 x 863 / 32768", () => {
    expect(signFlipTest([MAIZE], chance()).pValues).toEqual([(2 * 863) / 32768]);
  });

  it.each([
    [[0.3], 1],
    [[1, 2], 0.5],
    [[1, 1, 1, 1, 1, 1], 2 / 64],
    [[0.1, 0.2, 0.15, 0.05, 0.3, 0.01, 0.2, 0.4], 2 / 256],
    // Sums of at least 4: all plus, and the two patterns that lose one 1 from 6 to 4; and their opposites.
    [[1, 1, 4], 1 / 4],
    [[1, -1, 1, -1], 1],
    [[0, 0, 0, 0], 1],
  ])("of %j is %d", (effects, expected) => {
    expect(signFlipTest([effects], chance()).pValues[0]).toBeCloseTo(expected, 12);
  });

  it("counts by |t| of the studentised mean, and its maxima step down, as an enumeration by definition does", () => {
    const effects = [
      [0.12, 0.08, 0.2, 0.05, 0.11, 0.16, 0.02],
      [0.3, -0.1, 0.2, 0.05, 0.4, 0.1, -0.02],
      [-0.02, 0.01, 0.03, -0.04, 0.02, 0.01, 0],
    ];
    const patterns = allPatterns(effects);
    const observed = patterns[0] as number[];
    const [t0, t1, t2] = observed.map((t) => t - 1e-9) as [number, number, number];
    expect(t0).toBeGreaterThan(t1);
    expect(t1).toBeGreaterThan(t2);
    const { pValues, adjusted } = signFlipTest(effects, chance());
    expect(pValues).toEqual(
      [t0, t1, t2].map((bound, metric) => share(patterns, (t) => (t[metric] as number) >= bound)),
    );
    expect(adjusted).toEqual([
      share(patterns, (t) => Math.max(...t) >= t0),
      share(patterns, (t) => Math.max(...t.slice(1)) >= t1),
      share(patterns, (t) => (t[2] as number) >= t2),
    ]);
  });

  it("charges nothing for a metric that says the same as another in other units", () => {
    const { pValues, adjusted } = signFlipTest([MAIZE, MAIZE.map((value) => 1e6 * value)], chance());
    expect(adjusted).toEqual(pValues);
  });

  it("p-values lie in [2 / 2^n, 1], and adjusted ones are no smaller and in the order of |t|", () => {
    fc.assert(
      fc.property(table, (effects) => {
        const { pValues, adjusted } = signFlipTest(effects, chance());
        const least = 2 / 2 ** (effects[0] as number[]).length;
        pValues.forEach((p, metric) => {
          expect(p).toBeGreaterThanOrEqual(least);
          expect(adjusted[metric]).toBeGreaterThanOrEqual(p);
          expect(adjusted[metric]).toBeLessThanOrEqual(1);
        });
        const t = effects.map(studentised);
        for (const [a, large] of t.entries()) {
          for (const [b, small] of t.entries()) {
            if (large > small * (1 + 1e-6)) expect(adjusted[a]).toBeLessThanOrEqual(adjusted[b] as number);
          }
        }
      }),
    );
  });

  it("does not change when the arms are swapped, pairs reordered or a metric measured in other units", () => {
    fc.assert(
      fc.property(table, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (effects, unit) => {
        const plain = signFlipTest(effects, chance());
        expect(
          signFlipTest(
            effects.map((row) => row.map((value) => -value)),
            chance(),
          ),
        ).toEqual(plain);
        expect(
          signFlipTest(
            effects.map((row) => row.toReversed()),
            chance(),
          ),
        ).toEqual(plain);
        expect(
          signFlipTest(
            effects.map((row) => row.map((value) => value * unit)),
            chance(),
          ),
        ).toEqual(plain);
      }),
    );
  });

  it("rejects at 5 % no more than 5 % of the sign patterns, whatever the sizes of the effects", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 6, maxLength: 7 }), (sizes) => {
        const patterns = 2 ** sizes.length;
        let rejected = 0;
        for (let bits = 0; bits < patterns; bits += 1) {
          const effects = sizes.map((size, pair) => ((bits >> pair) & 1 ? -size : size));
          if ((signFlipTest([effects], chance()).pValues[0] as number) <= 0.05) rejected += 1;
        }
        expect(rejected / patterns).toBeLessThanOrEqual(0.05);
      }),
      { numRuns: 20 },
    );
  });

  it("samples above 16 pairs: never 0, near the exact value, the same for the same random numbers", () => {
    const strong = Array.from({ length: 30 }, (_, pair) => 1 + (pair % 3));
    expect(signFlipTest([strong], chance()).pValues).toEqual([1 / 20_000]);
    // Twice the same eight pairs and one without an effect: exact, by all 2^16 patterns, it is that of 16.
    const sixteen = [3, 1, -2, 4, 2, -1, 5, -3, 2, 1, -1, 2, 3, -2, 1, 4];
    const exact = signFlipTest([sixteen], chance()).pValues[0] as number;
    const sampled = signFlipTest([[...sixteen, 0]], chance()).pValues[0] as number;
    expect(sampled).not.toBe(exact);
    expect(Math.abs(sampled - exact)).toBeLessThan(0.01);
    expect(signFlipTest([[...sixteen, 0]], chance()).pValues).toEqual([sampled]);
  });

  it("holds for effects at both ends of the numbers", () => {
    expect(signFlipTest([MAIZE.map((value) => value * 1e300)], chance())).toEqual(signFlipTest([MAIZE], chance()));
    expect(signFlipTest([MAIZE.map((value) => value * 1e-300)], chance())).toEqual(signFlipTest([MAIZE], chance()));
  });

  it("of no metric is no p-value", () => {
    expect(signFlipTest([], chance())).toEqual({ pValues: [], adjusted: [] });
  });

  it.each([[[[1, 2], [1]]], [[[]]], [[[1, Number.NaN]]], [[[1, Number.POSITIVE_INFINITY]]]])(
    "refuses %j",
    (effects) => {
      expect(() => signFlipTest(effects, chance())).toThrow(RangeError);
    },
  );
});
