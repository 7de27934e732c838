import { describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { planRecovery, type RecoveryArm } from "../../src/experiment/recovery-after.ts";
import { createPlan } from "../../src/plan/plan.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

function armOf(k: number, more: Partial<TrialSpec> = {}): RecoveryArm {
  const { name, options } = resolvePolicy("sre", { k, window: 10 });
  return { spec: trialSpec({ arm: `k=${k}`, policy: { name, options }, ...more }), windowSeconds: 10 };
}

async function recovered(arms: readonly RecoveryArm[]): Promise<readonly (number | null)[]> {
  const plan = planRecovery(arms, { capacity: 500, rejectCost: 0 });
  const trials = await Promise.all(plan.specs.map((spec) => executeTrial(spec, UNWATCHED)));
  return plan.conclude(trials).map(({ seconds }) => seconds);
}

describe("planRecovery()", () => {
  it("simulates three seeds of each policy, with the load below the whole capacity and above what is left of it", () => {
    const { specs, scenario } = planRecovery([armOf(2), armOf(1.5)], { capacity: 100, rejectCost: 0.3 });
    expect(specs.map(({ arm, pair }) => `${arm} ${pair}`)).toEqual([
      "k=2 0",
      "k=2 1",
      "k=2 2",
      "k=1.5 0",
      "k=1.5 1",
      "k=1.5 2",
    ]);
    expect(new Set(specs.map(({ plan }) => plan.seed)).size).toBe(3);
    expect(specs[0]?.plan).toMatchObject({ arrival: { rate: { rps: 80 } }, warmupSeconds: 20, durationSeconds: 120 });
    expect(specs[0]?.world).toMatchObject({
      model: { name: "shed", capacity: 100, rejectCost: 0.3 },
      script: [{ kind: "capacity", fromSeconds: 0, toSeconds: 20, factor: 0.25 }],
    });
    expect(scenario).toContain("Simulated, not measured");
  });

  it("gives the clients no past: the warm-up fills their windows", () => {
    const aged = armOf(2, { age: { seconds: 120, latencySeconds: 0.005 } });
    const { specs } = planRecovery([aged], { capacity: 100, rejectCost: 0 });
    for (const spec of specs) expect(spec).not.toHaveProperty("age");
  });

  it("says when it leaves policies out, and how many", () => {
    const arms = Array.from({ length: 45 }, (_, index) => armOf(1.1 + index / 10));
    const { specs, scenario } = planRecovery(arms, { capacity: 100, rejectCost: 0.3 });
    expect(specs).toHaveLength(120);
    expect(scenario).toContain("Of 45 policies the first 40 were simulated");
    expect(planRecovery(arms.slice(0, 40), { capacity: 100, rejectCost: 0.3 }).scenario).not.toContain("policies");
  });

  it("simulates arms that differ in their load alone once, and tells of each", () => {
    const [one, other] = [armOf(2, { arm: "k=2 rps=1" }), armOf(2, { arm: "k=2 rps=2" })];
    const { specs, conclude } = planRecovery([one, other], { capacity: 100, rejectCost: undefined });
    expect(specs).toHaveLength(3);
    expect(conclude(specs.map(() => undefined))).toEqual([]);
  });

  it("scales a fast backend down with its users, so that it costs no more than a slow one", () => {
    const { specs } = planRecovery([armOf(2)], { capacity: 1_000_000, rejectCost: 0 });
    const arrivals = specs.map(({ plan }) => createPlan(plan).expectedArrivals);
    for (const count of arrivals) expect(count).toBeLessThanOrEqual(100_001);
    expect(specs[0]?.plan.users).toBeLessThan(100);
  });

  it("shows what a small K pays when the disturbance ends: (W / K) ln((rho - 1) / (K - 1)), within W", async () => {
    const [k15 = null, k3 = null] = await recovered([armOf(1.5), armOf(3)]);
    expect(k15).toBeGreaterThan(4);
    expect(k15).toBeLessThan(25);
    expect(k3).toBeLessThan(k15 as number);
  });
});
