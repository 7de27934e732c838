import { describe, expect, it } from "vitest";
import { judge, type ValidityFacts, withReason } from "../../src/engine/validity.ts";

const GOOD: ValidityFacts = {
  world: "real",
  interrupted: false,
  durationSeconds: 30,
  calls: {
    planned: 1000,
    ok: 1000,
    throttled: 0,
    budget: 0,
    failed: 0,
    broken: 0,
    limited: 0,
    deadline: 0,
    dropped: 0,
    unfinished: 0,
  },
  attempts: {
    made: 1000,
    sent: 1000,
    accepted: 1000,
    overloaded: 0,
    failed: 0,
    clientFault: 0,
    staleConnection: 0,
    inFlight: 0,
  },
  errors: {},
  lateness: { p99Ms: 0.3, maxMs: 4 },
  handedAfterEnd: 0,
  maxInFlight: 100,
  stealRatio: 0,
  policyWindowSeconds: 10,
};

function verdictWith(change: Partial<ValidityFacts>): [string, string[]] {
  const { verdict, reasons } = judge({ ...GOOD, ...change });
  return [verdict, reasons.map((reason) => reason.code)];
}

describe("judge()", () => {
  it("finds nothing wrong with a clean run", () => {
    expect(judge(GOOD)).toEqual({ verdict: "valid", reasons: [] });
  });

  it.each<[string, Partial<ValidityFacts>, string, string]>([
    ["a late generator", { lateness: { p99Ms: 12, maxMs: 20 } }, "suspect", "lateness"],
    ["a generator far behind", { lateness: { p99Ms: 80, maxMs: 90 } }, "invalid", "lateness"],
    ["a single long stall", { lateness: { p99Ms: 1, maxMs: 400 } }, "suspect", "stall"],
    ["calls started after the end", { handedAfterEnd: 20 }, "suspect", "achieved-rate"],
    ["many calls started after the end", { handedAfterEnd: 200 }, "invalid", "achieved-rate"],
    ["some steal", { stealRatio: 0.05 }, "suspect", "steal"],
    ["much steal", { stealRatio: 0.4 }, "invalid", "steal"],
    ["dropped calls", { calls: { ...GOOD.calls, ok: 999, dropped: 1 } }, "invalid", "in-flight-bound"],
    ["our own faults", { attempts: { ...GOOD.attempts, clientFault: 1 } }, "invalid", "client-fault"],
    [
      "nothing but failures",
      { attempts: { ...GOOD.attempts, accepted: 0, failed: 1000 }, errors: { HPE_INVALID_CONSTANT: 1000 } },
      "invalid",
      "nothing-understood",
    ],
    ["stale connections", { attempts: { ...GOOD.attempts, staleConnection: 20 } }, "suspect", "stale-connections"],
    ["too few calls", { calls: { ...GOOD.calls, planned: 20, ok: 20 } }, "suspect", "few-samples"],
    ["an interruption", { interrupted: true }, "suspect", "interrupted"],
    ["a window longer than the run", { policyWindowSeconds: 120 }, "valid", "short-run"],
    ["calls cut off", { calls: { ...GOOD.calls, ok: 990, unfinished: 10 } }, "valid", "unfinished"],
  ])("judges %s", (_name, change, verdict, code) => {
    expect(verdictWith(change)).toEqual([verdict, [code]]);
  });

  it("does not hold a virtual world to real time", () => {
    const late = { lateness: { p99Ms: 80, maxMs: 900 }, handedAfterEnd: 500, stealRatio: 0.5 };
    expect(verdictWith({ world: "virtual", ...late })).toEqual(["valid", []]);
  });

  it("gives each reason a figure, its limit and a hint", () => {
    for (const reason of judge({ ...GOOD, lateness: { p99Ms: 80, maxMs: 900 } }).reasons) {
      expect(reason.figure).toBeGreaterThan(reason.limit);
      expect(reason.hint).not.toBe("");
    }
  });
});

describe("withReason()", () => {
  it("makes the verdict the worst of all reasons", () => {
    const died = { code: "target-died", severity: "invalid", message: "gone", figure: 0, limit: 0, hint: "-" } as const;
    expect(withReason(judge(GOOD), died)).toEqual({ verdict: "invalid", reasons: [died] });
  });
});
