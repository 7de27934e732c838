/** The plan of an experiment, for whoever asks what it would do. */

import { scheduleTrials } from "../../experiment/schedule.ts";
import { formatDuration } from "../../figures/duration.ts";
import { describeRate } from "../../plan/describe.ts";
import { createPlan, type PlanSpec } from "../../plan/plan.ts";
import type { DesignedTrial, ExperimentDesign } from "../../report/design-text.ts";
import { IDLE_BOUND_SECONDS } from "../../world/real/endpoint-target.ts";
import { searchText } from "../flags/governor-words.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { MultipleLoads } from "./capacity-loads.ts";
import type { PlannedCourse, PlannedSearch } from "./planned-course.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

export function designOf({ known, search, loads }: PlannedCourse, flags: LoadFlags): ExperimentDesign {
  const { planned } = known;
  const { remarks = [] } = known.command;
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
    ...(common.governor === undefined ? {} : { load: "at what the governor offers", endsEarly: true }),
    ...(search === undefined || loads === undefined ? {} : soughtLoad(planned, search, loads)),
    looks: stopping.rule === "sequential" ? stopping.looks : [],
    remarks,
  };
}

function soughtLoad(
  { arms, plan }: PlannedExperiment,
  { experiment }: PlannedSearch,
  loads: MultipleLoads,
): Pick<ExperimentDesign, "load" | "first"> {
  const multiples = arms.flatMap(({ name }) => loads.rateOf(name) ?? []).map(({ timesCapacity }) => timesCapacity);
  const figures = arms
    .filter(({ name }) => loads.rateOf(name) === undefined)
    .map(({ own }) => `, and ${describeRate(own?.plan ?? plan)}`);
  const { governor } = experiment.common;
  const how = governor === undefined ? "" : ` ${searchText(governor, experiment.plan.durationSeconds)}`;
  return {
    load: `at ${[...new Set(multiples)].join(", ")} x the capacity, which is found first${[...new Set(figures)].join("")}`,
    first: {
      text: `the capacity is found, by a trial of clients without a policy.${how}`,
      mostSeconds: experiment.plan.durationSeconds + experiment.common.drainSeconds,
    },
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
