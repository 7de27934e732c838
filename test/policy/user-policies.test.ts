import { describe, expect, it } from "vitest";
import { CallRecord } from "../../src/policy/call-record.ts";
import { policyPresets, resolvePolicy, resolvePreset } from "../../src/policy/catalogue.ts";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";
import { ModifiedPolicy } from "../../src/policy/modifier/modified-policy.ts";
import { modifierOptions } from "../../src/policy/modifier/modifiers.ts";
import { isAllowed } from "../../src/policy/option.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import type { Policy, Random } from "../../src/policy/policy.ts";
import type { PolicyPreset } from "../../src/policy/preset.ts";
import { headersRead, type UserStreams, userPolicies } from "../../src/policy/user-policies.ts";
import { ManualClock } from "./fakes.ts";

/** Streams that say which of them were asked for, and drawn from. */
class LoggedStreams implements UserStreams {
  readonly log: string[] = [];
  policy = (user: number): Random => this.stream(`policy ${user}`);
  jitter = (user: number): Random => this.stream(`jitter ${user}`);

  private stream(name: string): Random {
    this.log.push(`open ${name}`);
    return {
      random: () => {
        this.log.push(name);
        return 0.5;
      },
    };
  }
}

function build(name: string, given: Record<string, unknown>, streams = new LoggedStreams()) {
  const clock = new ManualClock();
  const make = userPolicies(resolvePolicy(name, given), streams);
  return { clock, streams, make: (user: number) => make(user, clock) };
}

function admit(policy: Policy, attempt = 0, call = new CallRecord()) {
  call.attempt = attempt;
  call.prepareAdmission(1);
  return policy.admit(call);
}

describe("userPolicies()", () => {
  it("builds the bare policy without modifiers, and opens the streams of each user once", () => {
    const { make, streams } = build("sre", {});
    expect(make(3)).toBeInstanceOf(OverloadClient);
    expect(make(5)).not.toBe(make(3));
    expect(streams.log.slice(0, 2)).toEqual(["open jitter 3", "open policy 3"]);
    expect(build("none", {}).make(0)).toBeInstanceOf(FixedRetry);
  });

  it.each(Object.keys(modifierOptions).filter((name) => name !== "scope"))(
    "%s at its default wraps nothing",
    (name) => {
      const given = { [name]: modifierOptions[name as keyof typeof modifierOptions].default };
      expect(build("none", given).make(0)).toBeInstanceOf(FixedRetry);
    },
  );

  it("a modifier draws from the jitter alone: the policy's decisions get the numbers that they had", () => {
    const plain = build("sre", {});
    const modified = build("sre", {
      startJitter: 4,
      backoff: "full",
      retryAfter: "client",
      deadline: 60,
      attemptHeader: "x",
    });
    for (const { make, clock, streams } of [plain, modified]) {
      const policy = make(0);
      const call = new CallRecord();
      if (admit(policy, 0, call) === "wait") {
        clock.seconds += call.delaySeconds;
        expect(admit(policy, 0, call)).toBe("send");
      }
      Object.assign(call, { status: 503, answerHeaders: ["retry-after", "2"] });
      expect(policy.settle(call, "overloaded")).toBe("retry");
      clock.seconds += call.delaySeconds;
      expect(["send", "throttled"]).toContain(admit(policy, 1, call));
      expect(streams.log.filter((line) => line === "policy 0")).toHaveLength(2);
    }
    expect(plain.streams.log).not.toContain("jitter 0");
    expect(modified.streams.log.filter((line) => line === "jitter 0")).toHaveLength(3);
  });

  it("the scope 'process' shares one policy, and makes it from the streams of user 0", () => {
    const { make, streams } = build("sre", { scope: "process", retryRatio: 1 });
    const [one, other] = [make(7), make(9)];
    expect(one).toBe(other);
    admit(one);
    expect(admit(other, 1)).not.toBe("budget");
    expect(streams.log.filter((line) => line.startsWith("open"))).toEqual(["open jitter 0", "open policy 0"]);
  });

  it("the scope 'user' gives each a budget of its own", () => {
    const { make } = build("sre", { retryRatio: 1 });
    const [one, other] = [make(7), make(9)];
    admit(one);
    expect(admit(other, 1)).toBe("budget");
  });

  it("with the scope 'process' the modifiers stay each user's own, around one policy", () => {
    const { make, streams } = build("sre", { scope: "process", startJitter: 4, retryAfter: "client", retryRatio: 1 });
    const [one, other] = [make(7), make(0)];
    expect(one).toBeInstanceOf(ModifiedPolicy);
    expect(one).not.toBe(other);
    expect([admit(one), admit(other), admit(one)]).toEqual(["wait", "wait", "send"]);
    expect(admit(other, 1)).not.toBe("budget");
    // User 0 and the shared policy have one jitter stream, as a user's own policy and its modifiers have.
    expect(streams.log.filter((line) => line.startsWith("open"))).toEqual([
      "open jitter 0",
      "open policy 0",
      "open jitter 7",
    ]);
  });

  it("a Retry-After to one user holds back no other, also with the scope 'process'", () => {
    const { make } = build("none", { scope: "process", retryAfter: "client" });
    const [one, other] = [make(1), make(2)];
    const call = new CallRecord();
    admit(one, 0, call);
    Object.assign(call, { status: 503, answerHeaders: ["retry-after", "2"] });
    one.settle(call, "overloaded");
    expect([admit(one), admit(other)]).toEqual(["throttled", "send"]);
  });

  it.each([
    [{ retryAfterCap: 5 }, "'retryAfterCap' changes nothing without retryAfter=retry or retryAfter=client"],
    [{ retryAfterJitter: 0 }, "'retryAfterJitter' changes nothing without retryAfter=retry or retryAfter=client"],
    [{ backoffBase: 5 }, "'backoffBase' changes nothing without backoff=full or another backoff"],
    [{ backoff: "none", backoffCap: 5 }, "'backoffCap' changes nothing without backoff=full or another backoff"],
    [
      { attemptHeader: "X-Both", deadlineHeader: "x-both" },
      "'attemptHeader' must differ from 'deadlineHeader': current value is X-Both",
    ],
  ])("refuses %o", (given, message) => {
    expect(() => build("sre", given)).toThrow(new RangeError(`Cannot use policy 'sre' as ${message}`));
  });
});

describe("headersRead()", () => {
  it.each([
    [{}, []],
    [{ retryAfter: "retry" }, ["retry-after", "date"]],
    [{ retryAfter: "client", pushback: "on" }, ["retry-after", "date", "grpc-retry-pushback-ms"]],
    [{ backoff: "full", deadline: 1, attemptHeader: "x" }, []],
  ])("with %o is %o", (given, names) => {
    expect(headersRead(resolvePolicy("retry", given))).toEqual(names);
  });

  it("adds to the preset's own, each once", () => {
    const preset: PolicyPreset = { ...(policyPresets[0] as PolicyPreset), readsHeaders: ["ratelimit", "retry-after"] };
    expect(headersRead(resolvePreset(preset, { retryAfter: "retry" }))).toEqual(["ratelimit", "retry-after", "date"]);
  });
});

describe("modifierOptions", () => {
  it("have defaults that obey their rules, and docs that say something in one line", () => {
    for (const spec of Object.values(modifierOptions)) {
      expect(isAllowed(spec, spec.default)).toBe(true);
      expect(spec.doc).toMatch(/^[^\n]{10,}[^.\n]$/);
    }
  });

  it("have names that no preset's own option has", () => {
    for (const preset of policyPresets) {
      for (const name of Object.keys(preset.options)) expect(Object.hasOwn(modifierOptions, name)).toBe(false);
    }
  });

  it.each([
    ["retryAfter", "yes"],
    ["retryAfterJitter", -1],
    ["backoff", "jitter"],
    ["startJitter", "-1s"],
    ["deadline", "soon"],
    ["deadlineHeader", "a b"],
    ["attemptHeader", "x:y"],
  ])("%s refuses %o", (option, value) => {
    expect(() => resolvePolicy("none", { [option]: value })).toThrow(RangeError);
  });
});
