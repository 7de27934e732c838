/**
 * The closed forms that overload control must show against a server of sharp capacity: 50 users, 1,000 calls/s, capacity
 * 100/s, window 10 s. The first 60 s (six windows) are the transient and are left out.
 */

import { describe, expect, it } from "vitest";
import type { ShedModelSpec } from "../../../src/engine/trial-spec.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const CAPACITY = 100;
const OFFERED = 1000;
const TRANSIENT_SECONDS = 60;

async function steadyState(
  policy: string,
  options: Record<string, number>,
  model: Partial<ShedModelSpec> = {},
  rps: number = OFFERED,
): Promise<{ sent: number; accepted: number; ok: number }> {
  const trial = await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "poisson", rate: { kind: "constant", rps } },
        warmupSeconds: 0,
        durationSeconds: 300,
        users: 50,
      },
      policy: { name: policy, options },
      world: {
        kind: "virtual",
        model: { name: "shed", capacity: CAPACITY, burst: 10, rejectCost: 0, latencySeconds: 0, ...model },
      },
    }),
    UNWATCHED,
  );
  const rows = trial.series.slice(TRANSIENT_SECONDS);
  const mean = (column: "sent" | "accepted" | "ok"): number =>
    rows.reduce((sum, row) => sum + row[column], 0) / rows.length;
  return { sent: mean("sent"), accepted: mean("accepted"), ok: mean("ok") };
}

describe("OverloadClient against shed, local rejects counted", () => {
  it.each([1.25, 1.5, 2, 3])("sends K times what is accepted, within a twentieth: K = %d", async (k) => {
    const { sent } = await steadyState("sre", { k, window: 10 });
    expect(Math.abs(sent / CAPACITY / k - 1)).toBeLessThan(0.05);
  });

  it("sends the same whatever is offered", async () => {
    const { sent: at5 } = await steadyState("sre", { k: 2, window: 10 }, {}, 5 * CAPACITY);
    const { sent: at20 } = await steadyState("sre", { k: 2, window: 10 }, {}, 20 * CAPACITY);
    expect(Math.abs(at20 / at5 - 1)).toBeLessThan(0.05);
  });

  it.each([
    [1.5, 0.3],
    [2, 0.1],
    [2, 0.3],
    [3, 0.3],
  ])("keeps goodput at C / (1 + r (K - 1)), within a twentieth: K = %d, r = %d", async (k, rejectCost) => {
    const { accepted } = await steadyState("sre", { k, window: 10 }, { rejectCost });
    expect(Math.abs(accepted / (CAPACITY / (1 + rejectCost * (k - 1))) - 1)).toBeLessThan(0.05);
  });
});

describe("AdaptiveThrottle against shed, only sent attempts counted", () => {
  it.each([1.25, 1.5, 2, 3])("sends sqrt(K x offered x accepted), within a twentieth: K = %d", async (k) => {
    const { sent, accepted } = await steadyState("sre-sent-only", { k, window: 10 });
    expect(Math.abs(sent / Math.sqrt(k * OFFERED * accepted) - 1)).toBeLessThan(0.05);
  });
});

describe("clients without overload control against shed", () => {
  it.each([150, 200, 300])("drive goodput down the line (C - r x offered) / (1 - r): %d/s offered", async (rps) => {
    const rejectCost = 0.3;
    const { accepted } = await steadyState("none", {}, { rejectCost }, rps);
    expect(Math.abs(accepted - (CAPACITY - rejectCost * rps) / (1 - rejectCost))).toBeLessThan(0.05 * CAPACITY);
  });

  it("drive goodput to nothing once r x offered reaches the capacity", async () => {
    const { accepted } = await steadyState("none", {}, { rejectCost: 0.3 }, 400);
    expect(accepted).toBeLessThan(1);
  });

  it("send three times what is offered when they retry", async () => {
    const { sent, ok } = await steadyState("retry", { maxAttempts: 3 }, { rejectCost: 0.3 });
    expect(sent).toBeGreaterThan(2.99 * OFFERED * 0.99);
    expect(ok).toBeLessThan(1);
  });
});
