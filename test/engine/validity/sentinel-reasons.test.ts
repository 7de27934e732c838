import { describe, expect, it } from "vitest";
import { noSentinel, sentinelReasons } from "../../../src/engine/validity/sentinel-reasons.ts";
import { latencyFixture } from "../../support/trial-fixture.ts";

function sentinel(planned: number, ok: number, p90Ms: number) {
  // Of the worst worker: the p90 over all of them may be fine.
  return {
    rps: 10,
    planned,
    ok,
    response: { ...latencyFixture(ok, 1, 2 * p90Ms, 3 * p90Ms), p90Ms: 1 },
    worstP90Ms: p90Ms,
  };
}

describe("sentinelReasons()", () => {
  it.each([
    [9.9, []],
    [10.1, [{ code: "sentinel", severity: "suspect", figure: 10.1, limit: 10 }]],
    [50.1, [{ code: "sentinel", severity: "invalid", figure: 50.1, limit: 50 }]],
  ] as const)("says of a p90 of %d ms: %j", (p90Ms, reasons) => {
    expect(sentinelReasons(sentinel(100, 100, p90Ms))).toMatchObject(reasons);
    expect(sentinelReasons(sentinel(100, 100, p90Ms))).toHaveLength(reasons.length);
  });

  it("says nothing of fewer than ten answers, or of no sentinel", () => {
    expect(sentinelReasons(sentinel(9, 9, 1000))).toEqual([]);
    expect(sentinelReasons(undefined)).toEqual([]);
  });

  it("tells of probes that were not answered, however few", () => {
    expect(sentinelReasons(sentinel(5, 4, 1))).toMatchObject([
      { code: "sentinel-unanswered", severity: "suspect", figure: 1 },
    ]);
  });
});

describe("noSentinel()", () => {
  it("is a note when there never was one, and a doubt when it was lost on the way", () => {
    expect(noSentinel("could not be started", 0)).toMatchObject({ code: "no-sentinel", severity: "note" });
    expect(noSentinel("was gone", 3)).toMatchObject({ code: "no-sentinel", severity: "suspect", figure: 3 });
  });
});
