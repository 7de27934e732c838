import { describe, expect, it } from "vitest";
import { type Circumstances, type Expected, expectedOf, faultsOf } from "./judge.ts";
import { ROWS, type Row } from "./rows.ts";
import type { ToolRun } from "./run-tool.ts";
import type { Report } from "./tools/tool.ts";
import type { Truth } from "./truth.ts";

function rowNamed(name: string): Row {
  const row = ROWS.find((candidate) => candidate.name === name) as Row;
  // Two seconds, whatever the table takes, but for the stall.
  return row.latency?.kind === "stall" ? row : { ...row, seconds: 2 };
}

function truthOf(change: Partial<Truth> = {}): Truth {
  return {
    connections: 10,
    open: 0,
    requests: 1000,
    answered: { "200": 1000 },
    brokenOff: 0,
    left: 0,
    waiting: 0,
    spanSeconds: 2,
    okService: { count: 1000, meanMs: 5, p50Ms: 5, p99Ms: 6, maxMs: 7 },
    ...change,
  };
}

function circumstances(change: Partial<Circumstances> = {}): Circumstances {
  return { truth: truthOf(), stalledSeconds: 0, turnedAway: 0, ...change };
}

function ran(report: Report | undefined): ToolRun {
  return { end: { kind: "exit", code: 0 }, tookSeconds: 1, report, lastWords: "" };
}

const RIGHT: Report = { ok: 1000, failed: 0, meanMs: 5.1, p50Ms: 5.1, p99Ms: 6.2, maxMs: 8 };

describe("faultsOf()", () => {
  const expected: Expected = expectedOf(rowNamed("fixed"), "open", circumstances());

  it("finds nothing wrong with a report of what happened", () => {
    expect(faultsOf(ran(RIGHT), expected)).toEqual([]);
  });

  it.each<[string, Partial<Report>, string]>([
    ["successes that were none", { ok: 1100 }, "1,100 ok, truth 1,000"],
    ["answers that are missing", { ok: 900 }, "900 ok, truth 1,000"],
    ["failures that nobody had", { failed: 50 }, "50 failed, truth 0"],
    ["a tail that was not there", { p99Ms: 60 }, "p99 60 ms, truth 6.0 ms"],
    ["a median beside the truth", { p50Ms: 9 }, "p50 9.0 ms, truth 5.0 ms"],
  ])("tells of %s", (_name, change, fault) => {
    expect(faultsOf(ran({ ...RIGHT, ...change }), expected)).toEqual([fault]);
  });

  it("looks at the mean of a tool that has no percentiles", () => {
    const { p50Ms: _p50, p99Ms: _p99, ...others } = RIGHT;
    expect(faultsOf(ran(others), expected)).toEqual([]);
    expect(faultsOf(ran({ ...others, meanMs: 1 }), expected)).toEqual(["mean 1.0 ms, truth 5.0 ms"]);
  });

  it("allows for requests of which nobody knows whether they were read the first time", () => {
    const truth = truthOf({ requests: 1010, brokenOff: 10 });
    const repeated = expectedOf(rowNamed("half-close"), "closed", circumstances({ truth }));
    expect(faultsOf(ran({ ...RIGHT, repeated: 10 }), repeated)).toEqual([]);
    expect(faultsOf(ran({ ...RIGHT, repeated: 40 }), repeated)).toEqual([]);
    expect(faultsOf(ran({ ...RIGHT, repeated: 0 }), repeated)).toEqual(["0 failed, truth 10"]);
    expect(faultsOf(ran({ ...RIGHT, failed: 30, repeated: 5 }), repeated)).toEqual(["30 failed, truth 10"]);
  });

  it("allows for calls that never came through to a server whose kernel turned connections away", () => {
    const row = rowNamed("connect-delay");
    const report = { ...RIGHT, failed: 10, p99Ms: 1100, maxMs: 1200 };
    expect(faultsOf(ran(report), expectedOf(row, "open", circumstances({ turnedAway: 100 })))).toEqual([]);
    expect(faultsOf(ran(report), expectedOf(row, "open", circumstances()))).toEqual(["10 failed, truth 0"]);
  });

  it("tells of a rate that was not kept, unless the tool knows none", () => {
    const truth = truthOf({ requests: 500, okService: { ...truthOf().okService, count: 500 } });
    const report = ran({ ...RIGHT, ok: 500 });
    expect(faultsOf(report, expectedOf(rowNamed("fixed"), "capped", circumstances({ truth })))).toEqual([
      "sent 500 of 1,000",
    ]);
    expect(faultsOf(report, expectedOf(rowNamed("fixed"), "closed", circumstances({ truth })))).toEqual([]);
  });

  it.each<[ToolRun["end"], string]>([
    [{ kind: "exit", code: 119 }, "no report, exit code 119"],
    [{ kind: "signal", name: "SIGABRT" }, "died (SIGABRT), no report"],
    [{ kind: "killed", afterSeconds: 9 }, "did not end within 9 s"],
  ])("tells of the end of a tool without a report: %j", (end, fault) => {
    expect(faultsOf({ ...ran(undefined), end }, expected)).toEqual([fault]);
  });
});

describe("expectedOf()", () => {
  it("knows the p99 and the mean of evenly spaced calls, when all answers stop for a time", () => {
    const row = rowNamed("stall");
    const { latency } = expectedOf(row, "open", circumstances({ stalledSeconds: 2 }));
    // 6,000 calls in 12 s, 1,000 of them in the stop: the sixty slowest waited for at least 2 s - 60 / 500.
    const waits = Array.from({ length: 6000 }, (_, i) => Math.max(0, 2 - i / 500)).toSorted((a, b) => a - b);
    expect(latency.p99Ms?.ms).toBeCloseTo(1000 * (waits[5939] as number), 6);
    expect(latency.meanMs?.ms).toBeCloseTo((1000 * waits.reduce((sum, wait) => sum + wait)) / 6000, 0);
  });

  it("expects nothing of a tail to which nobody was turned away", () => {
    const row = rowNamed("connect-delay");
    expect(expectedOf(row, "open", circumstances({ turnedAway: 2 })).latency).toEqual({});
    const { latency } = expectedOf(row, "open", circumstances({ turnedAway: 200 }));
    expect(latency).toMatchObject({ p99Ms: { ms: 1000 }, maxMs: { ms: 1000 }, meanMs: { ms: 200 } });
  });
});
