/** Guards that end a trial, in virtual time. */

import { describe, expect, it } from "vitest";
import type { TrialSpec } from "../../../src/engine/trial-spec.ts";
import { resultSchema, type TrialResult } from "../../../src/result/schema.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const ERRORS = { kind: "errors", share: 0.5, forSeconds: 3 } as const;

/** 100 calls a second for 30 s; from 10 s to 20 s the server does nothing. */
async function outage(change: Partial<TrialSpec> = {}): Promise<TrialResult> {
  const trial = await executeTrial(
    trialSpec({
      policy: { name: "none", options: {} },
      plan: {
        seed: 1,
        arrival: { law: "constant", rate: { kind: "constant", rps: 100 } },
        warmupSeconds: 0,
        durationSeconds: 30,
        users: 10,
      },
      world: {
        kind: "virtual",
        model: { name: "shed", capacity: 200, burst: 10, rejectCost: 0, latencySeconds: 0.1 },
        script: [{ kind: "capacity", fromSeconds: 10, toSeconds: 20, factor: 0 }],
      },
      ...change,
    }),
    UNWATCHED,
  );
  expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
  return trial;
}

describe("a trial with a guard", () => {
  it("ends when its rule was broken for so long: interrupted, drained, and not to be trusted", async () => {
    const trial = await outage({ abortOn: [ERRORS] });
    expect(trial.aborted?.atSeconds).toBe(13);
    expect(trial.aborted?.text).toMatch(/^errors>50%:3s: 100 % of the attempts/);
    expect(trial).toMatchObject({ interrupted: true, durationSeconds: 13 });
    expect(trial.calls.planned).toBe(1300);
    expect(trial.calls.unfinished).toBe(0);
    expect(trial.validity.verdict).toBe("invalid");
    expect(trial.validity.reasons).toEqual([
      expect.objectContaining({ code: "aborted", severity: "invalid", figure: 13 }),
    ]);
  });

  it("goes on when it was not broken for that long, and is the same as without", async () => {
    const guarded = await outage({ abortOn: [{ ...ERRORS, forSeconds: 11 }] });
    expect(guarded.aborted).toBeUndefined();
    expect({ ...guarded, startedAt: "" }).toEqual({ ...(await outage()), startedAt: "" });
  });

  it("is guarded in its warm-up too, and has measured nothing then", async () => {
    const plan = { ...trialSpec().plan, warmupSeconds: 10 };
    const model = { name: "bernoulli", accept: 0, latencySeconds: 0.1 } as const;
    const trial = await outage({ abortOn: [ERRORS], plan, world: { kind: "virtual", model } });
    expect(trial).toMatchObject({ aborted: { atSeconds: 3 }, durationSeconds: 0, interrupted: true });
    expect(trial.warmup?.seconds).toBe(3);
  });

  it("leaves one alone that ran whole, whatever times out in its drain", async () => {
    const trial = await outage({
      abortOn: [{ kind: "errors", share: 0.5, forSeconds: 1 }],
      timeoutSeconds: 4,
      drainSeconds: 10,
      plan: { ...trialSpec().plan, warmupSeconds: 0, durationSeconds: 3 },
      world: { kind: "virtual", model: { name: "bernoulli", accept: 1, latencySeconds: 5 } },
    });
    expect(trial.errors.timeout ?? 0).toBeGreaterThan(0);
    expect(trial).toMatchObject({ interrupted: false, durationSeconds: 3 });
    expect(trial.aborted).toBeUndefined();
    expect(trial.validity.reasons.map(({ code }) => code)).not.toContain("aborted");
  });

  it("leaves a search alone that has held, whatever times out in its drain", async () => {
    const governor = {
      control: "rate",
      high: 0.9,
      low: 0.8,
      floor: 1,
      ceiling: 20,
      start: 20,
      windowSeconds: 1,
      holdWindows: 2,
      holdBand: 0.15,
    } as const;
    const trial = await outage({
      abortOn: [{ kind: "errors", share: 0.5, forSeconds: 1 }],
      timeoutSeconds: 4.3,
      drainSeconds: 10,
      governor,
      world: {
        kind: "virtual",
        model: { name: "bernoulli", accept: 1, latencySeconds: 0.1 },
        script: [{ kind: "latency", fromSeconds: 1.5, toSeconds: 60, addedSeconds: 9 }],
      },
    });
    expect(trial.errors.timeout ?? 0).toBeGreaterThan(0);
    expect(trial.governor?.ended).toBe("held");
    expect(trial.aborted).toBeUndefined();
  });

  it("says of a governor that it was the guard who ended it", async () => {
    const governor = {
      control: "rate",
      high: 0.9,
      low: 0.8,
      floor: 1,
      ceiling: 100,
      start: 10,
      windowSeconds: 2,
      holdWindows: 12,
      holdBand: 0.15,
    } as const;
    const model = { name: "bernoulli", accept: 0.3, latencySeconds: 0.1 } as const;
    const trial = await outage({ abortOn: [ERRORS], governor, world: { kind: "virtual", model } });
    expect(trial.governor?.ended).toBe("aborted");
    expect(trial.validity.reasons.map(({ code }) => code)).toContain("aborted");
    expect(trial.validity.reasons.map(({ code }) => code)).not.toContain("capacity-not-held");
  });

  it("refuses a rule that it cannot keep", async () => {
    await expect(outage({ abortOn: [{ ...ERRORS, share: 1 }] })).rejects.toThrow(RangeError);
  });
});
