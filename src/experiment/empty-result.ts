/** The result of an experiment before anything was measured. */

import { indexOfDispersion } from "../plan/bursty-arrivals.ts";
import { describeArrival, describeRate, meanRps } from "../plan/describe.ts";
import { createPlan, type PlanSpec } from "../plan/plan.ts";
import type { Design } from "../result/design-schema.ts";
import { type Result, SCHEMA_VERSION } from "../result/schema.ts";
import type { ExperimentPorts, ExperimentSpec } from "./experiment.ts";

export function emptyResult(
  spec: ExperimentSpec,
  { tool, environment }: Pick<ExperimentPorts, "tool" | "environment">,
): Result {
  const { command, config, plan, invocation, found } = spec;
  return {
    schemaVersion: SCHEMA_VERSION,
    command,
    partial: true,
    tool,
    environment,
    config: { ...config },
    ...(invocation === undefined ? {} : { invocation }),
    design: designOf(spec),
    plan: {
      hash: createPlan(plan).hash,
      seed: plan.seed,
      arrivals: 0,
      users: plan.users,
      arrival: describeArrival(plan.arrival),
      ...dispersionOf(plan),
      rate: describeRate(plan),
      rps: meanRps(plan),
      warmupSeconds: plan.warmupSeconds,
      durationSeconds: plan.durationSeconds,
    },
    trials: [],
    ...(found === undefined ? {} : { capacity: found.capacity, capacityTrials: [...found.trials] }),
  };
}

function designOf({ arms, pairs, plan, chance, stopping, smallestEffect, idle, resumed }: ExperimentSpec): Design {
  return {
    arms: arms.map(({ name }) => name),
    pairs,
    seed: plan.seed,
    chance,
    stopping,
    smallestEffect,
    ...(idle === undefined ? {} : { idle }),
    ...(resumed === undefined ? {} : { resumed: resumed.record }),
  };
}

/** How bursty the arrivals are; a replay is as bursty as it was. */
function dispersionOf(plan: PlanSpec): Pick<Result["plan"], "dispersion"> {
  const { arrival } = plan;
  switch (arrival.law) {
    case "constant":
      return { dispersion: 0 };
    case "poisson":
      return { dispersion: 1 };
    case "bursty":
      return { dispersion: indexOfDispersion(arrival, meanRps(plan)) };
    case "replay":
      return {};
    default:
      return arrival satisfies never;
  }
}
