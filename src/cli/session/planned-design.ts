/** The plan of an experiment, for whoever asks what it would do. */

import { scheduleTrials } from "../../experiment/schedule.ts";
import { formatDuration } from "../../figures/duration.ts";
import { createPlan, type PlanSpec } from "../../plan/plan.ts";
import type { DesignedTrial, ExperimentDesign } from "../../report/design-text.ts";
import { IDLE_BOUND_SECONDS } from "../../world/real/endpoint-target.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { LoadCommand } from "./load-command.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

export function designOf(
  planned: PlannedExperiment,
  flags: LoadFlags,
  { remarks = [], finished }: Pick<LoadCommand, "remarks" | "finished">,
): ExperimentDesign {
  const { arms, pairs, plan, common, workers, stopping } = planned;
  const calls = new Map<PlanSpec, number>();
  const callsOf = (of: PlanSpec): number => {
    const known = calls.get(of) ?? createPlan(of).expectedArrivals;
    calls.set(of, known);
    return known;
  };
  const trials = scheduleTrials(
    arms.map(({ name }) => name),
    pairs,
    plan.seed,
  ).map(({ arm: name, pair }): DesignedTrial => {
    const own = arms.find((arm) => arm.name === name)?.own;
    const its = own?.plan ?? plan;
    const { warmupSeconds, durationSeconds } = its;
    const { drainSeconds } = { ...common, ...own };
    return { arm: name, pair, warmupSeconds, durationSeconds, drainSeconds, calls: callsOf(its) };
  });
  return {
    trials,
    world: common.world.kind,
    workers,
    wait: waitOf(planned, flags),
    looks: stopping.rule === "sequential" ? stopping.looks : [],
    remarks: [
      ...remarks,
      ...(finished === undefined
        ? []
        : ["Then the recovery of each arm is simulated, in some seconds (--no-recovery: not)."]),
    ],
  };
}

function waitOf({ destination }: PlannedExperiment, flags: LoadFlags): ExperimentDesign["wait"] {
  const { pause = 0, stats } = flags;
  const untilIdle = `until the target is idle, up to ${formatDuration(IDLE_BOUND_SECONDS)}`;
  const rest = pause === 0 ? "no rest" : `a rest of ${formatDuration(pause)}`;
  if (!stats) return { leastSeconds: pause, mostSeconds: pause, text: rest };
  if (destination.kind === "builtIn") return { leastSeconds: 0, mostSeconds: IDLE_BOUND_SECONDS, text: untilIdle };
  const mostSeconds = Math.max(pause, IDLE_BOUND_SECONDS);
  return { leastSeconds: 0, mostSeconds, text: `${rest}, or where it has counters ${untilIdle}` };
}
