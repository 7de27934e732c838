import { describe, expect, it } from "vitest";
import { governedRecord, governorOfRow, governorRow } from "../../src/engine/governed-record.ts";
import type { GovernorSpec } from "../../src/engine/trial-spec.ts";
import { type GovernedWindowRow, governedSchema } from "../../src/result/governor-schema.ts";

const SPEC: GovernorSpec = {
  control: "rate",
  high: 0.05,
  low: 0.01,
  floor: 1,
  ceiling: Number.POSITIVE_INFINITY,
  start: 1,
  windowSeconds: 2,
  holdWindows: 2,
  holdBand: 0.15,
};

function window(fromSeconds: number, toSeconds: number, change: Partial<GovernedWindowRow>): GovernedWindowRow {
  const counts = { calls: 0, sent: 0, successes: 0, failures: 0, ok: 0 };
  return {
    fromSeconds,
    toSeconds,
    offer: 1,
    ...counts,
    decision: "hold",
    lastBad: null,
    p50Ms: null,
    p99Ms: null,
    ...change,
  };
}

describe("governedRecord()", () => {
  it("takes its means over the last windows, each by its length", () => {
    const windows = [
      window(0, 2, { offer: 1000, ok: 1000, failures: 1000 }),
      window(2, 4, { offer: 100, successes: 190, failures: 10, ok: 180 }),
      window(4, 7, { offer: 110, successes: 290, failures: 10, ok: 270 }),
    ];
    const governed = governedRecord(SPEC, { ended: "held", windows, events: [] });
    expect(governed).toMatchObject({ offer: 106, goodput: 90, failedShare: 20 / 500, ended: "held" });
    expect(governedSchema.safeParse(governed).success).toBe(true);
  });

  it("leaves out of its means what lies before the offer came to rest", () => {
    const windows = [
      window(0, 2, { offer: 50, ok: 100, successes: 100 }),
      window(2, 4, { offer: 100, ok: 180, successes: 190, failures: 10 }),
    ];
    const governed = governedRecord(SPEC, { ended: "duration", windows, events: [] });
    expect(governed).toMatchObject({ offer: 100, goodput: 90, failedShare: 0.05 });
  });

  it("counts calls at once whole, and of two offers a call apart takes the one that was borne", () => {
    const windows = [
      window(0, 2, { offer: 6.3, successes: 1200, ok: 1200 }),
      window(2, 4, { offer: 7.3, successes: 1200, failures: 200, ok: 1200 }),
    ];
    const governed = governedRecord({ ...SPEC, control: "concurrency" }, { ended: "held", windows, events: [] });
    expect(governed).toMatchObject({ offer: 6, goodput: 600, failedShare: 0 });
  });

  it("knows no means before the first window, nor a share of no attempts", () => {
    expect(governedRecord(SPEC, undefined)).toMatchObject({
      ended: "interrupted",
      offer: null,
      goodput: null,
      failedShare: null,
      windows: [],
    });
    const silent = governedRecord(SPEC, {
      ended: "duration",
      windows: [window(0, 2, { decision: "none" })],
      events: [],
    });
    expect(silent).toMatchObject({ offer: 1, goodput: 0, failedShare: null });
  });

  it("says that there is no ceiling in a way that JSON can", () => {
    expect(governorRow(SPEC).ceiling).toBeNull();
    expect(governorOfRow(governorRow(SPEC))).toEqual(SPEC);
    const bounded = { ...SPEC, ceiling: 800 };
    expect(governorOfRow(governorRow(bounded))).toEqual(bounded);
  });
});
