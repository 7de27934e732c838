import { describe, expect, it } from "vitest";
import { closedFormOf, lawOfTrials } from "../../src/experiment/sweep-law.ts";
import { trialFixture } from "../support/trial-fixture.ts";

/** A target that was busy all the time: 4 ms for an accepted call and 1 ms for a rejected one, and 1 ms beside either. */
const TARGET = {
  accepted: 1_000,
  rejected: 2_500,
  abandoned: 0,
  cpuAcceptSeconds: 4,
  cpuRejectSeconds: 2.5,
  cpuTotalSeconds: 10,
  wallSeconds: 10,
  busySeconds: 10,
  queueMax: 50,
  settings: { mode: "shed", acceptMs: 4, rejectMs: 1, queue: 50, status: 503, fifoQueue: 0 },
};

function counted(facts: Parameters<typeof trialFixture>[0] = {}) {
  return trialFixture({
    calls: { ok: 1_000 },
    attempts: { accepted: 1_000, overloaded: 2_500 },
    target: TARGET,
    ...facts,
  });
}

describe("lawOfTrials()", () => {
  it("reads the capacity and the cost of a rejection off the target's counters", () => {
    const law = lawOfTrials([counted(), counted({ pair: 1 })]);
    expect(law?.capacity).toBeCloseTo(1000 / 5, 6);
    expect(law?.rejectCost).toBeCloseTo(2 / 5, 6);
    expect(law?.source).toContain("the median of 2 trials");
    expect(closedFormOf(law)).toEqual(law);
  });

  it("tells nothing of virtual trials, of those cut short, or of a target without counters that was not overloaded", () => {
    expect(lawOfTrials([counted({ world: "virtual" }), counted({ interrupted: true })])).toBeUndefined();
    expect(lawOfTrials([trialFixture()])).toBeUndefined();
    expect(closedFormOf(undefined)).toBeUndefined();
  });

  it("has no closed form where only clients saw the backend: what a rejection takes cannot be seen from there", () => {
    expect(closedFormOf({ capacity: 100, rejectCost: undefined, source: "" })).toBeUndefined();
  });
});
