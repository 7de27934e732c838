import { describe, expect, it } from "vitest";
import { withSearch } from "../../src/experiment/found-capacity.ts";
import { multipleWords } from "../../src/report/capacity-load-text.ts";
import { renderResult } from "../../src/report/result-text.ts";
import type { Result } from "../../src/result/schema.ts";
import { governedFixture, governedTrial } from "../support/governed-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const SEARCH = governedTrial(governedFixture({ capacity: () => 197, windows: 30 }));

/** At this rate. */
function loaded(rps: number, trials = [trialFixture({ arm: "on" })]): Result {
  const result = withSearch(resultFixture(trials, { command: "run" }), [SEARCH]);
  return { ...result, plan: { ...result.plan, rps, rate: `${rps}/s` } };
}

describe("multipleWords()", () => {
  it("says what the load is a multiple of, and how that was found", () => {
    const result = loaded(394);
    expect(multipleWords(result, 394)).toBe(", 2 x the capacity of 197/s (found first, at most 5.0 % failed)");
    expect(multipleWords(result, 177.3)).toContain(", 0.9 x the capacity");
    expect(multipleWords(result, undefined)).toBe(", the capacity of 197/s (found first, at most 5.0 % failed)");
  });

  it("says nothing where no capacity was found first", () => {
    expect(multipleWords(resultFixture([]), 5)).toBe("");
    const { capacity, capacityTrials: _, ...rest } = loaded(5);
    expect(multipleWords({ ...rest, ...(capacity === undefined ? {} : { capacity }) }, 5)).toBe("");
  });
});

describe("renderResult()", () => {
  it("tells the multiple with the load", () => {
    expect(renderResult(loaded(394)).replaceAll("\n", " ")).toContain("at 394/s, 2 x the capacity of 197/s (found");
  });

  it("is the search alone where the load was never sent, whatever the command", () => {
    for (const command of ["run", "ab", "sweep", "recovery"] as const) {
      const result = { ...loaded(0, []), command };
      const text = renderResult({ ...result, plan: { ...result.plan, rate: "2x-capacity" } });
      expect(text.replaceAll("\n", " ")).toMatch(/^PARTIAL: the load itself, 2x-capacity, was not sent: /u);
      expect(text).toContain("197");
      expect(text).toContain("constant arrivals");
    }
  });
});
