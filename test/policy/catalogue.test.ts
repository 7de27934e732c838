import { describe, expect, it } from "vitest";
import { policyPresets, type ResolvedPolicy, resolvePolicy } from "../../src/policy/catalogue.ts";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";
import { modifierOptions } from "../../src/policy/modifier/modifiers.ts";
import { isAllowed } from "../../src/policy/option.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import { SentOnlyPolicy } from "../../src/policy/sent-only-policy.ts";
import { attemptNumber, ManualClock, ScriptedRandom } from "./fakes.ts";

const makerOf = ({ preset, own }: ResolvedPolicy) => {
  const factory = preset.create(own);
  return (clock: ManualClock) => factory(clock, new ScriptedRandom(0.5), new ScriptedRandom(0.5));
};
const build = (name: string, given = {}) => makerOf(resolvePolicy(name, given))(new ManualClock());

describe("resolvePolicy()", () => {
  it.each([
    ["none", {}],
    ["retry", { maxAttempts: 3 }],
    ["sre", { k: 2, window: 120, retryRatio: 0.1, maxAttempts: 3 }],
    ["sre-sent-only", { k: 2, window: 120, maxAttempts: 1 }],
  ])("completes %s with its defaults", (name, options) => {
    const resolved = resolvePolicy(name);
    expect(resolved.name).toBe(name);
    expect(resolved.options).toEqual(options);
    expect(Object.isFrozen(resolved.options)).toBe(true);
  });

  it.each([
    ["none", FixedRetry],
    ["retry", FixedRetry],
    ["sre", OverloadClient],
    ["sre-sent-only", SentOnlyPolicy],
  ])("%s builds its class", (name, Class) => {
    expect(build(name)).toBeInstanceOf(Class);
  });

  it("hands the options to the policy, and gives each user of sre a client of its own", () => {
    const last = attemptNumber(1);
    expect(build("none").settle(attemptNumber(0), "overloaded")).toBe("done");
    expect(build("retry", { maxAttempts: 2 }).settle(last, "overloaded")).toBe("done");
    expect(build("retry", { maxAttempts: "3" }).settle(last, "overloaded")).toBe("retry");
    const make = makerOf(resolvePolicy("sre", { retryRatio: 1 }));
    const [one, other] = [0, 1].map(() => make(new ManualClock()));
    one?.admit(attemptNumber(0));
    expect([one?.admit(last), other?.admit(last)]).toEqual(["send", "budget"]);
  });

  it.each([
    ["k", "1.5", 1.5],
    ["k", 1.5, 1.5],
    ["k", "1e2", 100],
    ["k", " 3 ", 3],
    ["k", undefined, 2],
    ["window", "10", 10],
    ["window", "10s", 10],
    ["window", "1500ms", 1.5],
    ["window", "2m", 120],
    ["window", "1.5h", 5400],
    ["window", 604_800, 604_800],
    ["retryRatio", ".25", 0.25],
    ["maxAttempts", "4", 4],
  ])("reads %s from %o as %f", (option, given, value) => {
    expect(resolvePolicy("sre", { [option]: given }).options[option]).toBe(value);
  });

  const seconds = "'window' must be a finite number of seconds from 1 to 604800 or a duration such as 10s";
  it.each([
    ["k", 0, "'k' must be a finite number of at least 1: current value is 0"],
    ["k", "0.5", "'k' must be a finite number of at least 1: current value is 0.5"],
    ["k", "", "'k' must be a finite number of at least 1: current value is "],
    ["k", "0x10", "'k' must be a finite number of at least 1: current value is 0x10"],
    ["k", "2s", "'k' must be a finite number of at least 1: current value is 2s"],
    ["k", "Infinity", "'k' must be a finite number of at least 1: current value is Infinity"],
    ["k", "1e999", "'k' must be a finite number of at least 1: current value is 1e999"],
    ["k", true, "'k' must be a finite number of at least 1: current value is true"],
    ["k", null, "'k' must be a finite number of at least 1: current value is null"],
    ["window", "10x", `${seconds}: current value is 10x`],
    ["window", "10 s", `${seconds}: current value is 10 s`],
    ["window", "10S", `${seconds}: current value is 10S`],
    ["window", "999ms", `${seconds}: current value is 999ms`],
    ["window", "169h", `${seconds}: current value is 169h`],
    ["retryRatio", "-0.1", "'retryRatio' must be a finite number of at least 0: current value is -0.1"],
    ["maxAttempts", "2.5", "'maxAttempts' must be a positive integer: current value is 2.5"],
  ])("refuses %s = %o", (option, given, message) => {
    expect(() => resolvePolicy("sre", { [option]: given })).toThrow(
      new RangeError(`Cannot use policy 'sre' as ${message}`),
    );
  });

  it.each([
    ["foo", {}, "There is no policy 'foo': policyPresets has all"],
    ["toString", {}, "There is no policy 'toString': policyPresets has all"],
    ["sre", { kk: 1 }, "Policy 'sre' has no option 'kk': did you mean 'k'?"],
    ["sre", { constructor: 1 }, "Policy 'sre' has no option 'constructor': it has k, window, retryRatio, maxAttempts"],
    ["retry", { k: 2 }, "Policy 'retry' has no option 'k': it has maxAttempts"],
    ["none", { maxAttempts: 2 }, "Policy 'none' has no option 'maxAttempts': it has no options of its own"],
  ])("refuses %s with %o", (name, given, message) => {
    const refused = () => resolvePolicy(name, given);
    expect(refused).toThrow(RangeError);
    expect(refused).toThrow(message);
  });
});

describe("policyPresets", () => {
  it("have names of their own, a summary, and options whose defaults obey their rules and whose docs say something", () => {
    const names = policyPresets.map((preset) => preset.name);
    expect(new Set(names).size).toBe(names.length);
    for (const preset of policyPresets) {
      for (const line of [preset.summary, preset.use, preset.fails, preset.source]) {
        expect(line).toMatch(/^[^\n]{8,200}[^.\n]$/);
      }
      expect(preset.equation).not.toBe("");
      for (const [option, spec] of Object.entries(preset.options)) {
        // Any policy takes those: a preset with one of its own would shut them out.
        expect(modifierOptions).not.toHaveProperty(option);
        expect(isAllowed(spec, spec.default)).toBe(true);
        expect(spec.doc).not.toMatch(/^$|\n/);
      }
    }
  });
});
