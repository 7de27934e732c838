import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { HedgePolicy, type HedgePolicyOptions } from "../../../src/policy/hedge/hedge-policy.ts";
import { hedgePresets } from "../../../src/policy/hedge/presets.ts";
import { answer, callOnce, client, type End, named } from "../budget/one-call.ts";
import { hedgedCall, type Script } from "./scripted-driver.ts";

const eighth = (options: HedgePolicyOptions = {}) => new HedgePolicy({ hedgingDelay: 0.125, ...options });
const slow: Script = [
  [1, "ok"],
  [1, "ok"],
  [1, "ok"],
  [1, "ok"],
];

describe("HedgePolicy", () => {
  it("sends copy k at k x hedgingDelay up to maxAttempts, and the first success ends the call", () => {
    expect(hedgedCall(eighth(), slow)).toEqual({
      outcome: "ok",
      doneSeconds: 1,
      sent: [
        [0, 0],
        [1, 0.125],
        [2, 0.25],
        [3, 0.375],
      ],
      abandoned: 3,
    });
  });

  it.each([
    [1, 1],
    [2, 2],
    [5, 5],
  ])("sends %i copies of a slow call at most", (maxAttempts, copies) => {
    expect(hedgedCall(eighth({ maxAttempts }), slow)).toMatchObject({ sent: { length: copies } });
  });

  it("sends all copies at once with a delay of 0, and none of a call that is answered in time", () => {
    const sent = [0, 1, 2, 3].map((attempt) => [attempt, 0]);
    expect(hedgedCall(eighth({ hedgingDelay: 0 }), slow)).toMatchObject({ sent });
    expect(hedgedCall(eighth(), [[0.0625, "ok"]])).toMatchObject({ outcome: "ok", sent: [[0, 0]], abandoned: 0 });
  });

  it("sends the next copy at once after an overload, and the one after that a hedgingDelay later", () => {
    const script: Script = [[1, "ok"], [0.0625, "busy"], "never", "never"];
    expect(hedgedCall(eighth(), script)).toMatchObject({
      outcome: "ok",
      sent: [
        [0, 0],
        [1, 0.125],
        [2, 0.1875],
        [3, 0.3125],
      ],
    });
  });

  it("makes no copy beyond the last when an early one is overloaded late, and fails when all are", () => {
    const late: Script = [
      [0.5, "busy"],
      [0.5, "busy"],
      [0.5, "busy"],
      [0.5, "busy"],
    ];
    expect(hedgedCall(eighth(), late)).toMatchObject({ outcome: "failed", doneSeconds: 0.875, sent: { length: 4 } });
    // The first copy is the last to fail: it is no refusal either.
    expect(hedgedCall(eighth(), [[1, "busy"], ...late.slice(1)])).toMatchObject({ outcome: "failed", doneSeconds: 1 });
  });

  it("ends the call with a fault that is no overload", () => {
    expect(hedgedCall(eighth(), ["never", [0.0625, "broken"]])).toMatchObject({ outcome: "failed", abandoned: 1 });
  });

  it("lets the first copy of a call go whatever the tokens, and no other while half of them are gone", () => {
    const policy = eighth({ maxTokens: 4 });
    const one = hedgedCall(policy, [
      [0.0625, "busy"],
      [0.0625, "busy"],
    ]);
    // 4 - 1 = 3 sends another copy, 3 - 1 = 2 is half.
    expect(one).toMatchObject({ outcome: "budget", sent: { length: 2 } });
    expect(hedgedCall(policy, slow)).toMatchObject({ outcome: "ok", sent: [[0, 0]] });
    // 2 + 0.1 for that success is above half again.
    expect(hedgedCall(policy, slow)).toMatchObject({ outcome: "ok", sent: { length: 4 } });
  });

  it("notices by its tokens that the backend fails, not that it is slow", () => {
    const policy = eighth();
    for (let call = 0; call < 100; call++) expect(hedgedCall(policy, slow)).toMatchObject({ sent: { length: 4 } });
  });

  it("looks at the tokens when a copy is due, not before", () => {
    const policy = eighth({ maxTokens: 2 });
    const waiting = new CallRecord();
    waiting.prepareAdmission(10);
    expect([policy.admit(waiting), waiting.hedgeSeconds]).toEqual(["send", 0.125]);
    expect(callOnce(policy, "busy").outcome).toBe("budget");
    const copy = new CallRecord();
    copy.attempt = 1;
    copy.prepareAdmission(10);
    expect([policy.admit(copy), copy.hedgeSeconds]).toEqual(["budget", Number.POSITIVE_INFINITY]);
  });

  it("counts neither a copy that was given up nor one whose end comes late or twice", () => {
    const policy = eighth({ maxTokens: 4 });
    for (let call = 0; call < 10; call++) {
      const record = new CallRecord();
      record.prepareAdmission(10);
      policy.admit(record);
      policy.abandon(record);
      expect(policy.settle(record, answer(record, "busy"))).toBe("done");
    }
    const record = new CallRecord();
    record.prepareAdmission(10);
    policy.admit(record);
    expect(policy.settle(record, answer(record, "busy"))).toBe("retry");
    expect(policy.settle(record, answer(record, "busy"))).toBe("done");
    expect(policy.settle(new CallRecord(), "overloaded")).toBe("done");
    // One token is gone: another copy may go.
    expect(hedgedCall(policy, slow)).toMatchObject({ sent: { length: 4 } });
  });

  const end = fc.constantFrom<End>("ok", "busy", "busy", "timeout", "throttled", "broken", "missing");
  const fate = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(fc.double({ min: 0, max: 2, noNaN: true }), end) },
    { weight: 1, arbitrary: fc.constant("never" as const) },
  );

  it("ends every call after at most maxAttempts copies, whatever becomes of them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fate), { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 0.125, 1),
        fc.constantFrom(1, 10, 1000),
        (calls, maxAttempts, hedgingDelay, maxTokens) => {
          const policy = new HedgePolicy({ maxAttempts, hedgingDelay, maxTokens });
          for (const script of calls) {
            const call = hedgedCall(policy, script);
            if (call !== "left") expect(call.sent.length).toBeLessThanOrEqual(maxAttempts);
          }
        },
      ),
    );
  });

  it.each([
    [{ maxAttempts: 6 }, "'maxAttempts' must be an integer from 1 to 5: current value is 6"],
    [{ hedgingDelay: -1 }, "'hedgingDelay' must be a finite number of seconds from 0 to 86400: current value is -1"],
    [{ maxTokens: 0 }, "'maxTokens' must be an integer from 1 to 1000: current value is 0"],
  ])("refuses %o", (options, rule) => {
    expect(() => new HedgePolicy(options)).toThrow(RangeError);
    expect(() => new HedgePolicy(options)).toThrow(rule);
  });
});

describe("the preset hedge", () => {
  it("has the figures of the examples in A6: 4 copies, 0.5 s apart", () => {
    const { policy } = client(named(hedgePresets, "hedge"));
    expect(hedgedCall(policy, [[10, "ok"]])).toMatchObject({
      sent: [
        [0, 0],
        [1, 0.5],
        [2, 1],
        [3, 1.5],
      ],
    });
  });
});
