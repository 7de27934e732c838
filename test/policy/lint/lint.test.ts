import { describe, expect, it } from "vitest";
import { baselinePresets } from "../../../src/policy/baseline-presets.ts";
import { policyPresets, resolvePolicy, resolvePreset } from "../../../src/policy/catalogue.ts";
import { lintMeasured, lintPlan, traitsOf } from "../../../src/policy/lint/lint.ts";
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
  criticalities: 1,
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

  it("takes a past for a warm-up where calls overlap: the accepts are there", () => {
    const slow = { latencySeconds: 0.1, warmupSeconds: 0, durationSeconds: 600 };
    const past = (seconds: number) => ({ ...slow, age: { seconds, latencySeconds: 0.1 } });
    expect(plan(sre(), past(119))).toEqual(["counts-overlap"]);
    expect(plan(sre(), past(120))).toEqual([]);
  });

  it("does not take a past for a part of the run: it was healthy, and the steady state may be none", () => {
    const age = { seconds: 600, latencySeconds: 0.005 };
    expect(plan(sre(), { warmupSeconds: 0, durationSeconds: 599, age })).toEqual(["few-windows"]);
  });

  it.each([
    [29, undefined, true],
    [30, undefined, false],
    [29, { seconds: 30, latencySeconds: 0.005 }, false],
  ])(
    "warns of cold clients in a run that is shorter than a window of another name: %d s, a past of %o",
    (durationSeconds, age, cold) => {
      const found = lintPlan(resolvePolicy("polly"), {
        ...LOAD,
        callsPerSecond: 1000,
        warmupSeconds: 0,
        durationSeconds,
        age,
      });
      const warning = found.find(({ code }) => code === "cold-clients");
      expect(warning === undefined).toBe(!cold);
      if (!cold) return;
      expect(warning).toMatchObject({
        figure: 29,
        limit: 30,
        hint: expect.stringContaining("Age them (--age 30s), run for 150 s"),
      });
    },
  );

  it("leaves it to the trial to say that of an option called window", () => {
    expect(plan(sre(), { warmupSeconds: 0, durationSeconds: 100 })).toEqual(["few-windows"]);
  });

  it.each(["vegas", "gradient", "gradient2", "envoy-gradient"])(
    "says of %s, which learns from latencies, that its past had others than the target",
    (name) => {
      const age = { seconds: 120, latencySeconds: 0.005 };
      const policy = resolvePolicy(name);
      expect(plan(policy, { latencySeconds: 0.02 })).toEqual([]);
      expect(plan(policy, { latencySeconds: 0.005, age })).toEqual([]);
      const [known] = lintPlan(policy, { ...LOAD, latencySeconds: 0.02, age });
      expect(known).toMatchObject({ code: "aged-latency", figure: 5, limit: 20 });
      expect(known?.hint).toContain("(--age 120s,latency=20ms)");
      const [unknown] = lintPlan(policy, { ...LOAD, age });
      expect(unknown?.message).toContain("answers of 5 ms");
      expect(plan(resolvePolicy("aimd"), { age })).toEqual([]);
    },
  );

  it("follows the options that choose what is counted, and when", () => {
    const traits = (options: PresetOptions) => traitsOf(resolvePolicy("sre-throttle", options)).throttle;
    const cap = { option: "maxReject", probability: 1 };
    expect(traits({})).toMatchObject({ countsAt: "attempt", countsLocal: true, cap, forcesPasses: false });
    expect(traits({ countAt: 1, countLocal: 0, maxReject: 0.5, forcePass: 1 })).toMatchObject({
      countsAt: "completion",
      countsLocal: false,
      cap: { option: "maxReject", probability: 0.5 },
      forcesPasses: true,
    });
    expect(traits({ countAt: 2 })).toMatchObject({ countsAt: "completion" });
  });

  it("warns of a cap of 1 where counts go only when a result is recorded", () => {
    const preset = throttlePresets.find(({ name }) => name === "failsafe-go-throttle") as PolicyPreset;
    expect(plan(resolvePreset(preset, { maxRejectionRate: 1 }))).toEqual(["latching-cap"]);
    expect(plan(resolvePreset(preset))).toEqual([]);
  });

  it.each<[string, PresetOptions, Partial<LoadFacts>, string[]]>([
    // 10 calls a second and client: a fifth of them are 2 retries.
    ["finagle-budget", {}, {}, ["retry-floor"]],
    ["linkerd-budget", {}, {}, ["retry-floor"]],
    ["finagle-budget", { minRetriesPerSec: 2 }, {}, []],
    ["finagle-budget", {}, { clients: 1 }, []],
    ["finagle-budget", { maxAttempts: 1 }, {}, []],
    // 10 calls under way that time out after 1 s, of which a fifth are 2 retries.
    ["envoy-budget", {}, {}, ["retry-floor"]],
    ["envoy-budget", {}, { timeoutSeconds: 1.5 }, []],
    ["failsafe-go-budget", {}, {}, ["retry-floor"]],
    // 100 retries against 10 calls a second.
    ["aws-standard", {}, { warmupSeconds: 0, durationSeconds: 9 }, ["retry-floor"]],
    ["aws-standard", {}, { warmupSeconds: 1, durationSeconds: 9 }, []],
    ["aws-standard", { retryCost: 0 }, { warmupSeconds: 0, durationSeconds: 9 }, []],
    ["aws-adaptive", {}, { warmupSeconds: 0, durationSeconds: 9 }, ["retry-floor"]],
    // 4 of its 5 tokens.
    ["brooker-token-bucket", {}, { warmupSeconds: 0, durationSeconds: 0.375 }, ["retry-floor"]],
    ["brooker-token-bucket", {}, { warmupSeconds: 0, durationSeconds: 0.5 }, []],
  ])("warns of a floor for each client above what its calls earn: %s %o %o", (name, own, load, expected) => {
    expect(plan(resolvePolicy(name, own), load)).toEqual(expected);
  });

  it.each<[string, PresetOptions, number, string[]]>([
    // Calls of one client in a second, and the volume from which the policy acts.
    ["kratos", {}, 33, ["never-acts"]],
    ["kratos", {}, 34, []],
    ["kratos", { request: 20, window: 30 }, 33, []],
    ["polly", {}, 3, ["never-acts"]],
    ["polly", {}, 4, []],
    ["polly", { maxAttempts: 2 }, 2, []],
    ["hystrix", {}, 1.9, ["never-acts"]],
    ["hystrix", {}, 2, []],
    ["breaker-ratio", {}, 1.9, ["never-acts"]],
    ["breaker-ratio", {}, 2, []],
    // Of 10 minutes and 2 of warm-up.
    ["resilience4j", {}, 0.13, ["never-acts"]],
    ["resilience4j", {}, 0.14, []],
    ["resilience4j", { slidingWindowSize: 50 }, 0.07, []],
    ["cockatiel", {}, 24, ["never-acts"]],
    ["cockatiel", {}, 25, []],
    ["cockatiel", { minimumRps: 2 }, 2, []],
    ["finagle-nack", {}, 4.9, ["never-acts"]],
    ["finagle-nack", {}, 5, []],
    ["envoy-admission", { rpsThreshold: 3 }, 2.9, ["never-acts"]],
    ["envoy-admission", { rpsThreshold: 3 }, 3, []],
    ["breaker-consecutive", { interval: 2 }, 2.9, ["never-acts"]],
    ["breaker-consecutive", { interval: 2 }, 3, []],
    ["linkerd-breaker", {}, 0.009, ["never-acts"]],
    ["sre-throttle", { minRequests: 300 }, 2, ["never-acts"]],
    ["sre-throttle", { protection: 300 }, 2, ["never-acts"]],
    ["failsafe-go-throttle", { executionThreshold: 90 }, 1, ["never-acts"]],
    // Without a volume, a few calls are enough to act on, by chance.
    ["opossum", {}, 1, ["sparse-window"]],
    ["opossum", { volumeThreshold: 15 }, 1, ["never-acts"]],
    ["go-zero", {}, 0.4, ["never-acts"]],
    ["go-zero", {}, 0.6, ["sparse-window"]],
    ["finagle-failure-accrual", {}, 0.6, ["sparse-window"]],
  ])("tells a policy that never acts from one that acts by chance: %s %o at %d/s", (name, own, rate, expected) => {
    expect(plan(resolvePolicy(name, own), { clients: 10, callsPerSecond: 10 * rate })).toEqual(expected);
  });

  it("warns of statistics per criticality where all calls have the same", () => {
    expect(plan(resolvePolicy("sre-criticality"))).toEqual(["one-criticality"]);
    expect(plan(resolvePolicy("sre-criticality"), { criticalities: 2 })).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string[]]>([
    ["none", { retryAfter: "retry" }, ["no-retries"]],
    ["none", { backoff: "full", backoffBase: 2 }, ["no-retries"]],
    ["sre-sent-only", { pushback: "on" }, ["no-retries"]],
    ["sre-sent-only", { pushback: "on", maxAttempts: 2 }, []],
    ["retry", { backoff: "none", maxAttempts: 1 }, ["no-retries"]],
    ["retry", { backoff: "full" }, []],
    // The user's other calls wait too; and a policy without retries has the other modifiers.
    ["none", { retryAfter: "client" }, []],
    ["none", { deadline: 1, reconnect: "on", startJitter: 1, attemptHeader: "x-attempt" }, []],
    // 0 is no bound there.
    ["linkerd-budget", { backoff: "full", maxAttempts: 0, minRetriesPerSecond: 0 }, []],
  ])("warns of what is to delay retries that there are not: %s %o", (name, given, expected) => {
    expect(plan(resolvePolicy(name, given))).toEqual(expected);
  });

  it("takes only 'none' for a policy that makes one attempt without saying so in an option", () => {
    const unbounded = policyPresets.filter(({ options }) => options.maxAttempts === undefined);
    expect(unbounded.map(({ name }) => name)).toEqual(["none"]);
  });

  it("says nothing of a policy of the user's own that it knows nothing of", () => {
    const own: PolicyPreset = { ...sre().preset, name: "mine", family: "custom", traits: () => ({}) };
    const { traits: _, ...silent } = own;
    for (const preset of [own, silent]) {
      const policy = resolvePreset(preset, { k: 1, window: 604_800, maxAttempts: 1, backoff: "full" });
      expect(plan(policy)).toEqual([]);
      expect(warned(policy, { overloaded: 0 })).toEqual([]);
    }
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
  it("takes a window of length 0 for none", () => {
    expect(traitsOf(resolvePolicy("breaker-retries-only")).window).toBeUndefined();
    expect(traitsOf(resolvePolicy("breaker-retries-only", { window: 9 })).window?.seconds).toBe(9);
    expect(traitsOf(resolvePolicy("breaker-consecutive")).window).toBeUndefined();
    expect(traitsOf(resolvePolicy("breaker-consecutive", { interval: 9 })).window?.seconds).toBe(9);
  });

  it("names options that the preset has, with the figures that they have", () => {
    for (const preset of policyPresets) {
      const policy = resolvePreset(preset);
      const { window, volume, throttle, floor } = traitsOf(policy);
      if (window !== undefined) {
        expect(preset.options[window.option]?.unit, preset.name).toBe("seconds");
        expect(window.seconds, preset.name).toBe(policy.own[window.option]);
      }
      const named = [volume?.option, throttle?.k.option, throttle?.cap?.option, floor?.option];
      for (const option of named) if (option !== undefined) expect(policy.own, preset.name).toHaveProperty(option);
      if (throttle === undefined) continue;
      const { k, option, valueFor } = throttle.k;
      expect(valueFor(k), preset.name).toBeCloseTo(policy.own[option] as number, 12);
    }
  });

  it("has the window of every breaker and budget that looks back over a time", () => {
    const windows = policyPresets.flatMap((preset) => {
      const { window } = traitsOf(resolvePreset(preset));
      return window === undefined || preset.family === "throttle" ? [] : [[preset.name, window.option, window.seconds]];
    });
    expect(windows).toEqual([
      ["sre-budget", "window", 120],
      ["finagle-budget", "ttl", 10],
      ["linkerd-budget", "ttl", 10],
      ["breaker-ratio", "window", 10],
      ["polly", "samplingDuration", 30],
      ["hystrix", "rollingStatsTime", 10],
      ["opossum", "rollingCountTimeout", 10],
      ["cockatiel", "duration", 30],
      ["finagle-failure-accrual", "window", 30],
    ]);
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
      const { throttle, window } = traitsOf(resolvePreset(preset));
      expect([throttle?.countsAt, throttle?.countsLocal], preset.name).toEqual(COUNTS[preset.name]);
      expect(throttle?.k.k, preset.name).toBeGreaterThan(1);
      expect(window?.seconds, preset.name).toBeGreaterThan(0);
    }
  });
});
