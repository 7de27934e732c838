import { describe, expect, it } from "vitest";
import { hasHeld } from "../../src/engine/governed-hold.ts";
import type { GovernedWindowRow } from "../../src/result/governor-schema.ts";

const RULE = { holdWindows: 3, holdBand: 0.15, ceiling: 1000, high: 0.05 };

type Decided = GovernedWindowRow["decision"];

/** Windows of these offers, and what was decided in each: held unless said. */
function windows(...rows: readonly (number | readonly [offer: number, decision: Decided])[]): GovernedWindowRow[] {
  return rows.map((row, index) => {
    const [offer, decision] = typeof row === "number" ? ([row, "hold"] as const) : row;
    const counts = { calls: 1, sent: 1, successes: 1, failures: 0, ok: 1 };
    return {
      fromSeconds: index,
      toSeconds: index + 1,
      offer,
      ...counts,
      decision,
      lastBad: null,
      p50Ms: null,
      p99Ms: null,
    };
  });
}

describe("hasHeld()", () => {
  it("takes an offer for held that a share of failures which is bearable keeps where it is, without a cut", () => {
    const failing = (failures: number) =>
      windows([2, "up"], [4, "up"], 8, 8, 8).map((row) => ({ ...row, successes: 100 - failures, failures }));
    expect(hasHeld(failing(3), RULE)).toBe(true);
    expect(hasHeld(failing(0), RULE)).toBe(false);
    expect(hasHeld(failing(90), RULE)).toBe(false);
  });

  it.each([
    ["so many windows within the band after a cut", windows([640, "down"], 400, 410, 410), true],
    [
      "windows that are still being raised within the band",
      windows([640, "down"], [400, "up"], [408, "up"], [416, "up"]),
      true,
    ],
    ["a cut among the last windows themselves", windows([110, "down"], 100, 100), true],
    ["as many as it takes at the ceiling, which needs no cut", windows([500, "up"], 1000, 1000, 1000), true],
    ["the band to its very edge", windows([300, "down"], 100, 115, 100), true],
    ["few calls a probing step of one apart, which is wider than the band", windows([7, "down"], 5, 6, 5), true],
    ["few calls further apart than one step", windows([7, "down"], 4.9, 6, 5), false],
    ["a band that is left", windows([300, "down"], 100, 115.1, 100), false],
    ["too few windows", windows([110, "down"], 100), false],
    ["an offer that has met neither failures nor its ceiling", windows(5, 5, 5, 5), false],
    ["a window without attempts, which is no evidence", windows([640, "down"], 400, [400, "none"], 400), false],
    ["no windows", windows(), false],
  ])("%s", (_, rows, held) => {
    expect(hasHeld(rows, RULE)).toBe(held);
  });
});
