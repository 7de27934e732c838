import { describe, expect, it } from "vitest";
import { ConservationError, checkConservation } from "../../src/engine/conservation.ts";
import { runFake } from "../support/fake-world.ts";

describe("checkConservation()", () => {
  const finished = () => runFake({ fateOf: () => ({ status: 200, afterSeconds: 0.01 }) }).recorder;

  it("accepts a run in which everything adds up", () => {
    expect(() => checkConservation(finished())).not.toThrow();
  });

  it("refuses a call without an outcome", () => {
    const recorder = finished();
    recorder.planned += 1;
    expect(() => checkConservation(recorder)).toThrow(ConservationError);
    expect(() => checkConservation(recorder)).toThrow(/planned calls \(11\) must equal the sum of the outcomes \(10\)/);
  });

  it("refuses an attempt without a class", () => {
    const recorder = finished();
    recorder.classes.accepted -= 1;
    expect(() => checkConservation(recorder)).toThrow(/attempts sent \(10\)/);
  });

  it("refuses a local reject that was no attempt", () => {
    const recorder = finished();
    recorder.outcomes.ok -= 1;
    recorder.outcomes.throttled += 1;
    expect(() => checkConservation(recorder)).toThrow(/attempts made \(10\) must equal sent \+ local rejects \(11\)/);
  });

  it("refuses a histogram that lacks a value", () => {
    const recorder = finished();
    recorder.response.ok?.record(0.1);
    expect(() => checkConservation(recorder)).toThrow(/response times of ok \(11\)/);
  });

  it("refuses a series that does not sum to its total", () => {
    const recorder = finished();
    recorder.series.add("ok", 0.5);
    expect(() => checkConservation(recorder)).toThrow(/the series of ok \(11\)/);
  });

  it("refuses users whose calls are not the plan's", () => {
    const recorder = finished();
    recorder.userPlanned[0] = 9;
    expect(() => checkConservation(recorder)).toThrow(/calls by user \(9\)/);
  });
});
