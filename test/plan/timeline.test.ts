import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScript } from "../../src/plan/script.ts";
import { type BackendState, Timeline } from "../../src/plan/timeline.ts";

const USUAL: BackendState = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };
const SCRIPT = parseScript("2s..5s:capacity=0.25,4s..6s:latency=100ms,5s..:outage@2,1s..3s:retryAfter=7s@1");

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

  it("says the same in whichever order it is asked", () => {
    const time = fc.double({ min: -1, max: 8, noNaN: true });
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 30 }), fc.nat({ max: 2 }), (times, backend) => {
        const asked = new Timeline(SCRIPT, backend);
        for (const seconds of times) expect(asked.at(seconds)).toEqual(new Timeline(SCRIPT, backend).at(seconds));
      }),
    );
  });
});
