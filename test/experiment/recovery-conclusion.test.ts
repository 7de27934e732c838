import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { armRecovery, concludeRecovery } from "../../src/experiment/recovery-conclusion.ts";
import type { Recovery, TrialRecovery } from "../../src/result/recovery-schema.ts";
import { recoverySchema } from "../../src/result/recovery-schema.ts";
import type { Reason, Result, TrialResult } from "../../src/result/schema.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const TERMS = { withinSeconds: 10, horizonSeconds: 60 };
const LAYOUT: Recovery = {
  trigger: "slowdown=0.05:3s",
  rps: 2000,
  settleSeconds: 10,
  ...TERMS,
  ageSeconds: 120,
  arms: [],
  conclusion: "",
};
const INVALID: Reason = { code: "lateness", severity: "invalid", message: "m", figure: 1, limit: 0, hint: "h" };

function took(seconds: number | null, change: Partial<TrialRecovery> = {}): TrialRecovery {
  return {
    trigger: { kind: "slowdown", text: "slowdown=0.05:3s", fromSeconds: 10, toSeconds: 13 },
    okBefore: 1,
    reactSeconds: 1,
    seconds,
    stuck: seconds === null ? 1 : 0,
    horizonSeconds: 60,
    depth: 0.9,
    amplificationDuring: 2,
    amplificationAfter: 1,
    sentDuring: 100,
    ...change,
  };
}

function trialsOf(arm: string, recoveries: readonly TrialRecovery[], reasons: readonly Reason[] = []): TrialResult[] {
  return recoveries.map((recovery, pair) => ({ ...trialFixture({ arm, pair, reasons }), recovery }));
}

function repeated(count: number, recovery: TrialRecovery): TrialRecovery[] {
  return Array.from({ length: count }, () => recovery);
}

describe("what was never disturbed", () => {
  const results = trialsOf("on", repeated(10, took(0, { depth: 0 })));

  it("is not said to have come back", () => {
    const { verdict, sentence } = armRecovery("on", results, TERMS);
    expect(verdict).toBe("stable");
    expect(sentence).toBe(
      "on was not disturbed: calls came back ok all the time, so nothing is known of its recovery.",
    );
    const { recovery } = concludeRecovery({ ...resultFixture(results), recovery: LAYOUT });
    expect(recovery?.conclusion).toContain("with on it was not disturbed, which shows nothing about recovery");
  });
});

describe("armRecovery()", () => {
  it.each([
    ["stable", repeated(10, took(3))],
    ["stable", [...repeated(6, took(3)), ...repeated(4, took(40))]],
    ["vulnerable", repeated(10, took(11))],
    ["vulnerable", [took(null), ...repeated(9, took(3))]],
    ["vulnerable", [...repeated(4, took(null)), ...repeated(6, took(3))]],
    ["metastable", [...repeated(5, took(null)), ...repeated(5, took(3))]],
    ["metastable", repeated(10, took(null))],
    ["overloaded", repeated(10, took(null, { okBefore: 0.9 }))],
    ["overloaded", repeated(10, took(3, { okBefore: 0.94 }))],
    ["unknown", []],
  ])("finds %s", (verdict, recoveries) => {
    const found = armRecovery("on", trialsOf("on", recoveries), TERMS);
    expect(found.verdict).toBe(verdict);
    expect(found.sentence).toContain("on");
  });

  it("gives the stuck share with its interval", () => {
    const { stuck } = armRecovery("on", trialsOf("on", repeated(10, took(null))), TERMS);
    expect(stuck).toMatchObject({ count: 10, share: 1, high: 1 });
    expect(stuck.low).toBeCloseTo(0.722, 3);
  });

  it("leaves out trials that are invalid, were cut short or are another arm's", () => {
    const trials = [
      ...trialsOf("on", repeated(3, took(3))),
      ...trialsOf("on", repeated(4, took(null)), [INVALID]),
      ...trialsOf("on", repeated(5, took(null))).map((trial) => ({ ...trial, interrupted: true })),
      ...trialsOf("off", repeated(6, took(null))),
      trialFixture({ arm: "on" }),
    ];
    expect(armRecovery("on", trials, TERMS)).toMatchObject({ trials: 3, stuck: { count: 0 }, verdict: "stable" });
  });

  it("says never where the median trial is stuck, and has the least of those that came back", () => {
    const some = armRecovery("on", trialsOf("on", [took(4), took(null), took(null)]), TERMS);
    expect(some.seconds).toEqual({ median: null, min: 4, max: null });
    const most = armRecovery("on", trialsOf("on", [took(4), took(6), took(null)]), TERMS);
    expect(most.seconds).toEqual({ median: 6, min: 4, max: null });
  });

  it("has a median between the least and the most, and a verdict that follows from the figures, whatever the trials", () => {
    const anyTrial = fc.option(fc.nat({ max: 60 }), { nil: null }).map((seconds) => took(seconds));
    fc.assert(
      fc.property(fc.array(anyTrial, { minLength: 1, maxLength: 12 }), (recoveries) => {
        const { seconds, stuck, verdict, trials } = armRecovery("on", trialsOf("on", recoveries), TERMS);
        expect(trials).toBe(recoveries.length);
        expect(stuck.count).toBe(recoveries.filter((one) => one.seconds === null).length);
        const value = (figure: number | null): number => figure ?? Number.POSITIVE_INFINITY;
        expect(value(seconds.min)).toBeLessThanOrEqual(value(seconds.median));
        expect(value(seconds.median)).toBeLessThanOrEqual(value(seconds.max));
        expect(verdict === "metastable").toBe(2 * stuck.count >= trials);
        expect(verdict === "stable").toBe(stuck.count === 0 && value(seconds.median) <= 10);
      }),
    );
  });
});

describe("concludeRecovery()", () => {
  function concluded(trials: readonly TrialResult[], layout: Partial<Recovery> = {}): Recovery {
    const result: Result = resultFixture(trials, { command: "recovery", recovery: { ...LAYOUT, ...layout } });
    const { recovery } = concludeRecovery(result);
    return recoverySchema.parse(recovery);
  }

  it("says which policies come back and which do not, the bad news first", () => {
    const { conclusion, arms } = concluded([
      ...trialsOf("throttle", repeated(10, took(31))),
      ...trialsOf("budget", repeated(10, took(4))),
      ...trialsOf("retries", repeated(10, took(null))),
    ]);
    expect(arms.map(({ arm, verdict }) => `${arm} ${verdict}`)).toEqual([
      "throttle vulnerable",
      "budget stable",
      "retries metastable",
    ]);
    expect(conclusion).toBe(
      "After a slow-down to 5 % of the capacity for 3 s at 2,000/s: with retries the system stays down; with throttle (31 s) it comes back, but late; with budget (4 s) it comes back.",
    );
  });

  it("tells one that is stuck now and then from one that is late", () => {
    const { conclusion } = concluded(trialsOf("on", [took(null), ...repeated(9, took(3))]));
    expect(conclusion).toContain("with on it stays down now and then.");
  });

  it("tells the base load that is recorded, and not the mean over a spike", () => {
    const plan = { ...resultFixture([]).plan, rps: (70 * 100 + 5 * 400) / 75 };
    const recovery = { ...LAYOUT, trigger: "spike=4:5s", rps: 100 };
    const result = resultFixture(trialsOf("on", [took(3)]), { plan, recovery });
    expect(concludeRecovery(result).recovery).toMatchObject({ rps: 100 });
    expect(concludeRecovery(result).recovery?.conclusion).toContain("for 5 s at 100/s:");
  });

  it("says nothing of no trials, whatever was said before", () => {
    const { arms, conclusion } = concluded([], { conclusion: "of on nothing is known" });
    expect(arms).toEqual([]);
    expect(conclusion).toBe("");
  });

  it("takes a trigger that it cannot read for a name", () => {
    expect(concluded(trialsOf("on", [took(3)]), { trigger: "a flood" }).conclusion).toContain("After a flood");
  });

  it("leaves the results of other commands as they are, and does not mind being asked twice", () => {
    const other = resultFixture([trialFixture()]);
    expect(concludeRecovery(other)).toBe(other);
    const once = concludeRecovery(resultFixture(trialsOf("on", [took(3)]), { recovery: LAYOUT }));
    expect(concludeRecovery(once)).toEqual(once);
  });
});
