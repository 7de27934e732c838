import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import { select } from "../../src/comparison/compare-results.ts";
import { withComparison } from "../../src/experiment/with-trials.ts";
import { metricOf } from "../../src/figures/metrics.ts";
import type { MetricComparison } from "../../src/result/comparison-schema.ts";
import { capacityCase } from "../support/governed-cases.ts";
import { recoveryCase } from "../support/recovery-cases.ts";
import { compared, cure } from "../support/trial-cases.ts";

function backAfter(baseline: string, arm: string): MetricComparison {
  const trials = recoveryCase().trials.filter((trial) => trial.arm === baseline || trial.arm === arm);
  const [contrast] = compareArms(trials, baseline, { metrics: [metricOf("recoverySeconds")] }).contrasts;
  return contrast!.metrics[0]!;
}

describe("the metric recoverySeconds", () => {
  it("is incomparable where a trial of either arm never came back: it may have taken any time", () => {
    for (const [baseline, arm] of [
      ["retries", "budget"],
      ["budget", "retries"],
      ["budget", "sre"],
    ] as const) {
      expect(backAfter(baseline, arm)).toMatchObject({ verdict: "incomparable", estimate: null, pValue: null });
    }
    expect(metricOf("recoverySeconds").figure(recoveryCase().trials[0]!)).toEqual({ value: 60, lowerBound: true });
  });

  it("is tested where all came back, some of them at once", () => {
    const trials = recoveryCase().trials.filter(({ arm, pair }) => arm !== "retries" && pair !== 4);
    const [contrast] = compareArms(trials, "budget", { metrics: [metricOf("recoverySeconds")] }).contrasts;
    expect(contrast?.metrics[0]).toMatchObject({ verdict: "worse", estimate: null });
  });

  it("takes no part, and costs nothing, where no trial had a trigger", () => {
    const metrics = compared(cure()).comparison!.contrasts.flatMap((contrast) => contrast.metrics);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.map(({ metric }) => metric)).not.toContain("recoverySeconds");
  });
});

describe("what is not compared by itself", () => {
  it("withComparison() leaves the arms of a recovery alone", () => {
    expect(withComparison(recoveryCase(), compareArms).comparison).toBeUndefined();
  });

  it("select() refuses a search for a capacity", () => {
    expect(() =>
      select([
        { name: "a", result: capacityCase() },
        { name: "b", result: capacityCase() },
      ]),
    ).toThrow("a is a search for a capacity");
  });
});
