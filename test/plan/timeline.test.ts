import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScript } from "../../src/plan/script.ts";
import { type BackendState, Timeline } from "../../src/plan/timeline.ts";

const USUAL: BackendState = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };
const SCRIPT = parseScript("2s..5s:capacity=0.25,4s..6s:latency=100ms,5s..:outage@2,1s..3s:retryAfter=7s@1");
const RAMPED = parseScript("1s..3s:capacity=0.25..1,3s..4s:capacity=2,5s..6s:capacity=2..0.5,2s..7s:latency=10ms");

describe("Timeline", () => {
  it("is as usual before its script begins, in the warm-up, and without a script", () => {
    for (const seconds of [-10, 0, 0.999]) expect(new Timeline(SCRIPT).at(seconds)).toEqual(USUAL);
    expect(new Timeline([]).at(5)).toEqual(USUAL);
    expect(new Timeline([]).times).toEqual([]);
  });

  it("changes at the beginning of a change, and back at its end", () => {
    const first = new Timeline(SCRIPT, 0);
    expect(first.times).toEqual([1, 2, 3, 4, 5, 6]);
    expect([1, 1.99, 2, 2.99, 3, 4, 4.99, 5, 5.99, 6, 1e9].map((seconds) => first.at(seconds))).toEqual([
      { ...USUAL, retryAfterSeconds: 7 },
      { ...USUAL, retryAfterSeconds: 7 },
      { ...USUAL, retryAfterSeconds: 7, capacityFactor: 0.25 },
      { ...USUAL, retryAfterSeconds: 7, capacityFactor: 0.25 },
      { ...USUAL, capacityFactor: 0.25 },
      { ...USUAL, capacityFactor: 0.25, addedSeconds: 0.1 },
      { ...USUAL, capacityFactor: 0.25, addedSeconds: 0.1 },
      { ...USUAL, addedSeconds: 0.1 },
      { ...USUAL, addedSeconds: 0.1 },
      USUAL,
      USUAL,
    ]);
  });

  it("tells each backend its own", () => {
    expect(new Timeline(SCRIPT, 1).at(7)).toEqual({ ...USUAL, capacityFactor: 0 });
    expect(new Timeline(SCRIPT, 0).at(7)).toEqual(USUAL);
  });

  it("goes steadily from one capacity to the other in a ramp, and keeps to it while something else changes", () => {
    const ramp = new Timeline(
      parseScript("2s..6s:capacity=0.5..2.5,3s..4s:latency=100ms,6s..7s:outage,7s..9s:capacity=1..0.25"),
    );
    expect(ramp.times).toEqual([2, 3, 4, 6, 7, 9]);
    expect([1.5, 2, 2.5, 3, 5, 6, 7, 8, 9].map((seconds) => ramp.at(seconds).capacityFactor)).toEqual([
      1, 0.5, 0.75, 1, 2, 0, 1, 0.625, 1,
    ]);
    expect(ramp.at(3.5)).toEqual({ ...USUAL, capacityFactor: 1.25, addedSeconds: 0.1 });
    expect([1, 5, 6].map((seconds) => ramp.rampAt(seconds))).toEqual([
      undefined,
      { fromSeconds: 2, toSeconds: 6, factor: 0.5, toFactor: 2.5 },
      undefined,
    ]);
  });

  it.each([{}, { toSeconds: 2, factor: 0 }, { toSeconds: 2, toFactor: 0 }])(
    "refuses a ramp that is without an end or down to nothing: %o",
    (wrong) => {
      const ramp = { kind: "capacity", fromSeconds: 1, factor: 0.5, toFactor: 1, ...wrong } as const;
      expect(() => new Timeline([ramp])).toThrow(RangeError);
    },
  );

  it("counts the outages that are over, those of its own backend, in whichever order it is asked", () => {
    const script = parseScript("1s..2s:outage,3s..4s:outage@1,3s..5s:outage@2,6s..7s:capacity=0.5,8s..:outage");
    const counts = (backend: number) => {
      const timeline = new Timeline(script, backend);
      return [9, -1, 1.5, 2, 3.5, 4, 4.5, 5, 1e9, 0].map((seconds) => timeline.outagesOver(seconds));
    };
    expect(counts(0)).toEqual([2, 0, 0, 1, 1, 2, 2, 2, 2, 0]);
    expect(counts(1)).toEqual([2, 0, 0, 1, 1, 1, 1, 2, 2, 0]);
  });

  it("says the same in whichever order it is asked", () => {
    const time = fc.double({ min: -1, max: 8, noNaN: true });
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 30 }), fc.nat({ max: 2 }), (times, backend) => {
        for (const script of [SCRIPT, RAMPED]) {
          const asked = new Timeline(script, backend);
          for (const seconds of times) expect(asked.at(seconds)).toEqual(new Timeline(script, backend).at(seconds));
        }
      }),
    );
  });
});
