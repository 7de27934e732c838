import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { resultSchema } from "../../../src/result/schema.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

describe("executeTrial() in the virtual world", () => {
  it("gives a trial that its own schema accepts", async () => {
    const trial = await executeTrial(trialSpec(), UNWATCHED);
    expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
    expect(trial).toMatchObject({ world: "virtual", model: "shed:capacity=100,burst=10,rejectCost=0,latency=0s" });
  });

  it("gives the same trial twice, to the last bit", async () => {
    const first = await executeTrial(trialSpec(), UNWATCHED);
    const second = await executeTrial(trialSpec(), UNWATCHED);
    expect({ ...second, startedAt: "" }).toEqual({ ...first, startedAt: "" });
  });

  it("gives these counts on every runtime", async () => {
    const { calls, attempts, plan, users } = await executeTrial(trialSpec(), UNWATCHED);
    const golden: unknown = JSON.parse(
      readFileSync(new URL("../../golden/virtual-trial.json", import.meta.url), "utf8"),
    );
    expect({ calls, attempts, plan, users }).toEqual(golden);
  });

  it("offers the same arrivals to every policy", async () => {
    const hashes = new Set<string>();
    const offered = new Set<string>();
    for (const name of ["none", "retry", "sre", "sre-sent-only"]) {
      const trial = await executeTrial(trialSpec({ policy: { name, options: {} } }), UNWATCHED);
      hashes.add(trial.plan.hash);
      offered.add(trial.series.map((row) => row.offered).join());
    }
    expect(hashes.size).toBe(1);
    expect(offered.size).toBe(1);
  });

  it("adds a model's latency to service and response, but not to lateness", async () => {
    const model = { name: "shed", capacity: 100, burst: 10, rejectCost: 0, latencySeconds: 0.05 } as const;
    const { latency } = await executeTrial(trialSpec({ world: { kind: "virtual", model } }), UNWATCHED);
    expect(latency.service.accepted?.p50Ms).toBeCloseTo(50, 0);
    expect(latency.response.ok?.minMs).toBeCloseTo(50, 6);
    expect(latency.lateness.maxMs).toBe(0);
  });

  it("times out, in virtual time, when the model is slower than the deadline", async () => {
    const model = { name: "shed", capacity: 100, burst: 10, rejectCost: 0, latencySeconds: 2 } as const;
    const trial = await executeTrial(
      trialSpec({ policy: { name: "none", options: {} }, world: { kind: "virtual", model } }),
      UNWATCHED,
    );
    expect(trial.attempts.overloaded).toBe(trial.attempts.sent);
    expect(trial.errors).toEqual({ timeout: trial.attempts.sent });
    expect(trial.latency.service.overloaded).toMatchObject({ maxMs: 1000, censored: trial.attempts.sent });
  });

  it("stops when asked and gives the part that ran", async () => {
    const trial = await executeTrial(
      trialSpec({
        plan: {
          seed: 1,
          arrival: { law: "poisson", rate: { kind: "constant", rps: 1000 } },
          warmupSeconds: 0,
          durationSeconds: 3600,
          users: 50,
        },
      }),
      { stopRequested: () => true, progress() {} },
    );
    expect(trial.interrupted).toBe(true);
    expect(trial.durationSeconds).toBeGreaterThan(0);
    expect(trial.durationSeconds).toBeLessThan(3600);
  });
});
