import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { recoverySpecs, untriggeredSpecs } from "../../src/experiment/recovery-specs.ts";
import { parseTrigger } from "../../src/experiment/recovery-trigger.ts";
import { createPlan } from "../../src/plan/plan.ts";
import { trialSpec } from "../support/trial-spec.ts";

const TIMES = { settleSeconds: 10, horizonSeconds: 60 };

function withTrigger(trigger: string, base: TrialSpec = trialSpec()): TrialSpec {
  return recoverySpecs({ base, trigger: parseTrigger(trigger), ...TIMES });
}

describe("recoverySpecs()", () => {
  it("makes a spike stages of the plan, and tells the backend nothing", () => {
    const spec = withTrigger("spike=4:5s");
    expect(spec.plan.arrival).toMatchObject({
      law: "poisson",
      rate: {
        kind: "stages",
        stages: [
          { seconds: 10, fromRps: 1000, toRps: 1000 },
          { seconds: 5, fromRps: 4000, toRps: 4000 },
          { seconds: 60, fromRps: 1000, toRps: 1000 },
        ],
      },
    });
    expect(spec.world).toEqual(trialSpec().world);
  });

  it.each([
    ["slowdown=0.05:3s", 0.05, 13],
    ["outage:10s", 0, 20],
  ])("makes %s a script, and leaves the load as it is", (trigger, factor, toSeconds) => {
    const spec = withTrigger(trigger);
    expect(spec.world).toMatchObject({ script: [{ kind: "capacity", fromSeconds: 10, toSeconds, factor }] });
    expect(spec.plan.arrival).toEqual(trialSpec().plan.arrival);
  });

  it("tells neither a real world nor the model of what a command does", () => {
    expect(withTrigger("hook:5s").world).toEqual(trialSpec().world);
    const world = { kind: "real", url: "http://127.0.0.1:1" } as TrialSpec["world"];
    expect(withTrigger("outage:5s", trialSpec({ world })).world).toEqual(world);
  });

  it("lasts as long as base load, trigger and base load together, in a plan that can be made", () => {
    const anyTrigger = fc.constantFrom("spike=2.5:1500ms", "slowdown=0.5:3s", "outage:7s", "hook:2s");
    const anySpan = fc.integer({ min: 1, max: 400 });
    fc.assert(
      fc.property(anyTrigger, anySpan, anySpan, (text, settleSeconds, horizonSeconds) => {
        const trigger = parseTrigger(text);
        const options = { base: trialSpec(), trigger, settleSeconds, horizonSeconds };
        const { plan } = recoverySpecs(options);
        expect(plan.durationSeconds).toBe(settleSeconds + trigger.seconds + horizonSeconds);
        const extra = trigger.kind === "spike" ? (trigger.factor - 1) * trigger.seconds : 0;
        const expected = 1000 * (plan.durationSeconds + extra);
        expect(Math.abs(createPlan(plan).expectedArrivals - expected)).toBeLessThanOrEqual(1);
        expect(createPlan(untriggeredSpecs(options).plan).expectedArrivals).toBe(
          Math.round(1000 * plan.durationSeconds),
        );
      }),
    );
  });

  it.each(["spike=2:1s", "outage:1s"])("refuses a base load that is not constant, for %s", (trigger) => {
    const rate = { kind: "sine", lowRps: 1, highRps: 2, periodSeconds: 10 } as const;
    const base = trialSpec({ plan: { ...trialSpec().plan, arrival: { law: "poisson", rate } } });
    expect(() => withTrigger(trigger, base)).toThrow("Cannot plan a recovery as 'rate' must be constant");
  });
});
