import { describe, expect, it } from "vitest";
import { abortReasons } from "../../../src/engine/validity/abort-reasons.ts";
import type { ValidityFacts } from "../../../src/engine/validity/facts.ts";
import { governorReasons } from "../../../src/engine/validity/governor-reasons.ts";
import type { Governed, GovernedWindowRow } from "../../../src/result/governor-schema.ts";

const GOVERNED: Omit<Governed, "windows"> = {
  control: "rate",
  high: 0.05,
  low: 0.01,
  floor: 1,
  ceiling: null,
  start: 1,
  windowSeconds: 2,
  holdWindows: 3,
  holdBand: 0.15,
  ended: "duration",
  offer: null,
  goodput: null,
  failedShare: null,
  events: [],
};

function windows(
  rows: readonly (readonly [offer: number, decision: GovernedWindowRow["decision"]])[],
): Governed["windows"] {
  const counts = { calls: 1, sent: 1, successes: 1, failures: 0, ok: 1 };
  return rows.map(([offer, decision], index) => ({
    fromSeconds: index,
    toSeconds: index + 1,
    offer,
    ...counts,
    decision,
    lastBad: null,
    p50Ms: null,
    p99Ms: null,
  }));
}

function reasonsFor(change: Partial<Governed>): ReturnType<typeof governorReasons> {
  const governor: Governed = { ...GOVERNED, windows: [], ...change };
  return governorReasons({ governor, durationSeconds: 60 } as ValidityFacts);
}

describe("governorReasons()", () => {
  it.each(["held", "interrupted", "aborted"] as const)("have nothing to add to a trial that ended %s", (ended) => {
    expect(reasonsFor({ ended })).toEqual([]);
  });

  it("have nothing to say of a trial without a governor", () => {
    expect(governorReasons({ durationSeconds: 60 } as ValidityFacts)).toEqual([]);
  });

  it.each([
    [
      "windows that were too few",
      windows([
        [1, "up"],
        [2, "up"],
      ]),
      /of the last 3 windows only 2 had attempts/,
      2,
      3,
    ],
    [
      "windows without attempts",
      windows([
        [4, "down"],
        [1, "none"],
        [1, "none"],
        [1, "up"],
      ]),
      /of the last 3 windows only 1 had attempts/,
      1,
      3,
    ],
    [
      "an offer that moves",
      windows([
        [640, "down"],
        [400, "up"],
        [480, "down"],
        [400, "up"],
      ]),
      /over the last 3 windows it moved by 20 %/,
      0.2,
      0.15,
    ],
    [
      "an offer that nothing has cut",
      windows([
        [9, "hold"],
        [9, "hold"],
        [9, "hold"],
      ]),
      /no failures had cut it/,
      9,
      9,
    ],
  ])("doubt %s", (_, rows, message, figure, limit) => {
    const [reason, ...others] = reasonsFor({ windows: rows });
    expect(others).toEqual([]);
    expect(reason).toMatchObject({ code: "capacity-not-held", severity: "suspect", limit });
    expect(reason?.message).toMatch(message);
    expect(reason?.figure).toBeCloseTo(figure, 9);
    expect(reason?.hint).not.toBe("");
  });
});

describe("abortReasons()", () => {
  it("say what ended a trial, of which nothing can be trusted then", () => {
    expect(
      abortReasons({ aborted: { atSeconds: 12.04, text: "errors>50%:10s: all of them" } } as ValidityFacts),
    ).toEqual([
      expect.objectContaining({
        code: "aborted",
        severity: "invalid",
        figure: 12.04,
        message: "Ended by --abort-on after 12 s (errors>50%:10s: all of them)",
      }),
    ]);
    expect(abortReasons({} as ValidityFacts)).toEqual([]);
  });
});
