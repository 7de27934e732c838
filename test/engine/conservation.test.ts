import { describe, expect, it } from "vitest";
import { ConservationError, checkConservation } from "../../src/engine/conservation.ts";
import type { Recorder } from "../../src/engine/recorder.ts";
import type { SeriesColumn } from "../../src/engine/series.ts";
import { runFake } from "../support/fake-world.ts";

/** Ten calls in each of two seconds of warm-up and one that counts. */
function finished(): Recorder {
  return runFake({ plan: { warmupSeconds: 2 }, fateOf: () => ({ status: 200, afterSeconds: 0.01 }) }).recorder;
}

function addToSeries(recorder: Recorder, column: SeriesColumn, second: number): void {
  const counts = recorder.series[column];
  counts[second] = (counts[second] as number) + 1;
}

describe("checkConservation()", () => {
  it("accepts a run in which everything adds up", () => {
    expect(() => checkConservation(finished())).not.toThrow();
  });

  it.each(["measured", "warmup"] as const)("refuses a call without an outcome, %s", (stretch) => {
    const recorder = finished();
    recorder[stretch].planned += 1;
    expect(() => checkConservation(recorder)).toThrow(ConservationError);
    const calls = stretch === "measured" ? "planned calls (11)" : "planned calls of the warm-up (21)";
    expect(() => checkConservation(recorder)).toThrow(`${calls} must equal the sum of the outcomes`);
  });

  it("refuses an attempt without a class", () => {
    const recorder = finished();
    recorder.measured.classes.accepted -= 1;
    expect(() => checkConservation(recorder)).toThrow(/attempts sent \(10\)/);
  });

  it("refuses a local reject that was no attempt", () => {
    const recorder = finished();
    recorder.measured.outcomes.ok -= 1;
    recorder.measured.outcomes.throttled += 1;
    expect(() => checkConservation(recorder)).toThrow(/attempts made \(10\) must equal sent \+ local rejects \(11\)/);
  });

  it("refuses a histogram with a value too many", () => {
    const recorder = finished();
    recorder.measured.response.ok?.record(0.1);
    expect(() => checkConservation(recorder)).toThrow(/response times of ok \(11\)/);
    const other = finished();
    other.measured.service.accepted?.record(0.1);
    expect(() => checkConservation(other)).toThrow(/service times of accepted \(11\) must be at most attempts \(10\)/);
  });

  it("refuses a planned call whose lateness is not known", () => {
    const recorder = finished();
    recorder.warmup.lateness.record(0);
    expect(() => checkConservation(recorder)).toThrow(
      /latenesses recorded of the warm-up \(21\) must equal planned calls \(20\)/,
    );
  });

  it("refuses a series that does not sum to its total", () => {
    const recorder = finished();
    addToSeries(recorder, "ok", 2);
    expect(() => checkConservation(recorder)).toThrow(/the series of ok \(11\)/);
  });

  it("refuses a series whose calls lie on the wrong side of the end of the warm-up", () => {
    const recorder = finished();
    addToSeries(recorder, "offered", 1);
    expect(() => checkConservation(recorder)).toThrow(/the series of offered of the warm-up \(21\)/);
  });

  it("refuses a series of what was sent in each second that does not sum to all attempts sent, wherever they count", () => {
    const recorder = finished();
    addToSeries(recorder, "sentInSecond", 0);
    expect(() => checkConservation(recorder)).toThrow(
      /the series of sentInSecond \(31\) must equal attempts sent \(30\)/,
    );
  });

  it("refuses a late call that is not in the series, and more drops for lateness than drops", () => {
    const recorder = finished();
    recorder.measured.lateStarted += 1;
    expect(() => checkConservation(recorder)).toThrow(/the series of late \(0\) must equal its total \(1\)/);
    const other = finished();
    other.measured.lateDropped += 1;
    expect(() => checkConservation(other)).toThrow(/late calls dropped \(1\) must be at most calls dropped \(0\)/);
  });

  it("refuses users whose calls are not the plan's", () => {
    const recorder = finished();
    recorder.userPlanned[0] = 9;
    expect(() => checkConservation(recorder)).toThrow(/calls by user \(9\)/);
  });
});
