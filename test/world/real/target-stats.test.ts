import { describe, expect, it } from "vitest";
import { statsBetween, type TargetReading } from "../../../src/world/real/target-stats.ts";

const BEFORE: TargetReading = {
  accepted: 1,
  rejected: 2,
  abandoned: 3,
  queue: 0,
  queueMax: 9,
  inFlight: 0,
  script: null,
  cpuAcceptSeconds: 1,
  cpuRejectSeconds: 2,
  cpuTotalSeconds: 4,
  askedSeconds: 2.5,
  busySeconds: 3.5,
  uptimeSeconds: 100,
};

describe("statsBetween()", () => {
  it("gives what was counted between two readings, and the settings that say how the target serves", () => {
    const after: TargetReading = {
      ...BEFORE,
      accepted: 11,
      askedSeconds: 5,
      busySeconds: 8,
      uptimeSeconds: 110,
      queueMax: 7,
      options: { mode: "shed", acceptMs: 5, retryAfter: null, host: "127.0.0.1", port: 1, script: "x", deep: { a: 1 } },
    };
    expect(statsBetween(BEFORE, after)).toEqual({
      accepted: 10,
      rejected: 0,
      abandoned: 0,
      cpuAcceptSeconds: 0,
      cpuRejectSeconds: 0,
      cpuTotalSeconds: 0,
      wallSeconds: 10,
      askedSeconds: 2.5,
      busySeconds: 4.5,
      queueMax: 7,
      settings: { mode: "shed", acceptMs: 5, retryAfter: null },
    });
  });

  it("leaves out what a target of an earlier version does not tell", () => {
    const { askedSeconds: _asked, busySeconds: _busy, ...older } = BEFORE;
    const stats = statsBetween(older, { ...older, uptimeSeconds: 101 });
    expect(stats).not.toHaveProperty("busySeconds");
    expect(stats).not.toHaveProperty("settings");
  });

  it("gives nothing of a target that was started anew", () => {
    expect(statsBetween(BEFORE, { ...BEFORE, uptimeSeconds: 1 })).toBeUndefined();
  });
});
