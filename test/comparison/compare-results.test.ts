import { describe, expect, it } from "vitest";
import { notesOn, reasonsAgainst } from "../../src/comparison/comparable.ts";
import { compareResults, select } from "../../src/comparison/compare-results.ts";
import { METRICS } from "../../src/figures/metrics.ts";
import type { Result } from "../../src/result/schema.ts";
import { compared, cure, spoiled, throttled } from "../support/trial-cases.ts";
import { resultFixture } from "../support/trial-fixture.ts";

const CURE = compared(cure());
const RUN = resultFixture([throttled(0)], { command: "run" });
const ALL = { metrics: METRICS, isForced: false };

function run(arm: string, ok: number): Result {
  return resultFixture([{ ...throttled(0, ok), arm }], { command: "run" });
}

function reasons(first: Result, second: Result): readonly string[] {
  return reasonsAgainst(named(first, second));
}

/** The results as two files of one experiment. */
function named(...results: readonly Result[]) {
  return results.map((result, index) => ({ name: "ab"[index] as string, result, trials: result.trials }));
}

function withConfig(config: Record<string, unknown>): Result {
  return { ...RUN, config: { ...RUN.config, ...config } };
}

describe("select()", () => {
  it("compares the arms of one file with its baseline", () => {
    const { baseline, opponents } = select([{ name: "a", result: CURE }]);
    expect(baseline).toBe("off");
    expect(opponents).toEqual([{ arm: "on", baseline: "off" }]);
    expect(select([{ name: "a", result: CURE }], { baseline: "on" }).opponents).toEqual([
      { arm: "off", baseline: "on" },
    ]);
  });

  it("names the arms of files with one arm each after the files, the first one being the baseline", () => {
    const sources = [
      { name: "before", result: RUN },
      { name: "after", result: run("sre", 6_000) },
    ];
    expect(select(sources)).toMatchObject({ baseline: "before", opponents: [{ arm: "after", baseline: "before" }] });
    expect(select(sources, { baseline: "after" }).opponents).toEqual([{ arm: "before", baseline: "after" }]);
  });

  it("compares arms of the same name across files, or the one that is picked", () => {
    const sources = [
      { name: "before", result: CURE },
      { name: "after", result: CURE },
    ];
    expect(select(sources).opponents).toEqual([
      { arm: "off (after)", baseline: "off (before)" },
      { arm: "on (after)", baseline: "on (before)" },
    ]);
    expect(select(sources, { arms: ["on"] }).opponents).toEqual([{ arm: "after", baseline: "before" }]);
  });

  it("sets a file with one arm against an arm of another", () => {
    const sources = [
      { name: "run", result: run("sre", 6_890) },
      { name: "ab", result: CURE },
    ];
    expect(() => select(sources)).toThrow(
      "The files have no arm of the same name: run has sre; ab has off, on; --arm picks one",
    );
    expect(select(sources, { arms: ["on"] }).opponents).toEqual([{ arm: "ab", baseline: "run" }]);
  });

  it.each<[string, () => unknown, string]>([
    [
      "a lonely arm",
      () => select([{ name: "a", result: RUN }]),
      "a has the arm on alone: name another file to compare it with",
    ],
    [
      "no trial",
      () => select([{ name: "a", result: resultFixture([]) }]),
      "a has no trial: name another file to compare it with",
    ],
    [
      "an arm that there is not",
      () => select([{ name: "a", result: CURE }], { arms: ["x"] }),
      "a has no arm x: it has off, on",
    ],
    [
      "the baseline alone",
      () => select([{ name: "a", result: CURE }], { arms: ["off"] }),
      "off cannot be compared with itself: name another arm, one of on",
    ],
    [
      "a file that there is not",
      () =>
        select(
          [
            { name: "a", result: RUN },
            { name: "b", result: RUN },
          ],
          { baseline: "x" },
        ),
      "There is no file x: they are called a, b",
    ],
  ])("refuses %s", (_, act, message) => {
    expect(act).toThrow(message);
  });
});

describe("reasonsAgainst()", () => {
  it("has nothing against results of the same experiment", () => {
    expect(reasons(CURE, CURE)).toEqual([]);
    expect(reasons(RUN, withConfig({ workers: 2 }))).toEqual([]);
  });

  it.each<[string, Result, string]>([
    ["another rate", { ...RUN, plan: { ...RUN.plan, rate: "1000/s" } }, "rate: 2000/s in a, 1000/s in b"],
    ["another seed", { ...RUN, plan: { ...RUN.plan, seed: 7 } }, "seed: 1 in a, 7 in b"],
    ["another timeout", withConfig({ timeoutSeconds: 2 }), "timeout: 1 s in a, 2 s in b"],
    ["other overload", withConfig({ overloadedOn: ["503"] }), "what counts as overload: 429,503 in a, 503 in b"],
    [
      "another URL",
      withConfig({ world: { kind: "real", url: "http://b/" } }),
      "target: http://a/ in a, http://b/ in b",
    ],
    [
      "another method",
      withConfig({ world: { kind: "real", url: "http://a/", method: "POST" } }),
      "method: none in a, POST in b",
    ],
    [
      "a script",
      withConfig({ world: { kind: "real", url: "http://a/", script: "1s:outage" } }),
      "script: none in a, 1s:outage in b",
    ],
  ])("tells of %s, with both values", (_, second, reason) => {
    const world = { kind: "real", url: "http://a/" };
    const first = withConfig({ timeoutSeconds: 1, overloadedOn: ["429", "503"], world });
    expect(reasons(first, { ...second, config: { ...first.config, ...second.config } })).toEqual([reason]);
  });

  it("does not mind another transport, but says so; a trial that names none was sent by undici", () => {
    const sentBy = (transport: "wire" | "undici" | undefined): Result => ({
      ...withConfig({ world: { kind: "real", url: "http://a/", ...(transport === undefined ? {} : { transport }) } }),
      trials: RUN.trials.map((trial) => ({ ...trial, ...(transport === undefined ? {} : { transport }) })),
    });
    const told = (...results: readonly Result[]): boolean =>
      notesOn(named(...results)).includes("transport: wire in a, undici in b");
    expect(reasons(sentBy("wire"), sentBy(undefined))).toEqual([]);
    expect(told(sentBy("wire"), sentBy(undefined))).toBe(true);
    expect(told(sentBy("wire"), sentBy("undici"))).toBe(true);
    expect(notesOn(named(sentBy("undici"), sentBy(undefined))).join()).not.toContain("transport");
  });

  it("tells of other arrivals, of no common pair, of a partial result and of invalid trials", () => {
    const moved = { ...throttled(0), plan: { ...throttled(0).plan, hash: "moved" } };
    expect(reasons(RUN, resultFixture([moved], { plan: RUN.plan }))).toEqual([
      "plan of pair 1: plan-0 in a, moved in b",
    ]);
    const later = resultFixture([throttled(1)], { plan: RUN.plan, partial: true });
    expect(reasons(RUN, later)).toEqual(["pairs: a and b have none in common; b was cut short"]);
    expect(reasons(RUN, resultFixture([spoiled()], { plan: RUN.plan }))).toEqual([
      "validity: 1 of 1 trials of b is invalid (in-flight-bound)",
    ]);
  });

  it("tells of clients that were aged in one and cold in the other, arm by arm", () => {
    const age = { seconds: 120, calls: 240_000, throttled: 0 };
    const aged = (result: Result, ...arms: readonly string[]): Result => ({
      ...result,
      trials: result.trials.map((trial) => (arms.includes(trial.arm) ? { ...trial, age } : trial)),
    });
    expect(reasons(CURE, aged(CURE, "on"))).toEqual(["clients of on: cold in a, aged 120 s in b"]);
    expect(reasons(aged(CURE, "on"), aged(CURE, "off"))).toHaveLength(2);
    expect(reasons(aged(CURE, "on", "off"), aged(CURE, "on", "off"))).toEqual([]);
    expect(reasons(RUN, aged(run("other", 6_000), "other"))).toEqual(["clients: cold in a, aged 120 s in b"]);
  });

  it("tells the same world whatever the order of its keys", () => {
    const a = withConfig({ world: { kind: "virtual", connections: { http2: false, preopen: 8 } } });
    const b = withConfig({ world: { connections: { preopen: 8, http2: false }, kind: "virtual" } });
    expect(reasons(a, b)).toEqual([]);
  });
});

describe("compareResults()", () => {
  const other = resultFixture([throttled(0, 6_000)], { plan: { ...RUN.plan, rate: "1000/s" } });
  const selection = select([
    { name: "before", result: RUN },
    { name: "after", result: other },
  ]);

  it("refuses what differs, and compares it when forced", () => {
    expect(compareResults(selection, ALL)).toEqual({ refusedFor: ["rate: 2000/s in before, 1000/s in after"] });
    const forced = compareResults(selection, { ...ALL, isForced: true });
    if ("refusedFor" in forced) throw new Error("refused");
    expect(forced.forced).toEqual(["rate: 2000/s in before, 1000/s in after"]);
    expect(forced.comparison.contrasts[0]?.metrics[0]?.effects).toEqual([Number((600 / 689).toPrecision(12))]);
    expect(forced.comparison.conclusion).toContain("goodput with after was 13 % lower than that of before");
  });

  it("gives one result with the arms of both, for whoever asks something of it", () => {
    const same = compareResults(
      select([
        { name: "a", result: RUN },
        { name: "b", result: RUN },
      ]),
      ALL,
    );
    if ("refusedFor" in same) throw new Error("refused");
    expect(same.result.trials.map(({ arm }) => arm)).toEqual(["a", "b"]);
    expect(same.result.design.arms).toEqual(["a", "b"]);
    expect(same.notes).toEqual([
      "The files were measured one after another, not in turn: what else changed between them is in the differences too.",
    ]);
  });
});
