import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAge } from "../../../src/cli/flags/age-option.ts";
import { criticalityMix } from "../../../src/cli/flags/criticality-flag.ts";
import { policyPresets, type ResolvedPolicy, resolvePolicy, resolvePreset } from "../../../src/policy/catalogue.ts";
import { lintMeasured, lintPlan } from "../../../src/policy/lint/lint.ts";
import type { LoadFacts, MeasuredFacts, Warning } from "../../../src/policy/lint/warning.ts";
import type { NumberSpec } from "../../../src/policy/option.ts";
import { userPolicies } from "../../../src/policy/user-policies.ts";

const SUIT: LoadFacts = {
  clients: 10,
  callsPerSecond: 100,
  warmupSeconds: 120,
  durationSeconds: 600,
  timeoutSeconds: 1,
  criticalities: 1,
};

/** The policies that a hint names as the command line has them, each with its options. */
function proposed(hint: string): { readonly name: string; readonly options: Readonly<Record<string, string>> }[] {
  return [...hint.matchAll(/--policy ([^\s()]+)/g)].map(([, text = ""]) => {
    const [name = "", ...options] = text.split(",");
    return { name, options: Object.fromEntries(options.map((option) => option.split("="))) };
  });
}

/** @throws {RangeError} when the options do not go together. */
function make(policy: ResolvedPolicy): void {
  const chance = { random: () => 0.5 };
  userPolicies(policy, { policy: () => chance, jitter: () => chance })(0, { now: () => 0 });
}

/** Values of the whole range of an option, its default and its bounds more often. */
function valueWithin({ kind, default: usual, min, max }: NumberSpec): fc.Arbitrary<number> {
  const top = Math.min(max, 1e6);
  const any = kind === "integer" ? fc.integer({ min, max: top }) : fc.double({ min, max: top, noNaN: true });
  return fc.oneof(fc.constantFrom(usual, usual, min, top), any);
}

function canBeMade(policy: ResolvedPolicy): boolean {
  try {
    make(policy);
    return true;
  } catch {
    return false;
  }
}

const modifiers = fc.constantFrom<Readonly<Record<string, unknown>>>(
  {},
  {},
  { scope: "process" },
  { retryAfter: "retry" },
  { backoff: "full", pushback: "on" },
);

const anyPolicy: fc.Arbitrary<ResolvedPolicy> = fc.constantFrom(...policyPresets).chain((preset) =>
  fc
    .tuple(
      fc.record(Object.fromEntries(Object.entries(preset.options).map(([name, spec]) => [name, valueWithin(spec)])), {
        requiredKeys: [],
      }),
      modifiers,
    )
    .map(([own, chosen]) => resolvePreset(preset, { ...own, ...chosen }))
    .filter(canBeMade),
);

/** Of all orders of magnitude alike. */
const anyRate = fc
  .tuple(fc.double({ min: 1, max: 10, noNaN: true }), fc.integer({ min: -5, max: 4 }))
  .map(([digits, exponent]) => digits * 10 ** exponent);

const anyLoad: fc.Arbitrary<LoadFacts> = fc
  .record({
    clients: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100_000 })),
    perClient: fc.oneof({ arbitrary: fc.constant(0), weight: 1 }, { arbitrary: anyRate, weight: 9 }),
    warmupSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1000 })),
    durationSeconds: anyRate,
    timeoutSeconds: fc.double({ min: 1e-3, max: 600, noNaN: true }),
    age: fc.option(
      fc.record({
        seconds: fc.integer({ min: 1, max: 1000 }),
        latencySeconds: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { nil: undefined },
    ),
    latencySeconds: fc.option(fc.double({ min: 0, max: 60, noNaN: true }), { nil: undefined }),
    criticalities: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ perClient, ...load }) => ({ ...load, callsPerSecond: perClient * load.clients }));

const count = fc.oneof(fc.constant(0), fc.nat(1_000_000));
const anyMeasured: fc.Arbitrary<MeasuredFacts> = fc.record({
  accepted: count,
  overloaded: count,
  failed: count,
  throttled: count,
  outageSeconds: fc.nat(100_000),
  latencySeconds: fc.option(fc.double({ min: 0, max: 60, noNaN: true }), { nil: undefined }),
});

const find = (warnings: readonly Warning[], code: string): Warning | undefined =>
  warnings.find((warning) => warning.code === code);

describe("a hint", () => {
  it("can be followed as it stands: every policy and option that it names resolves, whatever the policy and the load", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyPolicy, anyLoad, anyMeasured, (policy, load, measured) => {
        for (const { code, message, hint, figure, limit } of [
          ...lintPlan(policy, load),
          ...lintMeasured(policy, load, measured),
        ]) {
          seen.add(code);
          for (const { name, options } of proposed(hint)) make(resolvePolicy(name, options));
          for (const [, past = ""] of hint.matchAll(/--age ([^\s()]+)/g)) parseAge(past);
          for (const [, mix = ""] of hint.matchAll(/--criticality ([^\s()]+)/g)) criticalityMix(mix);
          const rest = hint.replaceAll(/\(--[^()]*\)/g, "");
          expect(rest, "values stand where they can be copied").not.toMatch(/=/);
          expect(rest).not.toMatch(/undefined|NaN|^$|\.$/);
          expect(message).not.toMatch(/undefined|NaN|\.$/);
          expect([figure, limit].every(Number.isFinite)).toBe(true);
        }
      }),
      { numRuns: 3000, seed: 5 },
    );
    expect([...seen].toSorted()).toEqual([
      "aged-latency",
      "cold-clients",
      "counts-overlap",
      "few-windows",
      "high-k",
      "latching-cap",
      "low-k",
      "never-acts",
      "no-retries",
      "one-criticality",
      "other-failures",
      "retry-floor",
      "slow-reopening",
      "sparse-window",
      "throttled-healthy",
    ]);
  });

  it.each([
    "few-windows",
    "high-k",
    "latching-cap",
    "low-k",
    "never-acts",
    "no-retries",
    "retry-floor",
    "sparse-window",
  ])("ends %s where it names a value for the policy's own option", (code) => {
    let followed = 0;
    fc.assert(
      fc.property(anyPolicy, anyLoad, (policy, load) => {
        const warning = find(lintPlan(policy, load), code);
        const [first] = warning === undefined ? [] : proposed(warning.hint);
        if (first?.name !== policy.name || Object.keys(first.options).length === 0) return;
        // Of two options that keep it from acting one is proposed at a time.
        const { protection = 0, minRequests = 0 } = policy.own;
        if (code === "never-acts" && protection > 0 && minRequests > 0) return;
        followed++;
        const better = resolvePreset(policy.preset, { ...policy.options, ...first.options });
        make(better);
        expect(find(lintPlan(better, load), code)).toBeUndefined();
      }),
      { numRuns: 1500, seed: 5 },
    );
    expect(followed).toBeGreaterThan(0);
  });

  it.each([
    ["polly", { clients: 1, warmupSeconds: 0, durationSeconds: 10 }, "(--policy polly,samplingDuration=2s)"],
    ["kratos", { callsPerSecond: 200 }, "(--policy kratos,request=30)"],
    ["envoy-budget", {}, "(--policy envoy-budget,minRetryConcurrency=0)"],
    ["linkerd-budget", {}, "(--policy linkerd-budget,minRetriesPerSecond=0)"],
    ["aws-standard", { warmupSeconds: 0, durationSeconds: 2 }, "(--policy aws-standard,capacity=100)"],
    ["sre", { callsPerSecond: 1 }, "(--policy sre,window=200s)"],
  ])("names the option of its own policy: %s %o", (name, load, setting) => {
    const hints = lintPlan(resolvePolicy(name), { ...SUIT, ...load }).map(({ hint }) => hint);
    expect(hints.join()).toContain(setting);
  });

  it.each([
    // A fifth of 4 s is below the second that sre needs; 20 calls take longer than a week.
    ["few-windows", { clients: 1, warmupSeconds: 0, durationSeconds: 4 }, "Run for 600 s (--warmup counts)"],
    ["sparse-window", { clients: 1, callsPerSecond: 1e-5 }, "Offer more calls a second"],
  ])("proposes no window that the option does not take: %s", (code, load, expected) => {
    expect(find(lintPlan(resolvePolicy("sre"), { ...SUIT, ...load }), code)?.hint).toBe(expected);
  });

  it("proposes to share a policy only where it is not shared yet", () => {
    const sparse = { ...SUIT, clients: 2, callsPerSecond: 0.1 };
    const hintOf = (scope: string) => find(lintPlan(resolvePolicy("sre", { scope }), sparse), "sparse-window")?.hint;
    expect(hintOf("user")).toContain("(--scope process)");
    expect(hintOf("process")).toContain("(--workers 1)");
    expect(hintOf("process")).not.toContain("--scope");
  });
});
