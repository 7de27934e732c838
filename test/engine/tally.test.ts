import { describe, expect, it } from "vitest";
import { Call } from "../../src/engine/call.ts";
import { LatencyHistogram } from "../../src/engine/histogram.ts";
import { Tally } from "../../src/engine/tally.ts";

describe("Tally", () => {
  it("keeps 64 codes of errors apart and counts further ones as other, so that texts in them cannot fill the memory", () => {
    const tally = new Tally(() => new LatencyHistogram());
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 100; i += 1) {
        tally.attemptEnded(Object.assign(new Call(), { fault: "other", errorCode: `E${i}` }), "failed", 1);
      }
    }
    expect(tally.errors.size).toBe(65);
    expect(tally.errors.get("E63")).toBe(2);
    expect(tally.errors.get("other")).toBe(72);
  });

  it("data() is a copy: what is recorded afterwards is not in it", () => {
    const tally = new Tally(() => new LatencyHistogram());
    const before = tally.data();
    const call = Object.assign(new Call(), { status: 200, startedSeconds: 0 });
    tally.arrived(0.5, "startedLate");
    tally.handed();
    tally.attemptEnded(call, "accepted", 1);
    tally.callEnded(call, "ok", 1);
    expect(before).toEqual(new Tally(() => new LatencyHistogram()).data());
    expect(tally.data()).toMatchObject({ planned: 1, sent: 1, lateStarted: 1, statuses: new Map([[200, 1]]) });
  });
});
