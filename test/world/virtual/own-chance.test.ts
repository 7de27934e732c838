/** Arms that share their random numbers, and arms that have their own. */

import { describe, expect, it } from "vitest";
import type { TrialSpec, VirtualWorldSpec } from "../../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

async function trialOf(change: Partial<TrialSpec>): Promise<Omit<TrialResult, "startedAt">> {
  const { startedAt: _, ...trial } = await executeTrial(trialSpec(change), UNWATCHED);
  return trial;
}

const SHED = { name: "shed", capacity: 500, burst: 10, rejectCost: 0.3, latencySeconds: 0 } as const;

describe("the chance of a trial", () => {
  it("is common without a number, which is the same as 0", async () => {
    expect(await trialOf({ chance: 0 })).toEqual(await trialOf({}));
    expect(await trialOf({ chance: 3 })).toEqual(await trialOf({ chance: 3 }));
  });

  it("of its own makes other decisions of an equal policy on the same arrivals", async () => {
    const trials = await Promise.all([0, 1, 2].map((chance) => trialOf({ chance })));
    expect(new Set(trials.map(({ plan }) => JSON.stringify(plan))).size).toBe(1);
    expect(new Set(trials.map(({ series }) => JSON.stringify(series.map(({ offered }) => offered)))).size).toBe(1);
    expect(new Set(trials.map(({ calls }) => JSON.stringify(calls))).size).toBe(3);
  });

  it.each<[what: string, world: Partial<VirtualWorldSpec>]>([
    ["the network", { network: { law: "exponential", meanSeconds: 0.01 } }],
    ["the work of a shedding model", { model: { ...SHED, work: "exponential" } }],
    [
      "the work of a queueing one",
      {
        model: {
          name: "fifo",
          workers: 4,
          serviceSeconds: { law: "exponential", meanSeconds: 0.005 },
          latencySeconds: 0,
        },
      },
    ],
    ["the verdict of a model that accepts by chance", { model: { name: "bernoulli", accept: 0.7, latencySeconds: 0 } }],
  ])("is that of %s too", async (_what, change) => {
    const world: VirtualWorldSpec = { kind: "virtual", model: SHED, ...change };
    const policy = { name: "none", options: {} };
    const [common, same, own] = await Promise.all([
      trialOf({ world, policy }),
      trialOf({ world, policy }),
      trialOf({ world, policy, chance: 1 }),
    ]);
    expect(same).toEqual(common);
    expect(own.plan).toEqual(common.plan);
    expect(JSON.stringify([own.calls, own.latency])).not.toBe(JSON.stringify([common.calls, common.latency]));
  });

  it("leaves how much a call matters to the plan", async () => {
    const criticality = [0.1, 0.5, 0.2, 0.2] as const;
    const classes = async (chance: number): Promise<unknown> =>
      (await trialOf({ criticality, chance })).criticality?.map(({ class: name, planned }) => [name, planned]);
    expect(await classes(1)).toEqual(await classes(0));
  });
});
