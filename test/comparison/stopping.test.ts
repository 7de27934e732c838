import { describe, expect, it } from "vitest";
import { lookSchedule } from "../../src/comparison/look-schedule.ts";
import { createStopping, type StoppingOptions } from "../../src/comparison/stopping.ts";
import type { Design } from "../../src/result/design-schema.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { trialFixture } from "../support/trial-fixture.ts";

const OPTIONS: StoppingOptions = { arms: ["off", "on"], pairsMax: 20, alpha: 0.05, smallestEffect: 0.05, seed: 1 };

/** A pair's trials whose goodputs are these, per second. */
function trialsOf(pair: number, goodputs: Readonly<Record<string, number>>): TrialResult[] {
  return Object.entries(goodputs).map(([arm, goodput]) =>
    trialFixture({ arm, pair, durationSeconds: 10, calls: { ok: Math.round(goodput * 10), failed: 10 } }),
  );
}

/** Pairs in which `off` has 1,000/s and `on` so many times as much. */
function pairsOf(ratios: readonly number[]): TrialResult[] {
  return ratios.flatMap((ratio, pair) => trialsOf(pair, { off: 1000, on: 1000 * ratio }));
}

/** So many values, around `middle` by turns. */
function around(middle: number, spread: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => middle + spread * ((index % 3) - 1) * (1 + 0.01 * index));
}

function spoiled(trial: TrialResult): TrialResult {
  return { ...trial, validity: { verdict: "invalid", reasons: [] } };
}

/** What comes of it, asked at each look. */
function run(trials: readonly TrialResult[], options: StoppingOptions = OPTIONS): Design["stopped"] {
  const stopping = createStopping(options);
  const looks = stopping.rule.rule === "sequential" ? stopping.rule.looks : [];
  for (const pairs of looks) {
    const stopped = stopping.decide(
      trials.filter(({ pair }) => pair < pairs),
      pairs,
    );
    if (stopped !== undefined) return stopped;
  }
  return undefined;
}

describe("createStopping()", () => {
  it("looks after 6 pairs, then after growing steps, and at the end", () => {
    expect(createStopping(OPTIONS).rule).toEqual({
      rule: "sequential",
      alpha: 0.05,
      smallestEffect: 0.05,
      looks: [6, 7, 8, 9, 11, 13, 15, 17, 20],
    });
    expect(lookSchedule(8)).toEqual([6, 7, 8]);
  });

  it("runs all pairs where no look could come before the last one", () => {
    for (const pairsMax of [1, 5, 6]) {
      const stopping = createStopping({ ...OPTIONS, pairsMax });
      expect(stopping.rule).toEqual({ rule: "all-pairs" });
      expect(stopping.decide(pairsOf(around(2, 0.1, pairsMax)), pairsMax)).toBeUndefined();
      expect(stopping.looks([], "on")).toBeUndefined();
    }
  });

  it("decides as soon as the same sign in all pairs is rare enough: 2 / 64 at six pairs is not, 2 / 128 is", () => {
    expect(run(pairsOf(around(1.5, 0.1, 20)))).toEqual({
      pairs: 7,
      because: "decided",
      text: "Decided after 7 of 20 pairs: goodput with on differs from that with off (p = 0.016, where 0.019 is enough). Over all metrics and looks the chance of any false verdict is at most 5 %.",
    });
  });

  it("decides that a difference is too small to matter", () => {
    expect(run(pairsOf(around(1.001, 0.004, 20)))).toMatchObject({
      because: "decided",
      text: expect.stringMatching(
        /^Decided after \d+ of 20 pairs: goodput with on is within 5\.0 % of that with off\./u,
      ),
    });
  });

  it("decides that arms which came to the same bit by bit are equivalent", () => {
    expect(run(pairsOf(Array(20).fill(1)))).toMatchObject({ pairs: 6, because: "decided" });
  });

  it("gives up where the noise would drown what matters", () => {
    const noise = [1.6, 0.6, 1.5, 0.7, 1.4, 0.65, 1.55, 0.62, 1.45, 0.68];
    const stopped = run(pairsOf([...noise, ...noise]));
    expect(stopped).toMatchObject({ because: "hopeless" });
    expect(stopped?.text).toMatch(
      /^Given up after \d+ of 20 pairs: the \d+ pairs that were left would have shown a difference of 5\.0 % between on and off with a chance below 10 %\./u,
    );
  });

  it("goes on while it is open", () => {
    const close = [1.09, 0.99, 1.08, 1.0, 1.1, 0.98];
    expect(createStopping(OPTIONS).decide(pairsOf(close), 6)).toBeUndefined();
  });

  it("decides nothing between looks, nor at the end, where nothing is stopped", () => {
    const clear = pairsOf(around(1.5, 0.1, 20));
    const stopping = createStopping(OPTIONS);
    expect(stopping.decide(clear, 10)).toBeUndefined();
    expect(stopping.decide(clear, 20)).toBeUndefined();
    expect(stopping.decide(clear, 9)).toBeDefined();
  });

  it("leaves out pairs with an invalid or interrupted trial, as if they were not there", () => {
    const clear = pairsOf(around(1.5, 0.1, 20));
    const without = clear.map((trial) => (trial.pair === 2 && trial.arm === "on" ? spoiled(trial) : trial));
    const cut = clear.map((trial) =>
      trial.pair === 2 && trial.arm === "off" ? { ...trial, interrupted: true } : trial,
    );
    // Six pairs of seven: 2 / 64 is too much; at the next look there are seven.
    expect(run(without)?.pairs).toBe(8);
    expect(run(cut)?.pairs).toBe(8);
    expect(run(clear.map(spoiled))?.because).toBe("hopeless");
  });

  it("decides where one arm serves nothing and no ratio exists, and says so", () => {
    const collapsed = Array.from({ length: 20 }, (_, pair) => trialsOf(pair, { off: 0, on: 500 + pair })).flat();
    expect(run(collapsed)).toMatchObject({
      pairs: 7,
      text: expect.stringContaining("compared by differences as some trials served nothing and have no ratio"),
    });
    const nothing = Array.from({ length: 20 }, (_, pair) => trialsOf(pair, { off: 0, on: 0 })).flat();
    expect(run(nothing)).toMatchObject({ pairs: 6, text: expect.stringContaining("is within 5.0 %") });
  });

  it("waits until every arm is decided, each with its part of alpha", () => {
    const options = { ...OPTIONS, arms: ["off", "on", "other"] };
    const pairs = (other: (pair: number) => number) =>
      Array.from({ length: 20 }, (_, pair) =>
        trialsOf(pair, { off: 1000, on: 1500 + pair, other: 1000 * other(pair) }),
      ).flat();
    // 2 / 128 is above a half of what may be spent at seven pairs, 0.019; 2 / 256 is not.
    const both = run(
      pairs((pair) => 2 + pair / 100),
      options,
    );
    expect(both).toMatchObject({ pairs: 8, because: "decided" });
    expect(both?.text).toMatch(
      /goodput with on differs .*; goodput with other differs .* Over all metrics, arms and looks/u,
    );
    const noise = [1.6, 0.6, 1.5, 0.7];
    const one = run(
      pairs((pair) => noise[pair % 4] as number),
      options,
    );
    expect(one).toMatchObject({ because: "hopeless" });
    expect(one?.text).toMatch(/goodput with on differs .*between other and off/u);
  });

  it("tells the looks with their p-values and levels, up to the one that decided", () => {
    const trials = pairsOf(around(1.5, 0.1, 20));
    const looks = createStopping(OPTIONS).looks(trials, "on") ?? [];
    expect(looks.map(({ pairs, pValue }) => [pairs, pValue])).toEqual([
      [6, 2 / 64],
      [7, 2 / 128],
    ]);
    expect(looks[0]?.level).toBeCloseTo(0.04 * 0.4158, 5);
    expect(looks[1]?.level).toBeCloseTo(0.04 * 0.4706, 4);
  });

  it("tells the last look's level, all that goodput has of alpha, when it was never decided", () => {
    const trials = pairsOf([1.09, 0.99, 1.08, 1.0, 1.1, 0.98, 1.02, 0.97]);
    const looks = createStopping({ ...OPTIONS, pairsMax: 8 }).looks(trials, "on");
    expect(looks?.map(({ pairs }) => pairs)).toEqual([6, 7, 8]);
    expect(looks?.at(-1)?.level).toBeCloseTo(0.04, 12);
    expect(looks?.at(-1)?.pValue).toBeGreaterThan(0.05);
  });

  it("tells only of looks at pairs that have been run without a gap", () => {
    const trials = pairsOf(around(1.0, 0.2, 9)).filter(({ pair }) => pair !== 7);
    expect(
      createStopping(OPTIONS)
        .looks(trials, "on")
        ?.map(({ pairs }) => pairs),
    ).toEqual([6, 7]);
  });

  it("comes to the same whatever the order of the trials", () => {
    const trials = pairsOf([1.2, 1.1, 1.15, 1.05, 1.2, 0.99, 1.3, 1.25]);
    const stopping = createStopping(OPTIONS);
    expect(stopping.decide(trials.toReversed(), 8)).toEqual(stopping.decide(trials, 8));
    expect(stopping.looks(trials.toReversed(), "on")).toEqual(stopping.looks(trials, "on"));
  });

  it("rejects equal arms at all looks together in at most alpha of all ways to label them", () => {
    const ratios = [1.31, 1.07, 1.19, 1.02, 1.4, 1.11, 1.23, 1.16];
    const options = { ...OPTIONS, pairsMax: 8 };
    let different = 0;
    for (let bits = 0; bits < 256; bits += 1) {
      const trials = pairsOf(ratios.map((ratio, pair) => ((bits >> pair) & 1 ? 1 / ratio : ratio)));
      const look = createStopping(options).looks(trials, "on")?.at(-1);
      if (look !== undefined && look.pValue <= look.level) different += 1;
    }
    expect(different).toBeGreaterThan(0);
    expect(different / 256).toBeLessThanOrEqual(0.05);
  });

  it.each([
    [{ arms: ["off"] }],
    [{ pairsMax: 0 }],
    [{ pairsMax: 7.5 }],
    [{ alpha: 0 }],
    [{ alpha: 1 }],
    [{ smallestEffect: 0 }],
    [{ smallestEffect: Number.NaN }],
  ])("refuses %j", (change) => {
    expect(() => createStopping({ ...OPTIONS, ...change })).toThrow(RangeError);
  });
});
