import { describe, expect, it } from "vitest";
import { judge, type ValidityFacts, withReason } from "../../src/engine/validity.ts";

const GOOD: ValidityFacts = {
  world: "real",
  interrupted: false,
  warmupSeconds: 0,
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
  late: { boundMs: 10, sent: 0, dropped: 0 },
  lateness: { p99Ms: 0.3, maxMs: 4 },
  startedAfterEnd: 0,
  maxInFlight: 100,
  workers: 1,
  stealRatio: 0,
  policyWindowSeconds: 10,
};

function lateDrops(dropped: number): Partial<ValidityFacts> {
  return {
    calls: { ...GOOD.calls, ok: GOOD.calls.planned - dropped, dropped },
    late: { boundMs: 50, sent: 0, dropped },
  };
}

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
    ["calls started after the end", { startedAfterEnd: 20 }, "suspect", "achieved-rate"],
    ["many calls started after the end", { startedAfterEnd: 200 }, "invalid", "achieved-rate"],
    ["some steal", { stealRatio: 0.05 }, "suspect", "steal"],
    ["much steal", { stealRatio: 0.4 }, "invalid", "steal"],
    ["dropped calls", { calls: { ...GOOD.calls, ok: 999, dropped: 1 } }, "invalid", "in-flight-bound"],
    ["a few calls dropped for being late", { ...lateDrops(5) }, "suspect", "late-drops"],
    ["many calls dropped for being late", { ...lateDrops(20) }, "invalid", "late-drops"],
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
    [
      "an interruption of the warm-up",
      { interrupted: true, durationSeconds: 0, warmupSeconds: 12 },
      "invalid",
      "interrupted",
    ],
    ["a window longer than the run", { policyWindowSeconds: 120 }, "valid", "short-run"],
    ["calls cut off", { calls: { ...GOOD.calls, ok: 990, unfinished: 10 } }, "valid", "unfinished"],
  ])("judges %s", (_name, change, verdict, code) => {
    expect(verdictWith(change)).toEqual([verdict, [code]]);
  });

  it("tells what the in-flight bound refused from what was dropped for being late", () => {
    const facts = { ...GOOD, ...lateDrops(5), calls: { ...GOOD.calls, ok: 993, dropped: 7 } };
    const messages = judge(facts).reasons.map(({ code, message }) => [code, message]);
    expect(messages).toEqual([
      ["late-drops", "5 of 1000 calls were dropped: this generator came to them too late"],
      ["in-flight-bound", "2 of 1000 calls were dropped: 100 were under way already"],
    ]);
  });

  it("says that a late p99 is the worst worker's", () => {
    const [reason] = judge({ ...GOOD, workers: 4, lateness: { p99Ms: 12, maxMs: 20 } }).reasons;
    expect(reason?.message).toBe("1 % of the calls of the worst worker started 12 ms or more after their time");
  });

  it("counts the warm-up into the time that a policy's window had to fill", () => {
    expect(verdictWith({ policyWindowSeconds: 35, warmupSeconds: 10 })).toEqual(["valid", []]);
  });

  it("does not hold a virtual world to real time", () => {
    const late = { lateness: { p99Ms: 80, maxMs: 900 }, startedAfterEnd: 500, stealRatio: 0.5 };
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
