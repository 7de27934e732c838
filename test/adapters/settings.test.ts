import { describe, expect, test } from "vitest";
import { type OverloadControlOptions, resolveSettings } from "../../src/adapters/settings.ts";
import { policyPresets } from "../../src/policy/catalogue.ts";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";
import { modifierOptions } from "../../src/policy/modifier/modifiers.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { ADAPTER_OPTIONS, type UserPolicy } from "../../src/policy/policy-module.ts";

/** The names that the interface declares, without those of policies, of which it says nothing. */
type Declared = keyof {
  [Name in keyof OverloadControlOptions as string extends Name ? never : Name]: true;
};

const DECLARED: Readonly<Record<Declared, true>> = {
  policy: true,
  keyOf: true,
  maxKeys: true,
  criticalityOf: true,
  timeoutSeconds: true,
  overloadedOn: true,
  retryUnsafe: true,
  onEvent: true,
  meter: true,
  readsHeaders: true,
  clock: true,
  random: true,
};

function messageOf(options: OverloadControlOptions): string {
  try {
    resolveSettings(options);
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return (error as RangeError).message;
  }
  return "";
}

describe("the options of overload control", () => {
  test("name every preset that does not hedge, each with its own policy for each key", () => {
    const usable = policyPresets.filter(({ family }) => family !== "hedge");
    expect(usable.length).toBeGreaterThan(3);
    for (const { name } of usable) {
      const { policies } = resolveSettings({ policy: name });
      expect(typeof policies.of("a").policy.admit).toBe("function");
    }
  });

  test("refuse a policy that hedges, for no copy would be sent", () => {
    const message = messageOf({ policy: "hedge" });
    expect(message).toBe(
      "Cannot control overload by policy 'hedge' as it hedges, and neither overloadFetch nor overloadControl sends copies of a call",
    );
    const own: UserPolicy = {
      name: "mine",
      summary: "Mine",
      family: "hedge",
      options: {},
      create: () => () => new FixedRetry(),
    };
    expect(messageOf({ policy: own })).toContain("policy 'mine' as it hedges");
  });

  test("none stands for an OverloadClient of its defaults", () => {
    expect(resolveSettings({}).policies.of("a").policy).toBeInstanceOf(OverloadClient);
  });

  test("are never taken for a policy's, which has none of these names", () => {
    const own: readonly string[] = ADAPTER_OPTIONS;
    const taken = [...policyPresets.map(({ options }) => options), modifierOptions].flatMap((each) =>
      Object.keys(each).filter((name) => own.includes(name)),
    );
    expect(taken).toEqual([]);
    expect(own.toSorted()).toEqual(Object.keys(DECLARED).toSorted());
  });

  test("pass on the policy's own, and refuse what neither knows", () => {
    const { policies, clock } = resolveSettings({ policy: "sre", k: 4, window: "30s", clock: { now: () => 5 } });
    expect(clock.now()).toBe(5);
    const client = policies.of("a").policy as OverloadClient;
    client.call(() => "overloaded");
    // One attempt of a call whose retry has no budget: R = 2, of which A = 0.
    expect(client.rejectProbability()).toBeGreaterThan(0);
    expect(() => resolveSettings({ policy: "sre", kk: 2 })).toThrow(/no option 'kk'/);
    expect(() => resolveSettings({ timoutSeconds: 2 })).toThrow(/no option 'timoutSeconds'/);
    expect(() => resolveSettings({ policy: "nothing" })).toThrow(/no policy 'nothing'/);
    expect(() => resolveSettings({ policy: () => new FixedRetry(), k: 2 })).toThrow(/no option 'k'/);
  });

  test("name the nearest and all of their own when there is none of a name, in one line", () => {
    expect(messageOf({ timeout: 2 })).toBe(
      "There is no option 'timeout' (did you mean 'timeoutSeconds'?): besides the policy's there are policy, keyOf, maxKeys, criticalityOf, timeoutSeconds, overloadedOn, retryUnsafe, onEvent, meter, readsHeaders, clock, random",
    );
    expect(messageOf({ timeout: 2 }).length).toBeLessThan(220);
    expect(messageOf({ kk: 2 })).toContain("(did you mean 'k'?)");
    expect(messageOf({ startJiter: 2 })).toContain("(did you mean 'startJitter'?)");
    expect(messageOf({ somethingElse: 2 })).toMatch(
      /^There is no option 'somethingElse': besides the policy's there are/,
    );
    expect(messageOf({ policy: () => new FixedRetry(), timeout: 2 })).toMatch(
      /^There is no option 'timeout' \(did you mean 'timeoutSeconds'\?\): there are policy, /,
    );
  });

  test("share one policy among all keys with the scope process", () => {
    const apart = resolveSettings({ policy: "sre" }).policies;
    expect(apart.of("a").policy).not.toBe(apart.of("b").policy);
    const shared = resolveSettings({ policy: "sre", scope: "process" }).policies;
    expect(shared.of("a").policy).toBe(shared.of("b").policy);
  });

  test("take what a policy module exports, with its options, and a factory", () => {
    const policy: Policy = new FixedRetry();
    const given: number[] = [];
    const own: UserPolicy<"pause"> = {
      name: "mine",
      summary: "Mine",
      options: { pause: { default: 1, kind: "number", min: 0, max: 9, unit: "seconds", doc: "Before the retry" } },
      readsHeaders: ["x-load"],
      create: ({ pause }) => {
        given.push(pause);
        return () => policy;
      },
    };
    const settings = resolveSettings({ policy: own, pause: "500ms" });
    expect(settings.policies.of("a").policy).toBe(policy);
    expect(given).toEqual([0.5]);
    expect(settings.readsHeaders).toEqual(["x-load"]);
    expect(() => resolveSettings({ policy: { ...own, name: "Mine!" } })).toThrow(/policy.name/);
    const made = resolveSettings({ policy: () => policy, readsHeaders: ["x-load"] });
    expect(made.policies.of("a").policy).toBe(policy);
    expect(made.readsHeaders).toEqual(["x-load"]);
    expect(resolveSettings({ policy: () => policy }).readsHeaders).toEqual([
      "retry-after",
      "date",
      "grpc-retry-pushback-ms",
    ]);
  });

  test("read no header of an answer that neither the policy nor a modifier wants", () => {
    expect(resolveSettings({}).readsHeaders).toEqual([]);
    expect(resolveSettings({ retryAfter: "retry" }).readsHeaders).toEqual(
      expect.arrayContaining(["retry-after", "date"]),
    );
  });

  test("say which rule is broken, by what", () => {
    expect(() => resolveSettings({ maxKeys: 0 })).toThrow(
      new RangeError("Cannot control overload as 'maxKeys' must be a positive integer: current value is 0"),
    );
    expect(() => resolveSettings({ timeoutSeconds: 0 })).toThrow(
      /'timeoutSeconds' must be a number of seconds above 0/,
    );
    expect(() => resolveSettings({ timeoutSeconds: Number.NaN })).toThrow(/current value is NaN/);
    expect(() => resolveSettings({ overloadedOn: ["slow"] })).toThrow(
      /'overloadedOn' must list .*: current value is slow/,
    );
    expect(() => resolveSettings({ overloadedOn: [99] })).toThrow(/current value is 99/);
  });

  test("are refused at creation, in one line, where they are not of the shape that is used", () => {
    const bad: Readonly<Record<string, readonly [unknown, string]>> = {
      timeoutSeconds: ["2", "a number of seconds above 0"],
      keyOf: ["origin", "a function"],
      criticalityOf: [1, "a function"],
      onEvent: [{}, "a function"],
      meter: [{}, "an object with createCounter()"],
      clock: [null, "an object with now()"],
      random: [Math.random, "an object with random()"],
      overloadedOn: ["5xx", "a list"],
    };
    for (const [name, [value, rule]] of Object.entries(bad)) {
      expect(messageOf({ [name]: value })).toContain(`Cannot control overload as '${name}' must be ${rule}: current`);
      expect(messageOf({ [name]: undefined }), name).toBe("");
    }
  });

  test("make text of any key, so that it can be told", () => {
    const request = { origin: "http://a.test", method: "GET", path: "/" };
    expect(resolveSettings({}).keyOf(request)).toBe("http://a.test");
    for (const [key, text] of [
      [Symbol("s"), "Symbol(s)"],
      [5, "5"],
      [undefined, "http://a.test"],
    ]) {
      expect(resolveSettings({ keyOf: () => key as string }).keyOf(request)).toBe(text);
    }
  });

  test("classify answers and faults", () => {
    const { signs } = resolveSettings({});
    expect([200, 404, 500, 502, 429, 503].map((status) => signs.verdictOf(status, "none"))).toEqual([
      "accepted",
      "accepted",
      "accepted",
      "accepted",
      "overloaded",
      "overloaded",
    ]);
    expect(
      (["timeout", "refused", "reset", "stale", "client", "other"] as const).map((f) => signs.verdictOf(0, f)),
    ).toEqual(["overloaded", "overloaded", "overloaded", "failed", "failed", "failed"]);
    const strict = resolveSettings({ overloadedOn: ["5xx", 408] }).signs;
    expect([500, 599, 408, 429].map((status) => strict.verdictOf(status, "none"))).toEqual([
      "overloaded",
      "overloaded",
      "overloaded",
      "accepted",
    ]);
    expect(strict.verdictOf(0, "timeout")).toBe("failed");
  });
});
