import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import { judge, parseTolerance } from "../../src/comparison/tolerance.ts";
import { METRICS, metricOf } from "../../src/figures/metrics.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { latencyFixture, trialFixture } from "../support/trial-fixture.ts";

/** Pairs in which the new arm has these goodputs, where the old one has 1,000/s. */
function against(...goodputs: readonly number[]): TrialResult[] {
  return goodputs.flatMap((goodput, pair) => [
    trialFixture({ arm: "old", pair, calls: { ok: 10_000, failed: 10_000 } }),
    trialFixture({ arm: "new", pair, calls: { ok: goodput * 10, failed: 20_000 - goodput * 10 } }),
  ]);
}

function regressionsOf(trials: readonly TrialResult[], tolerance: string): string[] {
  const allowances = parseTolerance(tolerance);
  return judge(compareArms(trials, "old"), allowances).regressions.map(({ metric }) => metric);
}

describe("parseTolerance()", () => {
  it("takes one for all metrics, and others by name", () => {
    const all = parseTolerance("5%,waste=2.5%");
    expect(all.map(({ metric }) => metric)).toEqual(METRICS.map(({ key }) => key));
    expect(all.find(({ metric }) => metric === "goodput")).toEqual({
      metric: "goodput",
      tolerance: 0.05,
      isNamed: false,
    });
    expect(all.find(({ metric }) => metric === "waste")).toEqual({ metric: "waste", tolerance: 0.025, isNamed: true });
    expect(parseTolerance("goodput=0%")).toEqual([{ metric: "goodput", tolerance: 0, isNamed: true }]);
    expect(parseTolerance("5%", [metricOf("sent")]).map(({ metric }) => metric)).toEqual(["sent"]);
  });

  it.each(["", "5", "0.05", "goodput", "goodput=", "goodput=5", "-5%", "100%", "waste=1%=2%"])(
    "refuses '%s'",
    (text) => {
      expect(() => parseTolerance(text)).toThrow(/^must be in percent, below 100%, .*: current value is "/u);
    },
  );

  it("refuses a metric that there is not", () => {
    expect(() => parseTolerance("speed=5%")).toThrow(
      /^must be a metric, one of goodput, .*: current value is "speed"$/u,
    );
  });
});

describe("judge()", () => {
  it("below five pairs wants every pair beyond the tolerance", () => {
    expect(regressionsOf(against(900, 940, 930), "goodput=5%")).toEqual(["goodput"]);
    expect(regressionsOf(against(900, 960, 930), "goodput=5%")).toEqual([]);
  });

  it("once the pairs can decide wants the verdict to be worse, and the estimate beyond the tolerance", () => {
    const clear = against(900, 940, 960, 920, 930, 925);
    expect(regressionsOf(clear, "goodput=5%")).toEqual(["goodput"]);
    expect(regressionsOf(clear, "goodput=10%")).toEqual([]);
    expect(regressionsOf(against(600, 1_300, 900, 700, 1_100, 800), "goodput=5%")).toEqual([]);
  });

  it("says how many pairs could tell a regression from noise where there are fewer", () => {
    const { regressions, undecidable } = judge(
      compareArms(against(900, 940, 930), "old"),
      parseTolerance("goodput=5%"),
    );
    expect(regressions).toHaveLength(1);
    expect(undecidable).toEqual([{ arm: "new", baseline: "old", metrics: ["goodput"], pairs: 3, needed: 6 }]);
    const enough = judge(compareArms(against(900, 940, 930, 920, 910, 925), "old"), parseTolerance("goodput=5%"));
    expect(enough.undecidable).toEqual([]);
  });

  it("takes an arm that is far better in all pairs but one, where it serves nothing, for no regression", () => {
    const mixed = [...Array.from({ length: 14 }, (_, pair) => 1_500 + pair), 0];
    expect(regressionsOf(against(...mixed), "goodput=5%")).toEqual([]);
    expect(regressionsOf(against(...mixed.map((one) => (one === 0 ? 0 : one - 800))), "goodput=5%")).toEqual([
      "goodput",
    ]);
  });

  it("takes no improvement for a regression, in either direction", () => {
    const better = against(1_100, 1_110, 1_090, 1_105, 1_095, 1_100);
    expect(regressionsOf(better, "0%")).toEqual(["amplification", "sent"]);
  });

  it("tells the figures", () => {
    const { regressions } = judge(compareArms(against(900, 940), "old"), parseTolerance("goodput=3%,okShare=2%"));
    expect(regressions.map(({ message }) => message)).toEqual([
      "goodput of new against old: 0.920x (all pairs 0.900 to 0.940x, 2 pairs), worse than the 3 % that it may be",
      "share of calls ok of new against old: -4.00 pp (all pairs -5.00 to -3.00 pp, 2 pairs), worse than the 2 pp that it may be",
    ]);
    expect(regressions[0]).toMatchObject({
      arm: "new",
      baseline: "old",
      metric: "goodput",
      tolerance: 0.03,
      pairs: 2,
      low: 0.9,
    });
  });

  it("takes an arm that serves nothing for a regression", () => {
    expect(regressionsOf(against(0, 0, 0, 0, 0, 0), "goodput=5%")).toEqual(["goodput"]);
  });

  it("says which metrics it could not judge: those named, or without an effect", () => {
    const slow = { ok: latencyFixture(10_000, 900, 1000, 1000, 500) };
    const trials = [trialFixture({ arm: "old" }), trialFixture({ arm: "new", response: slow })];
    const unjudged = (tolerance: string): string[] =>
      judge(compareArms(trials, "old"), parseTolerance(tolerance)).unjudged.map(({ metric }) => metric);
    expect(unjudged("5%")).toEqual(["responseOkP99Ms", "responseOkP999Ms"]);
    expect(unjudged("cpuRejectRatio=5%")).toEqual(["cpuRejectRatio"]);
  });
});
