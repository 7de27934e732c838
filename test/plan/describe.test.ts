import { describe, expect, it } from "vitest";
import { describeArrival, describeRate, meanRps, peakRps } from "../../src/plan/describe.ts";
import type { ArrivalSpec, RateSpec } from "../../src/plan/load.ts";
import { parseSine, parseStages } from "../../src/plan/load-text.ts";
import type { PlanSpec } from "../../src/plan/plan.ts";
import { bursty, constant, poisson, replay } from "./specs.ts";

function plan(arrival: ArrivalSpec, change: Partial<PlanSpec> = {}): PlanSpec {
  return { seed: 1, arrival, warmupSeconds: 0, durationSeconds: 30, users: 10, ...change };
}

function along(rate: RateSpec): ArrivalSpec {
  return { law: "poisson", rate };
}

const STAGES = "10s@500,20s@500..2000,5s@8000,1m30s@0,250ms@99.9";
const SINE = "500..1500,period=1m";
const RECORDED = replay([0, 0.5, 1.25, 1.5, 2, 2.125, 2.25, 9]);

describe("describeArrival", () => {
  it.each<[ArrivalSpec, string]>([
    [constant(1), "constant"],
    [poisson(1), "poisson"],
    [bursty(1), "bursty,peak=5,share=0.1,burst=500ms"],
    [RECORDED, "replay"],
  ])("describeArrival(%j) is %s", (arrival, text) => {
    expect(describeArrival(arrival)).toBe(text);
  });
});

describe("describeRate", () => {
  it("describeRate() writes each rate as the flags do", () => {
    expect(describeRate(plan(constant(99.9)))).toBe("99.9/s");
    expect(describeRate(plan(bursty(400)))).toBe("400/s");
    expect(describeRate(plan(along({ kind: "stages", stages: parseStages(STAGES) })))).toBe(STAGES);
    expect(describeRate(plan(along({ kind: "sine", ...parseSine(SINE) })))).toBe(SINE);
  });

  it("describeRate() of a replay is its mean over the measured window", () => {
    expect(describeRate(plan(RECORDED, { warmupSeconds: 1, durationSeconds: 3 }))).toBe("1.667/s");
  });
});

describe("meanRps", () => {
  it("meanRps() is over the measured window alone", () => {
    const stages = parseStages("10s@100,10s@100..300");
    expect(meanRps(plan(poisson(99.9), { warmupSeconds: 7 }))).toBe(99.9);
    expect(meanRps(plan(along({ kind: "stages", stages }), { warmupSeconds: 7, durationSeconds: 20 }))).toBe(150);
    expect(meanRps(plan(along({ kind: "sine", ...parseSine("0..500,period=3s") })))).toBe(250);
    expect(meanRps(plan(bursty(400)))).toBe(400);
    expect(meanRps(plan(RECORDED, { warmupSeconds: 1, durationSeconds: 4 }))).toBe(5 / 4);
  });
});

describe("peakRps", () => {
  it("peakRps() is the highest rate, in bursts too", () => {
    const stages = parseStages("10s@100,10s@100..300,5s@50");
    expect(peakRps(plan(poisson(99.9)))).toBe(99.9);
    expect(peakRps(plan(along({ kind: "stages", stages })))).toBe(300);
    expect(peakRps(plan(along({ kind: "sine", ...parseSine("0..500,period=3s") })))).toBe(500);
    expect(peakRps(plan({ ...bursty(1), rate: { kind: "stages", stages } }))).toBe(1_500);
  });

  it("peakRps() of a replay is the most arrivals in any window of a second before the end", () => {
    // 1.25, 1.5, 2, 2.125; then 2.25 is a whole second after 1.25.
    expect(peakRps(plan(RECORDED))).toBe(4);
    expect(peakRps(plan(RECORDED, { durationSeconds: 2.05 }))).toBe(3);
  });
});
