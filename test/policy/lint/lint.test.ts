import { describe, expect, it } from "vitest";
import { baselinePresets } from "../../../src/policy/baseline-presets.ts";
import { resolvePolicy, resolvePreset } from "../../../src/policy/catalogue.ts";
import { lintMeasured, lintPlan } from "../../../src/policy/lint/lint.ts";
import { traitsOf } from "../../../src/policy/lint/traits.ts";
import type { LoadFacts, MeasuredFacts } from "../../../src/policy/lint/warning.ts";
import type { PolicyPreset, PresetOptions } from "../../../src/policy/preset.ts";
import { throttlePresets } from "../../../src/policy/throttle/presets.ts";

/** 10 calls a second for each of 10 users, for 10 minutes after 2 of warm-up: nothing to be said with the defaults. */
const LOAD: LoadFacts = {
  clients: 10,
  callsPerSecond: 100,
  warmupSeconds: 120,
  durationSeconds: 600,
  timeoutSeconds: 1,
};

const MEASURED: MeasuredFacts = {
  accepted: 900,
  overloaded: 100,
  failed: 0,
  throttled: 50,
  outageSeconds: 0,
  latencySeconds: 0.01,
};

const sre = (options: Record<string, number> = {}): ReturnType<typeof resolvePolicy> => resolvePolicy("sre", options);

/** A budget of these options, by the names that its source gives them. */
function budget(own: PresetOptions): ReturnType<typeof resolvePolicy> {
  const preset: PolicyPreset = { ...sre().preset, name: "budget", family: "budget", options: {} };
  return { ...resolvePreset(preset), own };
}

const codes = (warnings: readonly { readonly code: string }[]): string[] => warnings.map(({ code }) => code);
const plan = (policy: ReturnType<typeof resolvePolicy>, load: Partial<LoadFacts> = {}): string[] =>
  codes(lintPlan(policy, { ...LOAD, ...load }));
const warned = (
  policy: ReturnType<typeof resolvePolicy>,
  measured: Partial<MeasuredFacts>,
  load: Partial<LoadFacts> = {},
): string[] => codes(lintMeasured(policy, { ...LOAD, ...load }, { ...MEASURED, ...measured }));

describe("lintPlan()", () => {
  it("has nothing against the defaults under a load that suits them", () => {
    expect(plan(sre())).toEqual([]);
    expect(plan(resolvePolicy("none"), { durationSeconds: 1, warmupSeconds: 0 })).toEqual([]);
  });

  it.each([
    [10, 19.9, ["sparse-window"]],
    [10, 20, []],
    [100, 20, ["sparse-window"]],
  ])(
    "warns of fewer than 20 calls in a client's window of 10 s: %d clients, %d calls/s",
    (clients, callsPerSecond, expected) => {
      expect(plan(sre({ window: 10 }), { clients, callsPerSecond })).toEqual(expected);
    },
  );

  it("says the figure and the limit of what it warns of", () => {
    const [warning] = lintPlan(sre({ window: 10 }), { ...LOAD, callsPerSecond: 10, clients: 10 });
    expect(warning).toMatchObject({ code: "sparse-window", figure: 10, limit: 20 });
    expect(warning?.message).toContain("10 calls in the policy's window of 10 s");
  });

  it("counts the clients of a shared policy, not the users", () => {
    expect(plan(sre({ window: 1 }), { clients: 10 })).toEqual(["sparse-window"]);
    expect(plan(sre({ window: 1 }), { clients: 1 })).toEqual([]);
  });

  it.each([
    [120, 480, []],
    [120, 479, ["few-windows"]],
    [0, 599, ["few-windows"]],
    [0, 600, []],
  ])(
    "warns of a run shorter than 5 windows, its warm-up included: %d s + %d s",
    (warmupSeconds, durationSeconds, expected) => {
      expect(plan(sre(), { warmupSeconds, durationSeconds })).toEqual(expected);
    },
  );

  it.each([
    [1, ["low-k"]],
    [1.049, ["low-k"]],
    [1.05, []],
    [5, []],
    [5.01, ["high-k"]],
  ])("warns of a K below 1.05 or above 5: %d", (k, expected) => {
    expect(plan(sre({ k }))).toEqual(expected);
    expect(plan(resolvePolicy("sre-sent-only", { k }))).toEqual(expected);
  });

  it.each([
    ["kratos", { success: 0.1 }, "high-k"],
    ["kratos", { success: 0.96 }, "low-k"],
    ["envoy-admission", { srThreshold: 0.99 }, "low-k"],
    ["failsafe-go-throttle", { failureRateThreshold: 0.9 }, "high-k"],
    ["finagle-nack", { nackRateThreshold: 0.01 }, "low-k"],
    ["beam", { overloadRatio: 6 }, "high-k"],
  ])("knows K by the names that the sources give it: %s %o", (name, options, code) => {
    const preset = throttlePresets.find((candidate) => candidate.name === name) as PolicyPreset;
    const load = { ...LOAD, callsPerSecond: 10_000 };
    expect(codes(lintPlan(resolvePreset(preset), load))).toEqual([]);
    expect(codes(lintPlan(resolvePreset(preset, options), load))).toEqual([code]);
  });

  it("warns of calls that overlap where they are counted before their answer, until a window of warm-up", () => {
    const slow = { latencySeconds: 0.1, warmupSeconds: 119, durationSeconds: 600 };
    expect(plan(sre(), slow)).toEqual(["counts-overlap"]);
    expect(plan(sre(), { ...slow, latencySeconds: 0.099 })).toEqual([]);
    expect(plan(sre(), { ...slow, warmupSeconds: 120 })).toEqual([]);
    expect(plan(resolvePolicy("sre-sent-only"), slow)).toEqual([]);
  });

  it("follows the options that choose what is counted, and when", () => {
    const throttle = throttlePresets.find(({ name }) => name === "sre-throttle") as PolicyPreset;
    const traits = (options: Record<string, number>) => traitsOf(resolvePreset(throttle, options)).throttle;
    expect(traits({})).toMatchObject({ countsAt: "attempt", countsLocal: true, maxReject: 1, forcesPasses: false });
    expect(traits({ countAt: 1, countLocal: 0, maxReject: 0.5, forcePass: 1 })).toMatchObject({
      countsAt: "completion",
      countsLocal: false,
      maxReject: 0.5,
      forcesPasses: true,
    });
    expect(traits({ countAt: 2 })).toMatchObject({ countsAt: "completion" });
  });

  it("warns of a cap of 1 where counts go only when a result is recorded", () => {
    const preset = throttlePresets.find(({ name }) => name === "failsafe-go-throttle") as PolicyPreset;
    expect(plan(resolvePreset(preset, { maxRejectionRate: 1 }))).toEqual(["latching-cap"]);
    expect(plan(resolvePreset(preset))).toEqual([]);
  });

  it.each<[PresetOptions, Partial<LoadFacts>, string[]]>([
    // 10 calls a second and client: a fifth of them are 2 retries.
    [{ minRetriesPerSec: 10, percentCanRetry: 0.2 }, {}, ["retry-floor"]],
    [{ minRetriesPerSecond: 10, retryRatio: 0.2 }, {}, ["retry-floor"]],
    [{ minRetriesPerSec: 2, percentCanRetry: 0.2 }, {}, []],
    [{ minRetriesPerSec: 10, percentCanRetry: 0.2 }, { clients: 1 }, []],
    // 10 calls under way that time out after 1 s, of which a fifth are 2 retries.
    [{ minRetryConcurrency: 3, budgetPercent: 20 }, {}, ["retry-floor"]],
    [{ minRetryConcurrency: 3, budgetPercent: 20 }, { timeoutSeconds: 1.5 }, []],
    [{ minConcurrency: 3, maxRate: 0.2 }, {}, ["retry-floor"]],
    // 100 retries against 10 calls a second.
    [{ capacity: 500, retryCost: 5 }, { warmupSeconds: 0, durationSeconds: 9 }, ["retry-floor"]],
    [{ capacity: 500, retryCost: 5 }, { warmupSeconds: 1, durationSeconds: 9 }, []],
  ])("warns of a floor for each client above what its calls earn: %o %o", (own, load, expected) => {
    expect(plan(budget(own), load)).toEqual(expected);
  });
});

describe("lintMeasured()", () => {
  it("has nothing against rejections of what the backend refused", () => {
    expect(warned(sre(), {})).toEqual([]);
    expect(warned(resolvePolicy("retry"), { throttled: 0, failed: 5000, overloaded: 0 })).toEqual([]);
  });

  it("warns of a backend that fails more than 1 - 1/K for other reasons", () => {
    expect(warned(sre(), { accepted: 400, overloaded: 100, failed: 500 })).toEqual([]);
    expect(warned(sre(), { accepted: 399, overloaded: 100, failed: 501 })).toEqual(["other-failures"]);
    expect(warned(sre({ k: 4 }), { accepted: 399, overloaded: 100, failed: 501 })).toEqual([]);
    expect(warned(sre(), { accepted: 0, overloaded: 0, failed: 0, throttled: 0 })).toEqual([]);
  });

  it("warns of throttling while nothing was refused", () => {
    expect(warned(sre(), { overloaded: 0 })).toEqual(["throttled-healthy"]);
    expect(warned(sre(), { overloaded: 0, throttled: 0 })).toEqual([]);
    expect(warned(sre(), { overloaded: 0, failed: 1 })).toEqual([]);
  });

  it("warns of an outage that a counted throttle without a cap notices: longer than W (1 - 1/K)", () => {
    expect(warned(sre(), { outageSeconds: 60 })).toEqual([]);
    expect(warned(sre(), { outageSeconds: 61 })).toEqual(["slow-reopening"]);
    expect(warned(resolvePolicy("sre-sent-only"), { outageSeconds: 61 })).toEqual([]);
    const throttle = throttlePresets.find(({ name }) => name === "sre-throttle") as PolicyPreset;
    expect(warned(resolvePreset(throttle, { maxReject: 0.9 }), { outageSeconds: 61 })).toEqual([]);
    expect(warned(resolvePreset(throttle, { forcePass: 1 }), { outageSeconds: 61 })).toEqual([]);
  });

  it("learns the latency from what was measured, unless it was known before", () => {
    const cold = { warmupSeconds: 0 };
    expect(warned(sre(), { latencySeconds: 0.1 }, cold)).toEqual(["counts-overlap"]);
    expect(warned(sre(), { latencySeconds: 0.1 }, { ...cold, latencySeconds: 0.1 })).toEqual([]);
    expect(warned(sre(), { latencySeconds: undefined }, cold)).toEqual([]);
  });
});

describe("traitsOf()", () => {
  it("takes what only looks like a window or a floor for none", () => {
    expect(traitsOf(budget({ minConcurrency: 3 })).floor).toBeUndefined();
    const window = { default: 0, kind: "number", min: 0, max: 60, unit: "seconds", doc: "None if 0" } as const;
    const preset: PolicyPreset = { ...sre().preset, options: { window } };
    expect(traitsOf(resolvePreset(preset)).windowSeconds).toBeUndefined();
    expect(traitsOf(resolvePreset(preset, { window: 9 })).windowSeconds).toBe(9);
    const counted: PolicyPreset = { ...preset, options: { window: { ...window, unit: "count", default: 9 } } };
    expect(traitsOf(resolvePreset(counted)).windowSeconds).toBeUndefined();
  });

  const COUNTS: Record<string, readonly [countsAt: string, countsLocal: boolean]> = {
    sre: ["attempt", true],
    "sre-sent-only": ["completion", false],
    "sre-throttle": ["attempt", true],
    "sre-completion": ["completion", true],
    "sre-criticality": ["attempt", true],
    "envoy-admission": ["completion", false],
    "finagle-nack": ["completion", false],
    "go-zero": ["completion", true],
    kratos: ["completion", true],
    "failsafe-go-throttle": ["completion", false],
    beam: ["attempt", true],
  };

  it("knows K, the window and the way of counting of every throttle that there is", () => {
    const presets = [...baselinePresets.filter(({ family }) => family === "throttle"), ...throttlePresets];
    expect(presets.map(({ name }) => name).toSorted()).toEqual(Object.keys(COUNTS).toSorted());
    for (const preset of presets) {
      const { throttle, windowSeconds } = traitsOf(resolvePreset(preset));
      expect([throttle?.countsAt, throttle?.countsLocal], preset.name).toEqual(COUNTS[preset.name]);
      expect(throttle?.k, preset.name).toBeGreaterThan(1);
      expect(windowSeconds, preset.name).toBeGreaterThan(0);
    }
  });
});
