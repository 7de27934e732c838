/** Loads that are multiples of a capacity: what is planned before that is known, and what once it is. */

import { formatRate } from "../../figures/number-format.ts";
import type { Result } from "../../result/schema.ts";
import { type CapacityRate, isMultiple, multipleText, type RpsFlag, rateAsked, rpsAt } from "../flags/capacity-rate.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { LoadCommand } from "./load-command.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

/** Stands for a capacity that is not known: so little that no guard takes the product for too much. */
export const UNKNOWN_RPS = 0.01;

/** What is to be run, with figures for all loads. */
export interface KnownLoad {
  readonly flags: LoadFlags;
  readonly command: LoadCommand;
}

export interface MultipleLoads {
  /** What the arm was asked to get, where that is a multiple; undefined: a figure of its own. */
  rateOf(arm: string): CapacityRate | undefined;
  /** What is to be run where the target takes so many calls per second. @throws CliError */
  at(capacityRps: number): Promise<KnownLoad>;
}

/** @returns undefined where all loads are figures. */
export function multipleLoads(flags: LoadFlags, command: LoadCommand): MultipleLoads | undefined {
  if (command.multiples !== undefined) return command.multiples;
  const rate = rateAsked(flags);
  if (!isMultiple(rate)) return undefined;
  return { rateOf: () => rate, at: async (capacityRps) => ({ flags: withRps(flags, rate, capacityRps), command }) };
}

/** The flags with a figure for the rate: the governor has done its work then. */
export function withRps({ governor: _, ...flags }: LoadFlags, rps: RpsFlag, capacityRps: number): LoadFlags {
  return { ...flags, rps: rpsAt(rps, capacityRps) };
}

/** The experiment as far as it is known without its capacity: where it tells of rates, it tells them as they were asked for. */
export function withoutRates(planned: PlannedExperiment, loads: MultipleLoads): PlannedExperiment {
  const { config, arms } = planned;
  const plan = config.plan as { readonly rate?: string };
  const described = config.arms as readonly { readonly arm: string; readonly rate?: string }[];
  return {
    ...planned,
    config: {
      ...config,
      arms: described.map((arm) =>
        arm.rate === undefined ? arm : { ...arm, rate: rateText(arm.arm, loads) ?? arm.rate },
      ),
      plan: { ...plan, rate: rateText(arms[0]?.name ?? "", loads) ?? plan.rate },
    },
  };
}

/** A result of it: there is no plan yet. */
export function withoutPlan(result: Result, loads: MultipleLoads): Result {
  const { dispersion: _, ...plan } = result.plan;
  return {
    ...result,
    plan: { ...plan, hash: "", rate: rateText(result.design.arms[0] ?? "", loads) ?? plan.rate, rps: 0 },
  };
}

/** What the multiples come to: `2x-capacity is 394/s`. */
export function loadsText({ arms }: PlannedExperiment, { rateOf }: MultipleLoads, capacityRps: number): string {
  const rates = arms.flatMap(({ name }) => rateOf(name) ?? []);
  const texts = rates.map((rate) => `${multipleText(rate)} is ${formatRate(rpsAt(rate, capacityRps))}`);
  return [...new Set(texts)].join(", ");
}

function rateText(arm: string, loads: MultipleLoads): string | undefined {
  const rate = loads.rateOf(arm);
  return rate === undefined ? undefined : multipleText(rate);
}
