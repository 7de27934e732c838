import { describe, expect, it } from "vitest";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import { throttlePresets } from "../../../src/policy/throttle/presets.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";
import { callOnce, ended, OK, policyOf, presetNamed, REFUSED_503 } from "./throttle-driver.ts";

const names = throttlePresets.map(({ name }) => name);

describe("the throttle presets", () => {
  it("have names of their own", () => {
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(names)("%s says in one line what it is, who uses it, how it fails and where it comes from", (name) => {
    const { summary, use, fails, source, equation } = presetNamed(name);
    for (const text of [summary, use, fails, source]) {
      expect(text.length).toBeGreaterThanOrEqual(10);
      expect(text.length).toBeLessThanOrEqual(200);
      expect(text).not.toMatch(/\.$|\n/u);
    }
    expect(equation).toMatch(/=/u);
  });

  it.each([
    ["sre-completion", { k: 2, window: 120, maxAttempts: 1 }],
    ["sre-criticality", { k: 2, window: 120, maxAttempts: 1 }],
    [
      "envoy-admission",
      { window: 30, srThreshold: 0.95, aggression: 1, rpsThreshold: 0, maxRejectionProbability: 0.8, maxAttempts: 1 },
    ],
    [
      "finagle-nack",
      { window: 120, nackRateThreshold: 0.5, rpsThreshold: 5, maxDropProbability: 0.75, maxAttempts: 1 },
    ],
    ["go-zero", { k: 1.5, minK: 1.1, window: 10, protection: 5, forcePass: 1, maxAttempts: 1 }],
    ["kratos", { success: 0.6, request: 100, bucket: 10, window: 3, maxAttempts: 1 }],
    [
      "failsafe-go-throttle",
      { failureRateThreshold: 0.1, executionThreshold: 0, window: 60, maxRejectionRate: 0.9, maxAttempts: 1 },
    ],
    ["beam", { window: 120, bucket: 1, overloadRatio: 1.25, throttleDelay: 5, maxAttempts: 1 }],
  ])("%s has the source's defaults", (name, options) => {
    expect(resolvePreset(presetNamed(name)).own).toEqual(options);
  });

  it.each(names)("%s sends, and retries only when told to", (name) => {
    const random = new ScriptedRandom(0.999999);
    expect(callOnce(policyOf(name, {}, new ManualClock(1), random), OK)).toBe("send");
    for (const [maxAttempts, next] of [
      [1, "done"],
      [2, "retry"],
    ] as const) {
      const policy = policyOf(name, { maxAttempts }, new ManualClock(1), random);
      const call = ended(REFUSED_503);
      expect(policy.admit(call)).toBe("send");
      expect(policy.settle(call, "overloaded")).toBe(next);
    }
  });

  it.each(names)("%s gives each user a state of its own", (name) => {
    const preset = presetNamed(name);
    const factory = preset.create(resolvePreset(preset).own);
    const make = () => factory(new ManualClock(1), new ScriptedRandom(0.999999, 0.999999, 0), new ScriptedRandom(0));
    expect(make()).not.toBe(make());
  });

  it("cannot have more buckets than fit the window", () => {
    const preset = presetNamed("sre-throttle");
    const { own } = resolvePreset(preset, { window: 10, bucket: 20 });
    const factory = preset.create(own);
    expect(() => factory(new ManualClock(), new ScriptedRandom(0), new ScriptedRandom(0))).toThrow(RangeError);
  });
});
