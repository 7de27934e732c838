import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trialRecovery, withRecovery } from "../../src/experiment/trial-recovery.ts";
import { trialRecoverySchema } from "../../src/result/recovery-schema.ts";
import type { SeriesRow, TrialResult } from "../../src/result/schema.ts";
import { trialFixture } from "../support/trial-fixture.ts";

const NOTHING: SeriesRow = {
  second: 0,
  offered: 0,
  late: 0,
  sent: 0,
  sentInSecond: 0,
  accepted: 0,
  ok: 0,
  throttled: 0,
  budget: 0,
  failed: 0,
  broken: 0,
  limited: 0,
  deadline: 0,
  dropped: 0,
  unfinished: 0,
};

/** A trial of ten calls a second, of which so many came back ok: `a` is ten. What was not ok failed after three attempts. */
function trialOf(text: string, change: (row: SeriesRow) => Partial<SeriesRow> = () => ({})): TrialResult {
  const series = [...text].map((digit, second): SeriesRow => {
    const ok = Number.parseInt(digit, 16);
    const row = { ...NOTHING, second, offered: 10, ok, failed: 10 - ok, sent: 30 - 2 * ok, sentInSecond: 30 - 2 * ok };
    return { ...row, ...change(row) };
  });
  return { ...trialFixture({ durationSeconds: text.length }), series };
}

function trigger(fromSeconds: number, toSeconds: number, kind: "outage" | "slowdown" = "slowdown") {
  return { kind, text: `${kind}:${toSeconds - fromSeconds}s`, fromSeconds, toSeconds };
}

describe("what a trigger did at all", () => {
  const codes = (trial: TrialResult, hook?: string): string[] =>
    withRecovery(trial, { ...trigger(5, 8), ...(hook === undefined ? {} : { hook }) }).validity.reasons.map(
      ({ code, severity }) => `${code} ${severity}`,
    );

  it("notes a trigger that disturbed nothing, and doubts a hook of which that is so", () => {
    expect(codes(trialOf("aaaaaaaaaaaaaaaaaaa"))).toEqual(["trigger-without-effect note"]);
    expect(codes(trialOf("aaaaaaaaaaaaaaaaaaa"), "./hook.sh")).toEqual(["trigger-without-effect suspect"]);
  });

  it("has nothing to say of one that did", () => {
    expect(codes(trialOf("aaaaa000000aaaaaaaa"), "./hook.sh")).toEqual([]);
  });
});

describe("trialRecovery()", () => {
  it("tells of a trial that comes back: from the trigger's end to the first of five good seconds", () => {
    expect(trialRecovery(trialOf("aaaaa000000aaaaaaaa"), trigger(5, 8))).toEqual({
      trigger: trigger(5, 8),
      okBefore: 1,
      reactSeconds: null,
      seconds: 3,
      stuck: 0,
      horizonSeconds: 11,
      depth: 1,
      amplificationDuring: 3,
      amplificationAfter: (3 * 30 + 8 * 10) / 110,
      sentDuring: 30,
    });
  });

  it("is stuck where five good seconds never come, however good single ones are", () => {
    const { seconds, stuck, horizonSeconds } = trialRecovery(trialOf("aaaaa000aaaa0aaaa0aaaa"), trigger(5, 8));
    expect({ seconds, stuck, horizonSeconds }).toEqual({ seconds: null, stuck: 1, horizonSeconds: 14 });
  });

  it("counts seconds from the end of the warm-up on, which is in the series", () => {
    const trial = trialOf("0000aaaaa000000aaaaaaaa");
    const warmed = { ...trial, warmup: { seconds: 4, calls: trial.calls, attempts: trial.attempts } };
    const { okBefore, seconds } = trialRecovery(warmed, trigger(5, 8));
    expect({ okBefore, seconds }).toEqual({ okBefore: 1, seconds: 3 });
  });

  it("has the part of a second between the trigger's end and the first whole one in the time", () => {
    const { seconds, horizonSeconds } = trialRecovery(trialOf("aaaaa00000aaaaaaaa"), trigger(5.25, 7.5));
    expect(seconds).toBe(2.5);
    expect(horizonSeconds).toBe(10.5);
  });

  it.each(["throttled", "budget", "broken", "limited", "deadline"] as const)(
    "reacts in the first second in which more than a tenth of the calls ended %s",
    (outcome) => {
      const trial = trialOf("aaaaa00000aaaaaaaa", ({ second }) => ({
        [outcome]: second < 7 ? 1 : 2,
      }));
      expect(trialRecovery(trial, trigger(5, 10)).reactSeconds).toBe(2);
    },
  );

  it("does not take refusals before the trigger, or failures, for a reaction", () => {
    const trial = trialOf("aaaaa00000aaaaaaaa", ({ second }) => ({ throttled: second < 5 ? 5 : 0 }));
    expect(trialRecovery(trial, trigger(5, 10)).reactSeconds).toBeNull();
  });

  it("tells the probes of an outage by its last half, and what was sent in all of a slow-down", () => {
    const trial = trialOf("aaaa0000000000aaaaaa", ({ second }) => ({ sentInSecond: second < 9 ? 30 : 4 }));
    expect(trialRecovery(trial, trigger(4, 14, "outage")).sentDuring).toBe(4);
    expect(trialRecovery(trial, trigger(4, 14)).sentDuring).toBe(17);
  });

  it("has the depth of the worst five seconds, of fewer where there are not so many", () => {
    expect(trialRecovery(trialOf("aaaaa55aaaaaaaaaa"), trigger(5, 7)).depth).toBeCloseTo(1 - 40 / 50, 12);
    expect(trialRecovery(trialOf("aaaaa55"), trigger(5, 7)).depth).toBe(0.5);
  });

  it("gives figures that the schema takes, and that fit each other, of any series", () => {
    const anyRow = fc.nat({ max: 10 }).map((ok) => ok.toString(16));
    const anySeries = fc.array(anyRow, { minLength: 12, maxLength: 60 }).map((digits) => digits.join(""));
    const anyTime = fc.double({ min: 0, max: 5, noNaN: true });
    fc.assert(
      fc.property(anySeries, anyTime, anyTime, fc.boolean(), (text, from, lasts, isOutage) => {
        const at = trigger(from, from + lasts, isOutage ? "outage" : "slowdown");
        const found = trialRecovery(trialOf(text), at);
        expect(() => trialRecoverySchema.parse(found)).not.toThrow();
        expect(found.stuck).toBe(found.seconds === null ? 1 : 0);
        expect(found.seconds ?? 0).toBeLessThanOrEqual(found.horizonSeconds);
        expect(found.depth).toBeLessThanOrEqual(1);
        for (const ratio of [found.amplificationDuring, found.amplificationAfter]) {
          expect(ratio).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  it("is no slower where a second is better", () => {
    const anySeries = fc.array(fc.nat({ max: 9 }), { minLength: 20, maxLength: 40 });
    fc.assert(
      fc.property(anySeries, fc.nat({ max: 39 }), (counts, better) => {
        const text = (at: number): string =>
          counts.map((ok, second) => (second === at ? 10 : ok).toString(16)).join("");
        const before = trialRecovery(trialOf(text(-1)), trigger(3, 5)).seconds ?? Number.POSITIVE_INFINITY;
        const after = trialRecovery(trialOf(text(better)), trigger(3, 5)).seconds ?? Number.POSITIVE_INFINITY;
        expect(after).toBeLessThanOrEqual(before);
      }),
    );
  });
});

describe("withRecovery()", () => {
  it("says nothing of a trial that was cut short: it may have been about to come back", () => {
    const trial = trialOf("aaaaa000000");
    expect(withRecovery({ ...trial, interrupted: true }, trigger(5, 8))).not.toHaveProperty("recovery");
    expect(withRecovery({ ...trial, aborted: { atSeconds: 9, text: "x" } }, trigger(5, 8))).not.toHaveProperty(
      "recovery",
    );
    expect(withRecovery(trial, trigger(5, 8))).toHaveProperty("recovery.stuck", 1);
  });
});
