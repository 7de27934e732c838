import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { collapsed, cure, LATE, silent, spoiled, throttled } from "../support/trial-cases.ts";
import { trialFixture } from "../support/trial-fixture.ts";

/** Pairs with the given ok calls per arm, in 10 s. */
function pairs(...goodputs: readonly (readonly [off: number, on: number])[]): TrialResult[] {
  return goodputs.flatMap(([off, on], pair) => [
    trialFixture({ arm: "off", pair, calls: { ok: off * 10, failed: 10_000 } }),
    trialFixture({
      arm: "on",
      pair,
      policy: { name: "sre", options: { k: 2 } },
      calls: { ok: on * 10, throttled: 10_000 },
    }),
  ]);
}

function conclusion(...goodputs: readonly (readonly [number, number])[]): string {
  return compareArms(pairs(...goodputs), "off").conclusion;
}

describe("compareArms()", () => {
  it("takes medians per arm and ratios per pair", () => {
    const comparison = compareArms(pairs([100, 600], [100, 580], [100, 640]), "off");
    expect(comparison.arms.map(({ arm, trials, goodput }) => ({ arm, trials, goodput }))).toEqual([
      { arm: "off", trials: 3, goodput: 100 },
      { arm: "on", trials: 3, goodput: 600 },
    ]);
    expect(comparison.pairs.map(({ goodputRatio }) => goodputRatio)).toEqual([6, 5.8, 6.4]);
    expect(comparison.goodputRatio).toEqual({ on: { median: 6, min: 5.8, max: 6.4 } });
  });

  it("says how many times, from which pairs, and that few pairs are points", () => {
    expect(conclusion([100, 610], [100, 580], [100, 640])).toBe(
      "Goodput with sre (K=2) was 6.10 times that of off: 610/s against 100/s (median of 3 pairs, 5.80 to 6.40). " +
        "With fewer than 5 pairs these are points, not a confidence interval.",
    );
  });

  it("does not call five pairs points", () => {
    const text = conclusion([100, 610], [100, 580], [100, 640], [100, 600], [100, 605]);
    expect(text).toBe(
      "Goodput with sre (K=2) was 6.05 times that of off: 605/s against 100/s (median of 5 pairs, 5.80 to 6.40).",
    );
  });

  it("says plainly that an arm is worse", () => {
    expect(conclusion([100, 62], [100, 60], [100, 64])).toMatch(
      /^Worse: goodput with sre \(K=2\) was 38 % lower than that of off: 62\.0\/s against 100\/s/u,
    );
    expect(conclusion([100, 0], [100, 0])).toMatch(
      /^Worse: with sre \(K=2\) nothing was served, against 100\/s with off \(2 pairs\)/u,
    );
  });

  it("gives moderate gains in percent and tells the same from unclear", () => {
    expect(conclusion([100, 120], [100, 125])).toMatch(/was 23 % higher than that of off: 123\/s against 100\/s/u);
    expect(conclusion([100, 101], [100, 100])).toMatch(/^Goodput with sre \(K=2\) was about the same as that of off/u);
    expect(conclusion([100, 150], [100, 80])).toMatch(/^No clear difference: .* but the pairs disagree/u);
  });

  it("never divides by zero", () => {
    const none = compareArms(pairs([0, 689], [0, 700]), "off");
    expect(none.pairs.map(({ goodputRatio }) => goodputRatio)).toEqual([null, null]);
    expect(none.goodputRatio).toEqual({ on: { median: null, min: null, max: null } });
    expect(none.conclusion).toMatch(
      /^Goodput went from nothing with off to 695\/s with sre \(K=2\) \(medians of 2 pairs\)/u,
    );
    expect(conclusion([0, 689], [5, 700], [6, 690])).toMatch(
      /^Goodput went from 5\.00\/s with off to 690\/s with sre \(K=2\) \(medians of 3 pairs, nothing at all with off in 1 of them\)/u,
    );
    expect(compareArms([silent("off", 0), silent("on", 0)], "off").conclusion).toMatch(
      /^Neither off nor sre \(K=2\) got anything served \(1 pair\)\./u,
    );
  });

  it("has numbers or null everywhere, whatever the goodputs", () => {
    const goodput = fc.integer({ min: 0, max: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(goodput, goodput), { minLength: 1, maxLength: 7 }), (goodputs) => {
        const comparison = compareArms(pairs(...goodputs), "off");
        for (const { goodputRatio } of comparison.pairs) {
          expect(goodputRatio === null || Number.isFinite(goodputRatio)).toBe(true);
        }
        expect(comparison.conclusion).not.toMatch(/NaN|Infinity|undefined|null/u);
      }),
    );
  });

  it("says first that an invalid trial spoils it, last that a suspect one weakens it", () => {
    expect(compareArms([collapsed(0), spoiled()], "off").conclusion).toMatch(
      /^Do not trust this comparison: 1 of 2 trials is invalid\. /u,
    );
    const suspect = { ...throttled(0), validity: { verdict: "suspect" as const, reasons: [LATE] } };
    expect(compareArms([collapsed(0), suspect], "off").conclusion).toMatch(
      /1 of 2 trials is suspect: read with care\.$/u,
    );
  });

  it("leaves out what was cut short, and says when no pair is left", () => {
    const cut = { ...throttled(1), interrupted: true };
    const comparison = compareArms([collapsed(0), throttled(0), collapsed(1), cut], "off");
    expect(comparison.pairs.map(({ pair }) => pair)).toEqual([0]);
    expect(compareArms([collapsed(0)], "off").conclusion).toBe(
      "No pair of trials was completed, so there is nothing to compare.",
    );
    expect(compareArms([], "off").arms).toEqual([]);
  });

  it("notices arms of a pair that walked different arrivals", () => {
    const other = throttled(0);
    const moved = { ...other, plan: { ...other.plan, hash: "another" } };
    expect(compareArms([collapsed(0), moved], "off").conclusion).toContain("did not get the same arrivals");
  });

  it("names arms by themselves where their policies read the same", () => {
    const second = cure()
      .filter(({ arm }) => arm === "on")
      .map((trial) => ({ ...trial, arm: "short", policy: { name: "sre", options: { k: 2, window: 10 } } }));
    const { conclusion: text, goodputRatio } = compareArms([...cure(), ...second], "off");
    expect(Object.keys(goodputRatio)).toEqual(["on", "short"]);
    expect(text).toContain("Goodput with on was 17.7 times that of off");
    expect(text).toContain("Goodput with short was 17.7 times that of off");
  });
});
