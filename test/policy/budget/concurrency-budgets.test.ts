import { describe, expect, it } from "vitest";
import { budgetPresets } from "../../../src/policy/budget/presets.ts";
import type { CallRecord } from "../../../src/policy/call-record.ts";
import type { NextStep, Policy } from "../../../src/policy/policy.ts";
import { ScriptedRandom } from "../fakes.ts";
import { answer, callOnce, client, type End, named, startCalls } from "./one-call.ts";

function settle(policy: Policy, call: CallRecord, end: End): NextStep {
  const verdict = answer(call, end);
  return policy.settle(call, verdict);
}

/** The first attempts of all calls fail, one after the other. @returns those that are to be retried. */
function failAll(policy: Policy, calls: readonly CallRecord[]): CallRecord[] {
  return calls.filter((call) => settle(policy, call, "busy") === "retry");
}

function retry(policy: Policy, call: CallRecord): void {
  call.attempt += 1;
  call.prepareAdmission(Number.POSITIVE_INFINITY);
  expect(policy.admit(call)).toBe("send");
}

describe("envoy-budget", () => {
  const envoy = named(budgetPresets, "envoy-budget");

  // By hand: max(trunc(percent x calls / 100), minimum). The calls stay under way while one after the other fails, and those
  // that are denied leave.
  it.each([
    [1, {}, 1],
    [3, {}, 3],
    [4, {}, 3],
    [19, {}, 3],
    [20, {}, 4],
    [24, {}, 4],
    [25, {}, 5],
    [1000, {}, 200],
    [10, { budgetPercent: 50, minRetryConcurrency: 0 }, 5],
    [10, { budgetPercent: 100 }, 10],
    [4, { minRetryConcurrency: 0 }, 0],
    [5, { minRetryConcurrency: 0 }, 1],
    [10, { budgetPercent: 0 }, 3],
    [10, { budgetPercent: 0, minRetryConcurrency: 0 }, 0],
    [10, { budgetPercent: 12.5, minRetryConcurrency: 1 }, 1],
  ])("of %i calls under way that fail, with %o, retries %i", (count, options, retries) => {
    const { policy } = client(envoy, options);
    expect(failAll(policy, startCalls(policy, count))).toHaveLength(retries);
  });

  it("holds a retry's place through its backoff and its attempt, whatever ends it", () => {
    const { policy } = client(envoy, { minRetryConcurrency: 1, budgetPercent: 0, maxAttempts: 3 });
    const ends: readonly ((call: CallRecord) => void)[] = [
      (call) => expect(settle(policy, call, "ok")).toBe("done"),
      (call) => expect(settle(policy, call, "broken")).toBe("done"),
      (call) => policy.abandon?.(call),
    ];
    for (const end of ends) {
      const [one, other] = startCalls(policy, 2) as [CallRecord, CallRecord];
      expect(settle(policy, one, "busy")).toBe("retry");
      expect(settle(policy, other, "busy")).toBe("budget");
      retry(policy, one);
      expect(callOnce(policy, "busy").outcome).toBe("budget");
      end(one);
      expect(callOnce(policy, "busy", "ok").outcome).toBe("ok");
    }
    const [waiting] = startCalls(policy, 1) as [CallRecord];
    expect(settle(policy, waiting, "busy")).toBe("retry");
    policy.abandon?.(waiting);
    expect(callOnce(policy, "busy", "ok").outcome).toBe("ok");
  });

  it("frees the place of the retry that failed before its next one asks", () => {
    const { policy } = client(envoy, { minRetryConcurrency: 1, budgetPercent: 0, maxAttempts: 4 });
    expect(callOnce(policy, "busy")).toMatchObject({ outcome: "failed", attempts: 4 });
  });

  it("counts no request that is over", () => {
    const { policy } = client(envoy);
    for (const end of ["ok", "busy", "broken"] as const) for (let call = 0; call < 100; call++) callOnce(policy, end);
    expect(failAll(policy, startCalls(policy, 24))).toHaveLength(4);
  });

  it("retries once, after U(0, min(250 ms, 25 ms x 2^n))", () => {
    expect(callOnce(client(envoy).policy, "busy")).toMatchObject({ outcome: "failed", attempts: 2 });
    const { policy } = client(envoy, { maxAttempts: 7 }, new ScriptedRandom(0.5));
    expect(callOnce(policy, "busy").delays).toEqual([0.0125, 0.025, 0.05, 0.1, 0.125, 0.125]);
  });
});

describe("failsafe-go-budget", () => {
  const failsafeGo = named(budgetPresets, "failsafe-go-budget");

  // By hand: denied once there are 3 retries and retries / (calls + retries) is above 0.2. With 20 calls 5 / 25 is not.
  it.each([
    [1, {}, 1],
    [3, {}, 3],
    [11, {}, 3],
    [12, {}, 4],
    [15, {}, 4],
    [16, {}, 5],
    [20, {}, 6],
    [400, {}, 101],
    [10, { maxRate: 1 }, 10],
    [10, { maxRate: 0 }, 3],
    [10, { maxRate: 0, minConcurrency: 0 }, 1],
    [10, { maxRate: 0.5, minConcurrency: 0 }, 10],
  ])("of %i calls under way that fail, with %o, retries %i", (count, options, retries) => {
    const { policy } = client(failsafeGo, options);
    expect(failAll(policy, startCalls(policy, count))).toHaveLength(retries);
  });

  it("counts no execution that is over", () => {
    const { policy } = client(failsafeGo);
    for (const end of ["ok", "busy", "broken"] as const) for (let call = 0; call < 100; call++) callOnce(policy, end);
    expect(failAll(policy, startCalls(policy, 12))).toHaveLength(4);
  });

  it("gives a place back when the retry ends, and retries twice at once", () => {
    const { policy } = client(failsafeGo);
    expect(failAll(policy, startCalls(policy, 3)).map((call) => policy.abandon?.(call))).toHaveLength(3);
    expect(callOnce(policy, "busy")).toEqual({ outcome: "failed", attempts: 3, delays: [0, 0] });
  });
});
