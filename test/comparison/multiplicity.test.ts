import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acrossContrasts, shareOfAlpha } from "../../src/comparison/multiplicity.ts";
import type { Design } from "../../src/result/design-schema.ts";

const LOOKS = [6, 8, 11, 15, 20, 30];

function design(stopping: Design["stopping"], pairs = 30): Design {
  return { arms: ["off", "on"], pairs, seed: 1, chance: "common", stopping };
}

const SEQUENTIAL = design({ rule: "sequential", alpha: 0.05, smallestEffect: 0.05, looks: LOOKS });

describe("acrossContrasts()", () => {
  it("leaves a single contrast as it is", () => {
    expect(acrossContrasts([[0.01, null, 0.2]])).toEqual([[0.01, null, 0.2]]);
  });

  it("multiplies by the contrasts that are left, the clearest one by all", () => {
    expect(acrossContrasts([[0.04], [0.01, 0.25], [0.02]])).toEqual([[0.04], [0.03, 0.75], [0.04]]);
  });

  it("treats contrasts of the same p-value the same, whichever comes first", () => {
    expect(
      acrossContrasts([
        [0.01, 0.02],
        [0.01, 0.02],
      ]),
    ).toEqual([
      [0.02, 0.04],
      [0.02, 0.04],
    ]);
  });

  it("never goes below what it was given, nor above 1, nor turns the order in a contrast", () => {
    const p = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.array(p, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }), (given) => {
        for (const [index, corrected] of acrossContrasts(given).entries()) {
          const own = given[index] ?? [];
          for (const [at, value] of corrected.entries()) {
            expect(value).toBeGreaterThanOrEqual(own[at] ?? 0);
            expect(value).toBeLessThanOrEqual(1);
            for (const [other, b] of corrected.entries()) {
              if ((own[at] ?? 0) <= (own[other] ?? 0)) expect(value).toBeLessThanOrEqual(b ?? 0);
            }
          }
        }
      }),
    );
  });

  it("calls one of several equal arms different in at most alpha of experiments", () => {
    // Uniform p-values of three equal contrasts with two metrics, each corrected for the two.
    let errors = 0;
    const cells = 20;
    const ps = Array.from({ length: cells }, (_, index) => (index + 0.5) / cells);
    for (const a of ps) {
      for (const b of ps) {
        for (const c of ps) {
          const all = acrossContrasts([
            [a, 1],
            [1, b],
            [c, c],
          ]);
          if (all.some((own) => own.some((p) => p !== null && p <= 0.15))) errors += 1;
        }
      }
    }
    expect(errors / cells ** 3).toBeLessThanOrEqual(0.15);
    expect(errors / cells ** 3).toBeGreaterThan(0.05);
  });
});

describe("shareOfAlpha()", () => {
  it("is all of it where the number of pairs was settled", () => {
    expect(shareOfAlpha(design({ rule: "all-pairs" }), 7, 0.05)).toBe(1);
  });

  it("keeps what a look of too few pairs could not use", () => {
    const first = shareOfAlpha(SEQUENTIAL, 6, 0.05);
    // 2 / 2^6 is above 0.05 times that: nothing could be rejected at the first look.
    expect(2 / 2 ** 6).toBeGreaterThan(0.05 * first);
    expect(shareOfAlpha(SEQUENTIAL, 8, 0.05)).toBeGreaterThan(first);
  });

  it("never spends more than all of alpha over the looks", () => {
    let spent = 0;
    for (const look of LOOKS) {
      const share = shareOfAlpha(SEQUENTIAL, look, 0.05);
      expect(share).toBeGreaterThan(0);
      if (2 / 2 ** look <= 0.05 * share) spent += share;
    }
    expect(spent).toBeLessThanOrEqual(1 + 1e-12);
    expect(spent).toBeGreaterThan(0.9);
  });
});
