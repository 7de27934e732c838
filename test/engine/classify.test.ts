import { describe, expect, it } from "vitest";
import { Call } from "../../src/engine/call.ts";
import { Classifier, DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON, verdictOf } from "../../src/engine/classify.ts";
import type { Fault } from "../../src/policy/policy.ts";

function ended(status: number, fault: Fault = "none"): Call {
  return Object.assign(new Call(), { status, fault });
}

describe("Classifier", () => {
  const byDefault = new Classifier(DEFAULT_OVERLOADED_ON, DEFAULT_OK_ON);

  it.each([
    [200, "accepted", true],
    [204, "accepted", true],
    [302, "accepted", true],
    [404, "accepted", false],
    [429, "overloaded", false],
    [500, "accepted", false],
    [502, "accepted", false],
    [503, "overloaded", false],
  ] as const)("takes status %i for %s, ok %s", (status, attemptClass, ok) => {
    expect(byDefault.classOf(ended(status))).toBe(attemptClass);
    expect(byDefault.isOk(ended(status))).toBe(ok);
  });

  it.each([
    ["timeout", "overloaded", "overloaded"],
    ["refused", "overloaded", "overloaded"],
    ["reset", "overloaded", "overloaded"],
    ["stale", "staleConnection", "failed"],
    ["client", "clientFault", "failed"],
    ["other", "failed", "failed"],
  ] as const)("takes fault %s for %s, which a policy hears as %s", (fault, attemptClass, verdict) => {
    expect(byDefault.classOf(ended(0, fault))).toBe(attemptClass);
    expect(verdictOf(attemptClass)).toBe(verdict);
  });

  it("lets the user say what overload is", () => {
    const own = new Classifier(["5xx"], ["2xx", "404"]);
    expect(own.classOf(ended(500))).toBe("overloaded");
    expect(own.classOf(ended(429))).toBe("accepted");
    expect(own.classOf(ended(0, "timeout"))).toBe("failed");
    expect(own.isOk(ended(404))).toBe(true);
  });

  it.each(["", "42", "600", "6xx", "slow", "503 "])("refuses %j with the rule and the value", (token) => {
    expect(() => new Classifier([token], [])).toThrow(RangeError);
    expect(() => new Classifier([token], [])).toThrow(`current value is "${token}"`);
    expect(() => new Classifier([], [token])).toThrow(RangeError);
  });
});
