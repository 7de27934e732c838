import { describe, expect, it } from "vitest";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";
import { SentOnlyPolicy } from "../../src/policy/sent-only-policy.ts";
import { attemptNumber, ManualClock, ScriptedRandom } from "./fakes.ts";

const first = attemptNumber(0);

describe("FixedRetry", () => {
  it.each([
    [1, 0, "overloaded", "done"],
    [3, 0, "overloaded", "retry"],
    [3, 1, "overloaded", "retry"],
    [3, 2, "overloaded", "done"],
    [3, 0, "accepted", "done"],
    [3, 0, "failed", "done"],
  ] as const)("settle() with %i attempts, after attempt %i was %s, gives %s", (maxAttempts, attempt, verdict, next) => {
    const call = attemptNumber(attempt);
    const policy = new FixedRetry({ maxAttempts });
    expect(policy.admit(call)).toBe("send");
    expect(policy.settle(call, verdict)).toBe(next);
    expect(call.delaySeconds).toBe(0);
  });

  it("has 3 attempts by default", () => {
    const policy = new FixedRetry();
    expect([1, 2].map((attempt) => policy.settle(attemptNumber(attempt), "overloaded"))).toEqual(["retry", "done"]);
  });

  it("refuses maxAttempts 0 as a RangeError", () => {
    expect(() => new FixedRetry({ maxAttempts: 0 })).toThrow(
      new RangeError("Cannot create FixedRetry as 'maxAttempts' must be a positive integer: current value is 0"),
    );
  });
});

describe("SentOnlyPolicy", () => {
  it("admit() throttles by what was settled: overloaded and failed attempts count as not accepted", () => {
    const random = new ScriptedRandom(0.5, 0.5, 0.66, 0.67, 0.2);
    const policy = new SentOnlyPolicy(new ManualClock(), random);
    expect(policy.admit(first)).toBe("send");
    policy.settle(first, "overloaded");
    expect(policy.admit(first)).toBe("send");
    policy.settle(first, "failed");
    expect([policy.admit(first), policy.admit(first)]).toEqual(["throttled", "send"]);
    policy.settle(first, "accepted");
    expect(policy.admit(first)).toBe("throttled");
    expect(random.draws).toBe(5);
  });

  it("settle() never retries by default", () => {
    const policy = new SentOnlyPolicy(new ManualClock(), new ScriptedRandom(0));
    expect(policy.settle(first, "overloaded")).toBe("done");
  });

  it("settle() retries overloaded attempts up to maxAttempts, and admit() asks the throttle for each", () => {
    const random = new ScriptedRandom(0.9, 0.9, 0.9, 0.1);
    const policy = new SentOnlyPolicy(new ManualClock(), random, { maxAttempts: 3 });
    expect(policy.admit(first)).toBe("send");
    expect(policy.settle(first, "overloaded")).toBe("retry");
    expect(policy.admit(attemptNumber(1))).toBe("send");
    expect(policy.settle(attemptNumber(1), "overloaded")).toBe("retry");
    expect(policy.admit(attemptNumber(2))).toBe("send");
    expect(policy.settle(attemptNumber(2), "overloaded")).toBe("done");
    expect(policy.admit(first)).toBe("throttled");
    expect(policy.settle(first, "failed")).toBe("done");
    expect(random.draws).toBe(4);
  });

  it.each([
    [{ k: 0.5 }, "Cannot create AdaptiveThrottle as 'k' must be a finite number of at least 1: current value is 0.5"],
    [
      { maxAttempts: -1 },
      "Cannot create SentOnlyPolicy as 'maxAttempts' must be a positive integer: current value is -1",
    ],
  ])("the option %o is a RangeError", (options, message) => {
    expect(() => new SentOnlyPolicy(new ManualClock(), new ScriptedRandom(0), options)).toThrow(
      new RangeError(message),
    );
  });
});
