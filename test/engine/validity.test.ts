import { describe, expect, it } from "vitest";
import type { ValidityFacts } from "../../src/engine/validity/facts.ts";
import { judge, withReason } from "../../src/engine/validity.ts";
import type { Reason } from "../../src/result/schema.ts";

type Generator = NonNullable<ValidityFacts["generator"]>;

const GOOD_GAPS = { count: 999, calls: 1, cv: 1, plannedCv: 1, jitter: 0.05, distance: 0.01 };

const GOOD_GENERATOR: Generator = {
  cpuSeconds: 5,
  wallSeconds: 30,
  workers: 1,
  inFlightMax: 10,
  stealRatio: 0,
  rssMaxBytes: 1e8,
  busyRatio: 0.3,
  waitRatio: 0.01,
  throttledRatio: 0,
  stallMaxMs: 12,
  clockJumpMs: 1,
  gaps: { ...GOOD_GAPS, law: { distance: 0.02, score: 0.6 } },
};

function generator(change: Partial<Generator>): Partial<ValidityFacts> {
  return { generator: { ...GOOD_GENERATOR, ...change } };
}

const GOOD: ValidityFacts = {
  world: "real",
  pacing: "precise",
  interrupted: false,
  recovered: false,
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
  lateness: { p99Ms: 0.3, p999Ms: 4 },
  startedAfterEnd: 0,
  maxInFlight: 100,
  workers: 1,
  generator: GOOD_GENERATOR,
  policyWindowSeconds: 10,
  ageSeconds: 0,
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
    ["a late generator", { lateness: { p99Ms: 12, p999Ms: 200 } }, "suspect", "lateness"],
    ["a generator far behind", { lateness: { p99Ms: 80, p999Ms: 90 } }, "invalid", "lateness"],
    ["a late p99.9", { lateness: { p99Ms: 1, p999Ms: 120 } }, "suspect", "lateness-tail"],
    ["a stall within 1 % of the window", generator({ stallMaxMs: 280 }), "suspect", "stall"],
    ["a stall that reaches into the p99", generator({ stallMaxMs: 400 }), "invalid", "stall"],
    ["bunched arrivals", generator({ gaps: { ...GOOD_GAPS, distance: 0.2 } }), "suspect", "gaps"],
    ["arrivals in nothing but bunches", generator({ gaps: { ...GOOD_GAPS, distance: 0.5 } }), "invalid", "gaps"],
    [
      "arrivals that are not Poisson",
      generator({ gaps: { ...GOOD_GAPS, law: { distance: 0.15, score: 4.7 } } }),
      "suspect",
      "gaps",
    ],
    ["a thread without idle time", generator({ busyRatio: 0.95 }), "suspect", "cpu-saturated"],
    ["a thread that shares its processor", generator({ waitRatio: 0.3 }), "suspect", "cpu-contention"],
    ["a thread that hardly gets a processor", generator({ waitRatio: 0.6 }), "invalid", "cpu-contention"],
    ["a CPU limit now and then", generator({ throttledRatio: 0.02 }), "suspect", "cgroup-throttled"],
    [
      "a CPU limit all the time, which is a wait too",
      generator({ throttledRatio: 0.6, waitRatio: 0.65 }),
      "invalid",
      "cgroup-throttled",
    ],
    ["a clock that was set", generator({ clockJumpMs: 5000 }), "suspect", "clock-jump"],
    ["calls started after the end", { startedAfterEnd: 20 }, "suspect", "achieved-rate"],
    ["many calls started after the end", { startedAfterEnd: 200 }, "invalid", "achieved-rate"],
    ["some steal", generator({ stealRatio: 0.05 }), "suspect", "steal"],
    ["much steal", generator({ stealRatio: 0.4 }), "invalid", "steal"],
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
    const [reason] = judge({ ...GOOD, workers: 4, lateness: { p99Ms: 12, p999Ms: 20 } }).reasons;
    expect(reason?.message).toBe("1 % of the calls of the worst worker started 12 ms or more after their time");
  });

  it("counts the warm-up into the time that a policy's window had to fill", () => {
    expect(verdictWith({ policyWindowSeconds: 35, warmupSeconds: 10 })).toEqual(["valid", []]);
  });

  it("counts the past of the clients into it, and says so where even with that it was not full", () => {
    expect(verdictWith({ policyWindowSeconds: 35, ageSeconds: 10 })).toEqual(["valid", []]);
    const judged = (ageSeconds: number): Reason | undefined =>
      judge({ ...GOOD, policyWindowSeconds: 120, ageSeconds }).reasons[0];
    expect(judged(0)).toMatchObject({
      code: "short-run",
      figure: GOOD.durationSeconds,
      message: "The run was shorter than the policy's window of 120 s: its clients were cold",
      hint: "Age the clients (--age 120s), raise --duration or --warmup, or lower the policy's window to see its steady state",
    });
    expect(judged(20)).toMatchObject({
      figure: 20 + GOOD.durationSeconds,
      message:
        "The run and the 20 s before it, to which its clients were aged, were shorter than the policy's window of 120 s: they were half cold",
    });
  });

  it("does not hold a virtual world to real time", () => {
    const late = {
      lateness: { p99Ms: 80, p999Ms: 900 },
      startedAfterEnd: 500,
      ...generator({ stealRatio: 0.5, stallMaxMs: 900, clockJumpMs: 900, busyRatio: 1 }),
    };
    expect(verdictWith({ world: "virtual", ...late })).toEqual(["valid", []]);
  });

  it("takes bunches for what timers do where they were asked for", () => {
    const bunched = generator({ gaps: { ...GOOD_GAPS, distance: 0.5 } });
    const { verdict, reasons } = judge({ ...GOOD, ...bunched, pacing: "timer" });
    expect({ verdict, reasons }).toMatchObject({ verdict: "valid", reasons: [{ code: "gaps", severity: "note" }] });
  });

  it.each([
    ["a distance from the law that a few gaps have by chance", { distance: 0.15, score: 1.6 }],
    ["a significant distance that is too small to matter", { distance: 0.03, score: 9.5 }],
  ])("does not hold %s against a trial", (_name, law) => {
    expect(verdictWith(generator({ gaps: { ...GOOD_GAPS, law } }))).toEqual(["valid", []]);
  });

  it("says nothing of gaps when there are few, nor of p99.9 when there are few calls", () => {
    expect(verdictWith(generator({ gaps: { ...GOOD_GAPS, count: 20, distance: 0.5 } }))).toEqual(["valid", []]);
    const calls = { ...GOOD.calls, planned: 500, ok: 500 };
    expect(verdictWith({ calls, lateness: { p99Ms: 1, p999Ms: 400 } })).toEqual(["valid", []]);
  });

  it("does not hold it against a target that it ends HTTP/2 connections in order", () => {
    const attempts = { ...GOOD.attempts, staleConnection: 20 };
    expect(verdictWith({ attempts, errors: { H2_GOAWAY_NO_ERROR: 20 } })).toEqual(["valid", []]);
    expect(verdictWith({ attempts, errors: { H2_GOAWAY_NO_ERROR: 5 } })).toEqual(["suspect", ["stale-connections"]]);
  });

  it("tells of a recovered trial that its journal ended, and not that it was interrupted or drained", () => {
    const calls = { ...GOOD.calls, ok: 999, unfinished: 1 };
    const { reasons } = judge({ ...GOOD, interrupted: true, recovered: true, calls });
    expect(reasons).toMatchObject([{ code: "unfinished", message: expect.stringContaining("1 call was") }]);
    expect(reasons[0]?.message).toContain("when the journal ended");
  });

  it("gives each reason a figure, its limit and a hint", () => {
    const BAD = { stallMaxMs: 900, busyRatio: 1, waitRatio: 1, throttledRatio: 1, stealRatio: 1, clockJumpMs: 900 };
    for (const reason of judge({ ...GOOD, ...generator(BAD), lateness: { p99Ms: 80, p999Ms: 900 } }).reasons) {
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
