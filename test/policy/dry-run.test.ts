import { describe, expect, it } from "vitest";
import { policyPresets, resolvePreset } from "../../src/policy/catalogue.ts";
import { dryRun } from "../../src/policy/dry-run.ts";
import { PolicyFault } from "../../src/policy/guarded-policy.ts";
import type { AttemptVerdict, Policy, PolicyCall } from "../../src/policy/policy.ts";
import { presetOf } from "../../src/policy/policy-module.ts";

const preset = (part: object) =>
  presetOf({
    name: "mine",
    summary: "Mine",
    options: {},
    create: () => () => ({ admit: () => "send", settle: () => "done", ...part }) as Policy,
  });

describe("dryRun()", () => {
  it("finds nothing wrong with the presets of the catalogue", () => {
    for (const each of policyPresets) {
      expect(() => dryRun(each, resolvePreset(each).own), each.name).not.toThrow();
    }
  });

  it("shows a policy each verdict, later attempts, and a call that is abandoned", () => {
    const verdicts = new Set<AttemptVerdict>();
    const attempts = new Set<number>();
    let abandoned = 0;
    const settle = (call: PolicyCall, verdict: AttemptVerdict): string => {
      verdicts.add(verdict);
      attempts.add(call.attempt);
      return verdict === "overloaded" ? "retry" : "done";
    };
    dryRun(preset({ settle, abandon: () => abandoned++ }), {});
    expect([...verdicts].toSorted()).toEqual(["accepted", "failed", "overloaded"]);
    expect(Math.max(...attempts)).toBeGreaterThan(0);
    expect(abandoned).toBe(1);
  });

  it("comes to an end with a policy that waits or retries for ever", () => {
    const wait = (call: PolicyCall): string => {
      call.delaySeconds = 1;
      return "wait";
    };
    expect(() => dryRun(preset({ admit: wait }), {})).not.toThrow();
    expect(() => dryRun(preset({ settle: () => "retry" }), {})).not.toThrow();
  });

  it.each<[object, string]>([
    [{ admit: () => 42 }, "admit() must return one of"],
    [
      {
        admit(call: PolicyCall) {
          Object.freeze(call);
          return "send";
        },
      },
      "it must leave the call's record as it is",
    ],
    [
      { settle: (_: PolicyCall, verdict: AttemptVerdict) => (verdict === "failed" ? 1 : "done") },
      "settle() must return one of",
    ],
    [{ abandon: () => Number("x").toFixed(-1) }, "abandon() threw RangeError"],
  ])("throws at the first breach of the contract: %o", (part, message) => {
    expect(() => dryRun(preset(part), {})).toThrow(PolicyFault);
    expect(() => dryRun(preset(part), {})).toThrow(message);
  });
});
