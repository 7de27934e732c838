/** What decides in a virtual world whether a system comes back: the load with all its attempts against the capacity. */

import { describe, expect, it } from "vitest";
import { armRecovery } from "../../src/experiment/recovery-conclusion.ts";
import { recoverySpecs, triggerSpan } from "../../src/experiment/recovery-specs.ts";
import { formatTrigger, parseTrigger } from "../../src/experiment/recovery-trigger.ts";
import { withRecovery } from "../../src/experiment/trial-recovery.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import type { ArmRecovery } from "../../src/result/recovery-schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

const CAPACITY = 160;
const ATTEMPTS = 4;
/** Every call of the trigger times out, which leaves a backlog of some hundred attempts; 200 s drain it at 0.9 of the capacity. */
const TIMES = { trigger: parseTrigger("slowdown=0.1:3s"), settleSeconds: 20, horizonSeconds: 200 };
const SEEDS = 4;

async function arm(policy: string, options: Record<string, number>, rps: number): Promise<ArmRecovery> {
  const { name, options: all } = resolvePolicy(policy, options);
  const trials = await Promise.all(
    Array.from({ length: SEEDS }, async (_, pair) => {
      const base = trialSpec({
        arm: policy,
        pair,
        policy: { name, options: all },
        timeoutSeconds: 0.2,
        plan: {
          seed: pair + 1,
          arrival: { law: "poisson", rate: { kind: "constant", rps } },
          warmupSeconds: 0,
          durationSeconds: 1,
          users: 20,
        },
        world: { kind: "virtual", model: { name: "fifo", workers: 4, serviceSeconds: 0.025, latencySeconds: 0 } },
      });
      const trial = await executeTrial(recoverySpecs({ base, ...TIMES }), UNWATCHED);
      const { trigger } = TIMES;
      return withRecovery(trial, { kind: trigger.kind, text: formatTrigger(trigger), ...triggerSpan(TIMES) });
    }),
  );
  return armRecovery(policy, trials, { withinSeconds: 60, horizonSeconds: TIMES.horizonSeconds });
}

describe("after a slow-down of a FIFO server that works for clients who have given up", { timeout: 60_000 }, () => {
  it("plain retries are metastable at 1.1 of the capacity with all attempts, though little more than a quarter of it is offered", async () => {
    const found = await arm("retry", { maxAttempts: ATTEMPTS }, (1.1 * CAPACITY) / ATTEMPTS);
    expect(found).toMatchObject({ verdict: "metastable", trials: SEEDS, stuck: { share: 1 } });
    expect(found.amplificationAfter.min).toBeGreaterThan(ATTEMPTS - 0.1);
    expect(found.depth.min).toBeGreaterThan(0.99);
  });

  it("they come back at 0.9 of it", async () => {
    const found = await arm("retry", { maxAttempts: ATTEMPTS }, (0.9 * CAPACITY) / ATTEMPTS);
    expect(found.stuck.count).toBe(0);
    expect(found.amplificationDuring.median).toBeGreaterThan(3);
  });

  it("a retry budget brings the system back at the load at which plain retries do not", async () => {
    const found = await arm("sre-budget", { maxAttempts: ATTEMPTS, window: 10 }, (1.1 * CAPACITY) / ATTEMPTS);
    expect(found).toMatchObject({ verdict: "stable", stuck: { count: 0 } });
    expect(found.amplificationAfter.max).toBeLessThan(1.2);
    expect(found.reactSeconds.max).not.toBeNull();
  });
});
