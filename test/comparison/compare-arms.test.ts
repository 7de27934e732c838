import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import { createStopping } from "../../src/comparison/stopping.ts";
import { METRICS, metricOf } from "../../src/figures/metrics.ts";
import type { Comparison, MetricComparison } from "../../src/result/comparison-schema.ts";
import { comparisonSchema } from "../../src/result/comparison-schema.ts";
import type { Design } from "../../src/result/design-schema.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { collapsed, cure, LATE, silent, spoiled, throttled } from "../support/trial-cases.ts";
import { latencyFixture, trialFixture } from "../support/trial-fixture.ts";

type Goodputs = readonly (readonly [off: number, on: number])[];

/** Pairs with the given ok calls per second and arm, in 10 s. */
function pairs(...goodputs: Goodputs): TrialResult[] {
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

/** Pairs in which `on` is so many times `off`, in a spread of 1 % that is the same each time. */
function ratios(count: number, ratio: number): TrialResult[] {
  return pairs(
    ...Array.from({ length: count }, (_, pair) => [1000, Math.round(1000 * ratio) + ((pair % 5) - 2) * 5] as const),
  );
}

function conclusion(...goodputs: Goodputs): string {
  return compareArms(pairs(...goodputs), "off").conclusion;
}

function metricIn({ contrasts }: Comparison, key: string, arm = "on"): MetricComparison {
  const contrast = contrasts.find((candidate) => candidate.arm === arm);
  return contrast?.metrics.find(({ metric }) => metric === key) as MetricComparison;
}

describe("compareArms() on few pairs", () => {
  it("takes medians per arm, effects per pair and their geometric mean", () => {
    const comparison = compareArms(pairs([100, 600], [100, 580], [100, 640]), "off");
    expect(comparison.arms.map(({ arm, trials, goodput }) => ({ arm, trials, goodput }))).toEqual([
      { arm: "off", trials: 3, goodput: 100 },
      { arm: "on", trials: 3, goodput: 600 },
    ]);
    expect(comparison.contrasts.map(({ arm, baseline, pairs: own }) => ({ arm, baseline, own }))).toEqual([
      { arm: "on", baseline: "off", own: [0, 1, 2] },
    ]);
    const goodput = metricIn(comparison, "goodput");
    expect(goodput).toMatchObject({
      effect: "ratio",
      better: "higher",
      baseline: 100,
      arm: 600,
      effects: [6, 5.8, 6.4],
    });
    expect(goodput.estimate).toBeCloseTo((6 * 5.8 * 6.4) ** (1 / 3), 10);
    expect(goodput.interval).toBeUndefined();
    expect(goodput.pValue).toBe(2 / 2 ** 3);
    expect(goodput.verdict).toBe("undecided");
  });

  it("says how many times, from which pairs, and that few pairs are points", () => {
    expect(conclusion([100, 610], [100, 580], [100, 640])).toBe(
      "Goodput with sre (K=2) was 6.10 times that of off: 610/s against 100/s (3 pairs, 5.80 to 6.40 times). " +
        "With fewer than 5 pairs these are points, not a confidence interval; it takes at least 6 pairs to decide.",
    );
    expect(conclusion([100, 610])).toBe(
      "Goodput with sre (K=2) was 6.10 times that of off: 610/s against 100/s (1 pair). " +
        "One pair is a single observation: it takes at least 6 pairs to decide.",
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
    expect(conclusion([100, 120], [100, 125])).toMatch(/was 22 % higher than that of off: 123\/s against 100\/s/u);
    expect(conclusion([100, 101], [100, 100])).toMatch(/^Goodput with sre \(K=2\) was about the same as that of off/u);
    expect(conclusion([100, 150], [100, 80])).toMatch(/^No clear difference: .* but the pairs disagree/u);
  });
});

describe("compareArms() on enough pairs", () => {
  it("gives an interval from five pairs on, and says that five cannot decide", () => {
    const comparison = compareArms(pairs([100, 610], [100, 580], [100, 640], [100, 600], [100, 605]), "off");
    const { interval, pValue, verdict } = metricIn(comparison, "goodput");
    expect(interval?.low).toBeGreaterThan(5.4);
    expect(interval?.high).toBeLessThan(6.8);
    expect(pValue).toBe(2 / 2 ** 5);
    expect(verdict).toBe("undecided");
    expect(comparison.conclusion).toMatch(
      /^Not decided: goodput with sre \(K=2\) was 6\.07 times that of off: 605\/s against 100\/s \(95 % interval 5\.\d\d to 6\.\d\d times, 5 pairs, adjusted p = 0\.078\)\. 5 pairs cannot decide, however clear they are: it takes 6\.$/u,
    );
  });

  it("decides by the p-value that is corrected for all metrics, and gives it", () => {
    const comparison = compareArms(ratios(8, 1.2), "off");
    const { pValue, adjustedPValue, verdict, detectable } = metricIn(comparison, "goodput");
    expect(pValue).toBe(2 / 2 ** 8);
    expect(adjustedPValue).toBeGreaterThanOrEqual(2 / 2 ** 8);
    expect(adjustedPValue).toBeLessThanOrEqual(0.05);
    expect(verdict).toBe("better");
    expect(detectable).toBeGreaterThan(0);
    expect(detectable).toBeLessThan(0.05);
    expect(comparison.conclusion).toMatch(
      /^Better: goodput with sre \(K=2\) was 20 % higher than that of off: 1,\d{3}\/s against 1,000\/s \(95 % interval \+\d+ % to \+\d+ %, 8 pairs, adjusted p = 0\.\d+\)\./u,
    );
  });

  it("says Worse, and that a difference is smaller than those that matter", () => {
    expect(compareArms(ratios(8, 0.8), "off").conclusion).toMatch(/^Worse: goodput .* was 20 % lower/u);
    expect(compareArms(ratios(8, 1.02), "off").conclusion).toMatch(
      /^Better: .* 1\.8 % higher .*; a difference, but not one of the 5 % that matter\./u,
    );
  });

  it("calls arms equivalent when the interval stays within the smallest effect", () => {
    const comparison = compareArms(ratios(10, 1), "off");
    expect(metricIn(comparison, "goodput").verdict).toBe("equivalent");
    expect(comparison.conclusion).toMatch(/^No difference that matters: .* the interval stays within 5 %/u);
    expect(metricIn(compareArms(ratios(10, 1), "off", { smallestEffect: 0.001 }), "goodput").verdict).toBe("undecided");
  });

  it("says of noise how many pairs would find a difference that matters", () => {
    const noise = pairs([100, 120], [100, 82], [100, 110], [100, 95], [100, 88], [100, 112], [100, 104]);
    const { contrasts, conclusion: text } = compareArms(noise, "off");
    expect(contrasts[0]?.suggestedPairs).toBeGreaterThan(7);
    expect(text).toMatch(/^No clear difference: .* About \d+ pairs would find a difference of 5 %\.$/u);
  });

  it("finds identical arms the same, with a p-value of 1 and a point for an interval", () => {
    const { contrasts } = compareArms(pairs(...Array.from({ length: 6 }, () => [100, 100] as const)), "off");
    const goodput = contrasts[0]?.metrics[0];
    expect(goodput).toMatchObject({ estimate: 1, pValue: 1, adjustedPValue: 1, verdict: "equivalent" });
    expect(goodput?.interval).toMatchObject({ low: 1, high: 1 });
  });

  it("compares shares by difference: one that falls to nothing is an improvement of that many points", () => {
    const trials = Array.from({ length: 8 }, (_, pair) => [
      trialFixture({ arm: "off", pair, attempts: { overloaded: 10_000 } }),
      trialFixture({ arm: "on", pair }),
    ]).flat();
    expect(metricIn(compareArms(trials, "off"), "waste")).toMatchObject({
      effect: "difference",
      better: "lower",
      baseline: 0.5,
      arm: 0,
      estimate: -0.5,
      verdict: "better",
    });
  });

  it("has no effect where a figure is a lower bound", () => {
    const slow = { ok: latencyFixture(10_000, 900, 1000, 1000, 500) };
    const trials = Array.from({ length: 6 }, (_, pair) => [
      trialFixture({ arm: "off", pair, ...(pair === 3 ? { response: slow } : {}) }),
      trialFixture({ arm: "on", pair }),
    ]).flat();
    const comparison = compareArms(trials, "off");
    const p99 = metricIn(comparison, "responseOkP99Ms");
    expect(p99.effects[3]).toBeNull();
    expect(p99).toMatchObject({ estimate: null, pValue: null, adjustedPValue: null, verdict: "incomparable" });
    expect(metricIn(comparison, "responseOkP50Ms").effects[3]).toBeLessThan(0.01);
  });

  it("calls an arm that serves nothing worse, as soon as the pairs can decide", () => {
    const dead = compareArms(pairs(...Array.from({ length: 7 }, () => [100, 0] as const)), "off");
    expect(metricIn(dead, "goodput")).toMatchObject({ estimate: 0, pValue: 2 / 2 ** 7, verdict: "worse" });
    expect(dead.conclusion).toMatch(
      /^Worse: with sre \(K=2\) nothing was served, .* \(7 pairs, adjusted p = 0\.020\)\./u,
    );
  });

  it("says in how many pairs an arm served nothing, and no middle of the others", () => {
    const fitful = pairs([100, 0], [100, 60], [100, 50], [100, 40], [100, 0], [100, 55], [100, 45]);
    const comparison = compareArms(fitful, "off");
    expect(metricIn(comparison, "goodput")).toMatchObject({ estimate: null, pValue: 2 / 2 ** 7, verdict: "worse" });
    expect(comparison.conclusion).toMatch(
      /^Worse: goodput with sre \(K=2\) was 0 in 2 of the pairs: 45\.0\/s against 100\/s with off \(7 pairs, adjusted p = 0\.020\)\./u,
    );
  });

  it("takes the direction from what was tested, not from a middle that does not exist", () => {
    const clear = Array.from({ length: 14 }, (_, pair) => [100, 300 + pair] as const);
    const better = compareArms(pairs(...clear, [100, 0]), "off");
    expect(metricIn(better, "goodput")).toMatchObject({ estimate: null, verdict: "better" });
    expect(better.conclusion).toMatch(
      /^Better: goodput with sre \(K=2\) was 0 in 1 of the pairs: 306\/s against 100\/s/u,
    );
    const swapped = clear.map(([off, on]) => [on, off] as const);
    expect(metricIn(compareArms(pairs(...swapped, [0, 100]), "off"), "goodput").verdict).toBe("worse");
  });

  it("decides where the baseline served nothing in some pair or all, as the rule that stops does", () => {
    for (const zeros of [1, 8]) {
      const goodputs = Array.from({ length: 8 }, (_, pair) => [pair < zeros ? 0 : 10, 500 + pair] as const);
      const comparison = compareArms(pairs(...goodputs), "off");
      expect(metricIn(comparison, "goodput")).toMatchObject({ estimate: null, pValue: 2 / 2 ** 8, verdict: "better" });
      expect(metricIn(comparison, "goodput").interval).toBeUndefined();
      expect(comparison.conclusion).toMatch(/^Better: goodput went from .*, adjusted p = 0\.010\)\./u);
    }
  });

  it("says what the ratio is where that of the medians, which stand beside it, is another", () => {
    expect(conclusion([4, 160], [2, 300], [4, 160])).toContain(
      "160/s against 4.00/s (these are medians, the ratio is the geometric mean of the pairs; 3 pairs, 40.0 to 150 times)",
    );
  });

  it("refuses an alpha above that by which the experiment could stop", () => {
    const stopping = { rule: "sequential" as const, alpha: 0.05, smallestEffect: 0.05, looks: [6, 7, 8] };
    const design = { arms: ["off", "on"], pairs: 8, seed: 1, chance: "common" as const, stopping };
    expect(() => compareArms(ratios(8, 1.2), "off", { design, alpha: 0.1 })).toThrow(RangeError);
    expect(compareArms(ratios(8, 1.2), "off", { design, alpha: 0.01 }).alpha).toBe(0.01);
  });

  it("corrects for fewer metrics when only some are asked for", () => {
    const trials = ratios(7, 1.03);
    const all = metricIn(compareArms(trials, "off"), "goodput").adjustedPValue ?? 1;
    const alone = compareArms(trials, "off", { metrics: [metricOf("goodput")] });
    expect(alone.contrasts[0]?.metrics.map(({ metric }) => metric)).toEqual(["goodput"]);
    expect(metricIn(alone, "goodput").adjustedPValue).toBe(2 / 2 ** 7);
    expect(all).toBeGreaterThanOrEqual(2 / 2 ** 7);
  });

  it("corrects for the number of contrasts", () => {
    const third = ratios(7, 1.2)
      .filter(({ arm }) => arm === "on")
      .map((trial) => ({ ...trial, arm: "third", policy: { name: "sre", options: { k: 3 } } }));
    const two = compareArms([...ratios(7, 1.2), ...third], "off", { metrics: [metricOf("goodput")] });
    expect(two.contrasts.map(({ arm }) => arm)).toEqual(["on", "third"]);
    for (const { metrics } of two.contrasts) expect(metrics[0]?.adjustedPValue).toBe((2 * 2) / 2 ** 7);
  });
});

describe("compareArms() of an experiment that could stop early", () => {
  const arms = ["off", "on"];
  const { rule } = createStopping({ arms, pairsMax: 30, alpha: 0.05, smallestEffect: 0.05, seed: 1 });
  const looks = rule.rule === "sequential" ? rule.looks : [];
  // Where eight or more pairs that all say the same can be told from chance.
  const pairsAtStop = looks.find((look) => look >= 8) ?? 0;
  const looksAtStop = looks.indexOf(pairsAtStop) + 1;
  const design: Design = {
    arms,
    pairs: 30,
    seed: 1,
    chance: "common",
    stopping: rule,
    stopped: { pairs: pairsAtStop, because: "decided", text: "On is better." },
  };

  it("decides goodput by the looks, and says that the error rate is kept", () => {
    const comparison = compareArms(ratios(pairsAtStop, 1.3), "off", { design });
    const [contrast] = comparison.contrasts;
    const last = contrast?.looks?.at(-1);
    expect(last?.pairs).toBe(pairsAtStop);
    expect(last?.pValue).toBeLessThanOrEqual(last?.level ?? 0);
    expect(contrast?.metrics[0]?.adjustedPValue).toBe(0.05 * ((last?.pValue ?? 1) / (last?.level ?? 0)));
    expect(contrast?.metrics[0]?.verdict).toBe("better");
    expect(comparison.conclusion).toContain(
      `On is better. That was look ${looksAtStop}. Of an early stop the effect tends to look somewhat larger`,
    );
    const { stopped: _, ...whole } = design;
    expect(compareArms(ratios(pairsAtStop, 1.3), "off", { design: whole }).conclusion).toContain(
      `It was asked ${looksAtStop} times whether to go on; over all metrics, arms and looks the chance of any false verdict is at most 5 %.`,
    );
  });

  it("pays for the looks in all other metrics", () => {
    const trials = ratios(pairsAtStop, 1.3);
    const settled = metricIn(compareArms(trials, "off"), "okShare").adjustedPValue ?? 1;
    const looked = metricIn(compareArms(trials, "off", { design }), "okShare").adjustedPValue ?? 1;
    expect(looked).toBeGreaterThan(settled);
    const alone = { ...design, pairs: pairsAtStop, stopping: { rule: "all-pairs" as const } };
    expect(metricIn(compareArms(trials, "off", { design: alone }), "okShare").adjustedPValue).toBe(settled);
  });
});

describe("compareArms() on odd trials", () => {
  it("never divides by zero", () => {
    const none = compareArms(pairs([0, 689], [0, 700]), "off");
    expect(metricIn(none, "goodput")).toMatchObject({
      effects: [null, null],
      estimate: null,
      balance: 1,
      pValue: 0.5,
      verdict: "undecided",
    });
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

  it("says first that an invalid trial spoils it, last that a suspect one weakens it", () => {
    const alone = compareArms([collapsed(0), spoiled()], "off");
    expect(alone.contrasts).toEqual([]);
    expect(alone.conclusion).toBe(
      "Do not trust this comparison: 1 of 2 trials is invalid. " +
        "No pair is left in which both trials can be trusted, so nothing follows.",
    );
    const suspect = { ...throttled(0), validity: { verdict: "suspect" as const, reasons: [LATE] } };
    expect(compareArms([collapsed(0), suspect], "off").conclusion).toMatch(
      /1 of 2 trials is suspect: read with care\.$/u,
    );
  });

  it("leaves pairs with an invalid trial out, unless they are forced in", () => {
    const trials = [...cure(), collapsed(3), { ...spoiled(), pair: 3, plan: collapsed(3).plan }];
    const comparison = compareArms(trials, "off");
    expect(comparison.contrasts[0]?.pairs).toEqual([0, 1, 2]);
    expect(comparison.conclusion).toMatch(
      /^Do not trust this comparison: 1 of 8 trials is invalid; pairs with one take no part\. Goodput with/u,
    );
    const forced = compareArms(trials, "off", { forced: { invalid: true } });
    expect(forced.contrasts[0]?.pairs).toEqual([0, 1, 2, 3]);
    expect(forced.conclusion).toContain("they take part as you insisted");
  });

  it("leaves out what was cut short, and says when no pair is left", () => {
    const cut = { ...throttled(1), interrupted: true };
    const comparison = compareArms([collapsed(0), throttled(0), collapsed(1), cut], "off");
    expect(comparison.contrasts[0]?.pairs).toEqual([0]);
    expect(compareArms([collapsed(0)], "off").conclusion).toBe(
      "No pair of trials was completed, so there is nothing to compare.",
    );
    expect(compareArms([], "off").arms).toEqual([]);
  });

  it("compares no arms that walked different arrivals, unless forced to", () => {
    const other = throttled(0);
    const moved = { ...other, plan: { ...other.plan, hash: "another" } };
    const { contrasts, conclusion: text } = compareArms([collapsed(0), moved], "off");
    expect(contrasts).toEqual([]);
    expect(text).toContain("did not get the same arrivals, so they are not compared");
    const forced = compareArms([collapsed(0), moved], "off", {
      opponents: [{ arm: "on", baseline: "off" }],
      forced: { otherArrivals: true },
    });
    expect(forced.contrasts[0]?.pairs).toEqual([0]);
  });

  it("compares arms with another load among themselves", () => {
    const loaded = (arm: string, pair: number, load: string): TrialResult => {
      const trial = throttled(pair);
      return { ...trial, arm, plan: { ...trial.plan, hash: `${load}-${pair}`, rate: load } };
    };
    const trials = [0, 1].flatMap((pair) =>
      ["100/s", "200/s"].flatMap((load) => ["a", "b"].map((name) => loaded(`${name} ${load}`, pair, load))),
    );
    const { contrasts } = compareArms([...trials, loaded("lonely", 0, "300/s")], "a 100/s");
    expect(contrasts.map(({ arm, baseline }) => [arm, baseline])).toEqual([
      ["b 100/s", "a 100/s"],
      ["b 200/s", "a 200/s"],
    ]);
  });

  it("lists the arms as the design has them, whichever trial came first", () => {
    const design = {
      arms: ["off", "on"],
      pairs: 3,
      seed: 1,
      chance: "common",
      stopping: { rule: "all-pairs" },
    } as const;
    const { arms } = compareArms(cure().toReversed(), "off", { design: { ...design, arms: [...design.arms] } });
    expect(arms.map(({ arm }) => arm)).toEqual(["off", "on"]);
  });

  it("names arms by themselves where their policies read the same", () => {
    const second = cure()
      .filter(({ arm }) => arm === "on")
      .map((trial) => ({ ...trial, arm: "short", policy: { name: "sre", options: { k: 2, window: 10 } } }));
    const { conclusion: text, contrasts } = compareArms([...cure(), ...second], "off");
    expect(contrasts.map(({ arm }) => arm)).toEqual(["on", "short"]);
    expect(text).toContain("Goodput with on was 17.7 times that of off");
    expect(text).toContain("Goodput with short was 17.7 times that of off");
  });
});

describe("compareArms() on whatever there is", () => {
  const goodput = fc.integer({ min: 0, max: 5 });
  const anyPairs = fc.array(fc.tuple(goodput, goodput), { minLength: 1, maxLength: 7 });
  const somePairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })), {
    minLength: 1,
    maxLength: 7,
  });
  const swapped = (trials: readonly TrialResult[]): TrialResult[] =>
    trials.map((trial) => ({ ...trial, arm: trial.arm === "off" ? "on" : "off" }));

  it("has finite numbers or null everywhere, and nothing but words in its sentences", () => {
    fc.assert(
      fc.property(anyPairs, (goodputs) => {
        const comparison = compareArms(pairs(...goodputs), "off");
        expect(comparisonSchema.parse(JSON.parse(JSON.stringify(comparison)))).toEqual(comparison);
        for (const text of [comparison.conclusion, ...comparison.contrasts.map(({ sentence }) => sentence)]) {
          expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object/u);
          expect(text).toMatch(/\.$/u);
        }
      }),
    );
  });

  it("gives the inverse ratios and the same p-values when the arms are swapped", () => {
    fc.assert(
      fc.property(somePairs, (goodputs) => {
        const trials = pairs(...goodputs);
        const [one, other] = [compareArms(trials, "off"), compareArms(swapped(trials), "off")];
        for (const { key, effect } of METRICS) {
          const [a, b] = [metricIn(one, key), metricIn(other, key)];
          if (a === undefined || a.estimate === null) continue;
          expect(b.pValue).toBeCloseTo(a.pValue ?? Number.NaN, 12);
          expect(b.adjustedPValue).toBeCloseTo(a.adjustedPValue ?? Number.NaN, 12);
          const back = effect === "ratio" ? 1 / (b.estimate ?? Number.NaN) : -(b.estimate ?? Number.NaN);
          expect(back).toBeCloseTo(a.estimate, 9);
        }
      }),
    );
  });

  it("does not depend on the order of the trials", () => {
    const trials = ratios(9, 1.1);
    const design = {
      arms: ["off", "on"],
      pairs: 10,
      seed: 1,
      chance: "common" as const,
      stopping: { rule: "all-pairs" as const },
    };
    const expected = compareArms(trials, "off", { design });
    fc.assert(
      fc.property(fc.shuffledSubarray(trials, { minLength: trials.length }), (shuffled) => {
        expect(compareArms(shuffled, "off", { design })).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  it("comes out the same every time, resamples included", () => {
    const trials = Array.from({ length: 18 }, (_, pair) =>
      ratios(1, 1 + pair / 50).map((trial) => ({ ...trial, pair })),
    ).flat();
    expect(compareArms(trials, "off")).toEqual(compareArms(trials, "off"));
  });
});
