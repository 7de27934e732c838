/** The flags of `recovery --map`, and what such a map costs. */

import { mapTrialsMax } from "../../../experiment/hysteresis-map.ts";
import { MAP_HORIZON_SECONDS } from "../../../experiment/hysteresis-trials.ts";
import { type BracketRange, checkLoads, checkTolerance, RPS_MAX } from "../../../experiment/load-bracket.ts";
import type { Trigger } from "../../../experiment/recovery-trigger.ts";
import { formatDuration } from "../../../figures/duration.ts";
import { formatCount, formatPercent, formatRate } from "../../../figures/number-format.ts";
import { parseCount, parseRate } from "../../../plan/units.ts";
import { CliError } from "../../cli-error.ts";
import { type Add, named } from "../../flags/add-option.ts";
import { effect } from "../../flags/flag-values.ts";
import { checkGuards, type GuardFlags } from "../../flags/guard-options.ts";

export interface MapFlags {
  readonly map?: boolean;
  readonly mapRange?: Pick<BracketRange, "lowRps" | "highRps">;
  readonly mapTolerance?: number;
  readonly mapSeeds?: number;
}

/** What is to be mapped, and how. */
export interface MapPlan extends BracketRange {
  readonly seeds: number;
  readonly horizonSeconds: number;
}

const TOLERANCE = 0.02;
/** Without --map-range: from so much of the base load up to so many times of it, as far as that is allowed. */
const RANGE = { below: 0.25, above: 4 };
/** A real trial takes its time; one of three may be stuck by chance. */
const SEEDS = { real: 3, virtual: 10 };

export function addMapOptions(add: Add): void {
  add(
    "--map",
    "find by bisection the highest load that survives the trigger and the highest that is served without it",
  );
  add(
    "--map-range <range>",
    "the loads between which --map looks: 20..200 (default: a quarter of --rps to 4 times, at most --max-rps)",
    range,
  );
  add("--map-tolerance <share>", "how narrow --map makes its intervals, relatively (default: 2%)", effect);
  add("--map-seeds <count>", "trials of each load that --map tries (default: 10 with --sim, else 3)", parseCount);
}

/** @throws RangeError */
function range(text: string): Pick<BracketRange, "lowRps" | "highRps"> {
  const [, low, high] = /^(.+?)\.\.(.+)$/u.exec(text) ?? [];
  if (low === undefined || high === undefined) {
    throw new RangeError(`must be two loads, as in 20..200: current value is "${text}"`);
  }
  const loads = { lowRps: parseRate(low), highRps: parseRate(high) };
  checkLoads(loads);
  return loads;
}

/**
 * @param rps the base load.
 * @param horizonSeconds that of the command's own trials.
 * @returns undefined where no map is wanted. @throws CliError
 */
export function planMap(
  flags: MapFlags & GuardFlags & { readonly trigger?: Trigger },
  rps: number,
  world: "real" | "virtual",
  horizonSeconds: number,
): MapPlan | undefined {
  const { map = false, mapRange, mapTolerance, mapSeeds, trigger } = flags;
  if (!map) {
    const given = { "--map-range": mapRange, "--map-tolerance": mapTolerance, "--map-seeds": mapSeeds };
    const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (flag !== undefined) throw new CliError(`${flag} is for --map`);
    return undefined;
  }
  const peak = trigger?.kind === "spike" ? trigger.factor : 1;
  checkGuards(flags, peak * rps);
  const plan: MapPlan = {
    ...(mapRange ?? rangeAround(rps, Math.min(RPS_MAX, flags.maxRps ?? RPS_MAX) / peak)),
    tolerance: mapTolerance ?? TOLERANCE,
    seeds: mapSeeds ?? SEEDS[world],
    // A storm that drains slowly is not to be taken for one that never ends; a real one takes as long as it takes.
    horizonSeconds: world === "virtual" ? Math.max(MAP_HORIZON_SECONDS, horizonSeconds) : horizonSeconds,
  };
  named(mapRange === undefined ? "The loads around --rps" : "--map-range", () => checkLoads(plan));
  named("--map-range, with its spike,", () => checkLoads({ ...plan, highRps: peak * plan.highRps }));
  named("--map-tolerance", () => checkTolerance(plan.tolerance));
  checkGuards(flags, peak * plan.highRps);
  return plan;
}

/** @param mostRps nobody asked for more. */
function rangeAround(rps: number, mostRps: number): Pick<BracketRange, "lowRps" | "highRps"> {
  return { lowRps: RANGE.below * rps, highRps: Math.min(RANGE.above * rps, mostRps) };
}

/** One line: what it does, and what it costs at most. @param trialSeconds of one trial, from its warm-up to its end. */
export function mapRemark(plan: MapPlan, world: "real" | "virtual", arms: number, trialSeconds: number): string {
  const { lowRps, highRps, tolerance, seeds, horizonSeconds } = plan;
  const trials = mapTrialsMax(plan, seeds, arms);
  const seconds = trials * trialSeconds;
  const time = world === "virtual" ? `${formatDuration(seconds)} of simulated time` : formatDuration(seconds);
  return [
    `Then the map: by bisection between ${formatRate(lowRps)} and ${formatRate(highRps)}, down to ${formatPercent(tolerance)},`,
    `what survives the trigger and what is served without it: at most ${formatCount(trials)} trials`,
    `(${seeds} a load, each ${formatDuration(horizonSeconds)} long after the trigger), ${time}.`,
  ].join(" ");
}
