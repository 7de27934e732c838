import { describe, expect, it } from "vitest";
import { CallRecord } from "../../src/policy/call-record.ts";
import { ATTEMPTS_MAX, GuardedPolicy, guardedPreset, PolicyFault } from "../../src/policy/guarded-policy.ts";
import type { Policy, PolicyFactory } from "../../src/policy/policy.ts";
import { presetOf } from "../../src/policy/policy-module.ts";

/** A policy of which a part is not as it should be. */
function guarded(part: object): { policy: GuardedPolicy; faults: string[] } {
  const faults: string[] = [];
  const policy = { admit: () => "send", settle: () => "done", ...part } as Policy;
  return { policy: new GuardedPolicy(policy, (why) => faults.push(why)), faults };
}

/** Writes into the call, and answers. */
function answering(answer: string, written: Partial<CallRecord>): (call: CallRecord) => string {
  return (call) => {
    Object.assign(call, written);
    return answer;
  };
}

function preparedCall(attempt = 0): CallRecord {
  const call = new CallRecord();
  call.attempt = attempt;
  call.prepareAdmission(1);
  return call;
}

describe("GuardedPolicy", () => {
  it("passes on every answer of the contract", () => {
    for (const answer of ["send", "throttled", "budget", "broken", "limited", "deadline"] as const) {
      const { policy, faults } = guarded({ admit: () => answer });
      expect(policy.admit(preparedCall())).toBe(answer);
      expect(faults).toEqual([]);
    }
    for (const step of ["done", "retry", "budget", "throttled"] as const) {
      const { policy, faults } = guarded({ settle: () => step });
      expect(policy.settle(preparedCall(), "overloaded")).toBe(step);
      expect(faults).toEqual([]);
    }
  });

  it.each<[object, string]>([
    [
      { admit: () => 42 },
      "admit() must return one of send, wait, throttled, budget, broken, limited, deadline: it returned 42",
    ],
    [
      { admit: async () => "send" },
      "admit() must return one of send, wait, throttled, budget, broken, limited, deadline: it returned a promise",
    ],
    [{ admit: () => undefined }, "it returned undefined"],
    [{ admit: () => "toString" }, 'it returned "toString"'],
    [{ admit: () => "wait" }, "admit() must set delaySeconds to a number above 0 when it returns wait: it is 0"],
    [{ admit: answering("wait", { delaySeconds: Number.NaN }) }, "it is NaN"],
    [{ admit: answering("wait", { delaySeconds: Number.POSITIVE_INFINITY }) }, "it is Infinity"],
    [
      { admit: answering("send", { timeoutSeconds: -1 }) },
      "admit() must leave timeoutSeconds a number above 0: it is -1",
    ],
    [
      { admit: answering("send", { hedgeSeconds: Number.NaN }) },
      "admit() must leave hedgeSeconds a number of at least 0",
    ],
    [
      { admit: answering("send", { requestHeaders: ["a"] }) },
      "admit() must set requestHeaders to a list of name, value",
    ],
    [
      {
        admit: () => {
          throw new TypeError("x is\nnot  a function");
        },
      },
      "admit() threw TypeError: x is not a function",
    ],
    [
      {
        admit: () => {
          throw JSON.parse('"a text"');
        },
      },
      'admit() threw "a text"',
    ],
  ])("refuses the call, and tells once: %o", (part, message) => {
    const { policy, faults } = guarded(part);
    expect(policy.admit(preparedCall())).toBe("limited");
    expect(policy.admit(preparedCall())).toBe("limited");
    expect(policy.settle(preparedCall(), "overloaded")).toBe("done");
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
    expect(faults[0]).not.toContain("\n");
  });

  it.each<[object, string]>([
    [
      { settle: () => true },
      "settle() must return one of done, retry, throttled, budget, broken, limited, deadline: it returned true",
    ],
    [{ settle: () => "send" }, 'it returned "send"'],
    [
      { settle: answering("retry", { delaySeconds: -1 }) },
      "settle() must leave delaySeconds a number of at least 0 when it returns retry: it is -1",
    ],
    [
      {
        settle: () => {
          throw new RangeError("no");
        },
      },
      "settle() threw RangeError: no",
    ],
  ])("ends the call, and tells once: %o", (part, message) => {
    const { policy, faults } = guarded(part);
    expect(policy.settle(preparedCall(), "overloaded")).toBe("done");
    expect(policy.admit(preparedCall())).toBe("limited");
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
  });

  it("says where in its file it threw", () => {
    const { policy, faults } = guarded({
      admit: () => {
        throw new Error("boom");
      },
    });
    policy.admit(preparedCall());
    expect(faults[0]).toMatch(/^admit\(\) threw Error: boom \(guarded-policy\.test\.ts:\d+:\d+\)$/);
  });

  it("ends retries that never end", () => {
    const { policy, faults } = guarded({});
    expect(policy.admit(preparedCall(ATTEMPTS_MAX - 1))).toBe("send");
    expect(policy.admit(preparedCall(ATTEMPTS_MAX))).toBe("limited");
    expect(faults).toEqual(["it has retried one call 10000 times: its retries never end"]);
  });

  it("abandons what the policy can abandon, and survives when that throws", () => {
    const abandoned: object[] = [];
    const call = preparedCall();
    guarded({ abandon: (of: object) => abandoned.push(of) }).policy.abandon(call);
    guarded({}).policy.abandon(call);
    expect(abandoned).toEqual([call]);
    const { policy, faults } = guarded({
      abandon: () => {
        throw new Error("no");
      },
    });
    policy.abandon(call);
    expect(faults[0]).toContain("abandon() threw Error: no");
  });
});

describe("guardedPreset()", () => {
  const CLOCK = { now: () => 0 };
  const CHANCE = { random: () => 0.5 };
  const preset = (create: () => unknown) =>
    presetOf({ name: "mine", summary: "Mine", options: {}, create: create as () => PolicyFactory });

  it.each<[() => unknown, string]>([
    [
      () => {
        throw new Error("no");
      },
      "create() threw Error: no",
    ],
    [() => ({ admit() {} }), "create() must return a function that makes a policy: it returned an object"],
  ])("throws when there is nothing to make policies with", (create, message) => {
    expect(() => guardedPreset(preset(create), () => {}).create({})).toThrow(PolicyFault);
    expect(() => guardedPreset(preset(create), () => {}).create({})).toThrow(message);
  });

  it.each<[() => unknown, string]>([
    [
      () => {
        throw new Error("no");
      },
      "the function that create() returned threw Error: no",
    ],
    [() => undefined, "must make a policy with admit() and settle(): it made undefined"],
    [() => ({ admit: () => "send" }), "must make a policy with admit() and settle(): it made an object"],
    [() => ({ admit: () => "send", settle: () => "done", abandon: 1 }), "abandon of the policy must be a function"],
  ])("refuses the calls of a user whose policy cannot be made", (make, message) => {
    const faults: string[] = [];
    const policy = guardedPreset(
      preset(() => make),
      (why) => faults.push(why),
    ).create({})(CLOCK, CHANCE, CHANCE);
    expect(policy.admit(preparedCall())).toBe("limited");
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
  });
});
