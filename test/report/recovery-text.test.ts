import { describe, expect, it } from "vitest";
import { concludeRecovery } from "../../src/experiment/recovery-conclusion.ts";
import { renderRecovery } from "../../src/report/recovery-text.ts";
import type { ArmMap, Recovery, TrialRecovery } from "../../src/result/recovery-schema.ts";
import type { Reason, Result, TrialResult } from "../../src/result/schema.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const LAYOUT: Recovery = {
  trigger: "slowdown=0.05:3s",
  rps: 2000,
  settleSeconds: 10,
  withinSeconds: 10,
  horizonSeconds: 60,
  ageSeconds: 120,
  arms: [],
  conclusion: "",
};
const INVALID: Reason = { code: "lateness", severity: "invalid", message: "m", figure: 1, limit: 0, hint: "h" };

function took(seconds: number | null, kind: TrialRecovery["trigger"]["kind"]): TrialRecovery {
  return {
    trigger: { kind, text: "outage:10s", fromSeconds: 10, toSeconds: 20 },
    okBefore: 1,
    reactSeconds: seconds === null ? null : 1,
    seconds,
    stuck: seconds === null ? 1 : 0,
    horizonSeconds: 60,
    depth: 0.987,
    amplificationDuring: 2.98,
    amplificationAfter: seconds === null ? 3 : 1.004,
    sentDuring: 44,
  };
}

function trials(
  arm: string,
  seconds: number | null,
  {
    kind = "slowdown",
    reasons = [],
    aged = 120,
  }: { kind?: TrialRecovery["trigger"]["kind"]; reasons?: readonly Reason[]; aged?: number } = {},
): TrialResult[] {
  return Array.from({ length: 10 }, (_, pair) => ({
    ...trialFixture({ arm, pair, reasons, policy: { name: "retry", options: { maxAttempts: 3 } } }),
    ...(aged === 0 ? {} : { age: { seconds: aged, calls: 9, throttled: 0 } }),
    recovery: took(seconds, kind),
  }));
}

function text(all: readonly TrialResult[], layout: Partial<Recovery> = {}, change: Partial<Result> = {}): string {
  const result = resultFixture(all, { command: "recovery", recovery: { ...LAYOUT, ...layout }, ...change });
  return renderRecovery(concludeRecovery(result));
}

function prose(of: string): string {
  return of.replace(/\s+/gu, " ");
}

describe("renderRecovery()", () => {
  const plain = text([...trials("retries", null), ...trials("budget", 4)]);

  it("says first which policies come back, then all of an arm in a line", () => {
    expect(plain).toMatch(/^After a slow-down to 5 % of the capacity for 3 s at /u);
    expect(plain).toMatch(/^retries +metastable +10\/10 \(72-100 %\) +never +never +99 % +2\.98 +3\.00$/mu);
    expect(plain).toMatch(/^budget +stable +0\/10 \(0-28 %\) +4 s +1 s +99 % +2\.98 +1\.00$/mu);
  });

  it("explains the words that it uses, with their bounds, and no others", () => {
    expect(prose(plain)).toContain("stable: every trial came back, and the median within 10 s.");
    expect(prose(plain)).toContain("metastable: at least half of the trials did not come back within 60 s");
    expect(plain).not.toContain("vulnerable:");
    expect(plain).not.toContain("unknown:");
  });

  it("says what was done", () => {
    expect(prose(plain)).toContain(
      "Done: 10 s of base load, slowdown=0.05:3s, 60 s of base load; poisson arrivals at 2,000/s; 100 users, clients aged 120 s; 10 seeds from 1 on; real world.",
    );
    expect(plain).toContain("  budget: policy retry,maxAttempts=3");
    expect(prose(text(trials("on", 4, { aged: 0 }), { hook: "./hook.sh" }))).toContain(
      "slowdown=0.05:3s by './hook.sh', 60 s of base load; poisson arrivals at 2,000/s; 100 users, cold clients",
    );
  });

  it("tells the past of the clients from the trials, arm by arm where arms have their own", () => {
    const mixed = [...trials("old", 4), ...trials("new", 4, { aged: 0 })];
    expect(prose(text(mixed))).toContain("100 users, clients of old aged 120 s, of new cold; 10 seeds");
  });

  it("tells of the probes of an outage, and of no other trigger's", () => {
    expect(plain).not.toContain("Probes");
    const outage = text([...trials("a", 4, { kind: "outage" }), ...trials("b", 4, { kind: "outage" })], {
      trigger: "outage:10s",
    });
    expect(outage).toContain("Probes in the last half of the outage: a 44.0/s, b 44.0/s.");
  });

  it("shows no figure of an arm whose trials are all invalid, and says so", () => {
    const invalid = text(trials("on", 4, { reasons: [INVALID] }));
    expect(invalid).toMatch(/^on +unknown +- +- +- +- +- +-$/mu);
    expect(invalid).toContain("unknown: no trial can be trusted.");
    expect(invalid).toContain("Validity of the trials: 10 invalid.");
  });

  it("keeps within 80 columns, whatever the arms are called and however long their sentences are", () => {
    const names = ["a-name-of-twenty-four-ch", "another-name-as-long-as-", "x"];
    const map: ArmMap = {
      arm: "x",
      served: 1,
      survives: 1,
      gap: 0,
      servedUpTo: null,
      survivesUpTo: null,
      points: [],
      sentence: "Words and words, one after the other, so many that they do not fit into a line of eighty columns.",
    };
    const wide = text(
      names.flatMap((name, index) => trials(name, index === 0 ? null : 1234.5)),
      { map: { lowRps: 1, highRps: 2, tolerance: 0.02, arms: [map] }, hook: "a command with many words and arguments" },
      { partial: true },
    );
    expect(wide).toContain("PARTIAL");
    for (const line of wide.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("says when nothing was measured, and compares arms where no trigger is known", () => {
    expect(text([])).toBe("No trial was measured.\n");
    const { recovery: _, ...bare } = resultFixture([...trials("a", 4), ...trials("b", 4)], { command: "recovery" });
    expect(renderRecovery(bare)).toContain("Validity of the trials");
  });
});
