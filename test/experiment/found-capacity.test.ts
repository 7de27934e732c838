import { describe, expect, it } from "vitest";
import { completeTrials } from "../../src/comparison/arms.ts";
import { capacityOf, whyNotFound, withSearch } from "../../src/experiment/found-capacity.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { governedFixture, governedTrial } from "../support/governed-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const TRIAL = governedTrial(governedFixture({ capacity: () => 400, windows: 30 }));

function searched(change: Partial<TrialResult> = {}): Result {
  return withSearch(resultFixture([]), [{ ...TRIAL, ...change }]);
}

function why({ capacity, capacityTrials = [] }: Result): string | undefined {
  return whyNotFound(capacity, capacityTrials);
}

describe("withSearch()", () => {
  it("keeps the search beside the trials, with the capacity that follows from it", () => {
    const { trials, capacityTrials, capacity } = searched();
    expect(trials).toEqual([]);
    expect(capacityTrials).toHaveLength(1);
    expect(capacity).toMatchObject({ held: true, saturated: false });
    expect((capacity?.goodput ?? 0) / 400).toBeCloseTo(1, 1);
  });

  it("has no capacity where no window came to its end", () => {
    const governor = { ...governedFixture({ capacity: () => 400, windows: 1 }), windows: [] };
    const result = searched({ governor });
    expect(result).not.toHaveProperty("capacity");
    expect(why(result)).toBe("not a single window of the governor came to its end");
  });
});

describe("whyNotFound()", () => {
  it("has nothing against a search that came to rest", () => {
    expect(why(searched())).toBeUndefined();
  });

  it.each<readonly [string, Partial<TrialResult>, RegExp]>([
    [
      "given up",
      { aborted: { atSeconds: 3, text: "p99>2s:5s" }, interrupted: true },
      /^the search was given up \(p99>2s:5s\)$/u,
    ],
    ["interrupted", { interrupted: true }, /^the search was interrupted$/u],
    [
      "invalid",
      {
        validity: {
          verdict: "invalid",
          reasons: [{ code: "lateness", severity: "invalid", message: "", figure: 0, limit: 0, hint: "" }],
        },
      },
      /^the trial that looked for it is invalid \(lateness\)$/u,
    ],
    [
      "restless",
      { governor: governedFixture({ capacity: () => 400, windows: 12, ended: "duration" }) },
      /did not come to rest in time$/u,
    ],
    [
      "saturated",
      { governor: governedFixture({ capacity: () => 0.3, windows: 20, ended: "duration" }) },
      /of the attempts failed at .*, and 5\.0 % is the most that was said to be bearable$/u,
    ],
  ])("says why of one that was %s", (_what, change, text) => {
    expect(why(searched(change))).toMatch(text);
  });
});

describe("capacityOf()", () => {
  it("is what an experiment can be continued with, or repeated", () => {
    const result = searched();
    expect(capacityOf(result)).toEqual({ capacity: result.capacity, trials: result.capacityTrials });
  });

  it("is nothing of a result without a search, of one that found nothing, and of one of capacity itself", () => {
    const { capacity, capacityTrials } = searched();
    if (capacity === undefined || capacityTrials === undefined) throw new Error("no search");
    expect(capacityOf(resultFixture([]))).toBeUndefined();
    expect(capacityOf(searched({ interrupted: true }))).toBeUndefined();
    expect(capacityOf(resultFixture(capacityTrials, { command: "capacity", capacity }))).toBeUndefined();
  });
});

describe("completeTrials()", () => {
  it("leaves out what was cut short, and keeps the order", () => {
    const trials = [0, 1, 2].map((pair) => trialFixture({ pair, interrupted: pair === 1 }));
    expect(completeTrials(trials).map(({ pair }) => pair)).toEqual([0, 2]);
  });
});
