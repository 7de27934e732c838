/** Maps the hysteresis of each arm, once the trials of a recovery experiment have ended. */

import type { TrialSpec } from "../../../engine/trial-spec.ts";
import { type LoadToTry, mapHysteresis } from "../../../experiment/hysteresis-map.ts";
import { mapSpecs, mapTrial } from "../../../experiment/hysteresis-trials.ts";
import type { RecoveryTimes } from "../../../experiment/recovery-specs.ts";
import { formatTrigger } from "../../../experiment/recovery-trigger.ts";
import { formatRate } from "../../../figures/number-format.ts";
import type { ArmMap, Recovery } from "../../../result/recovery-schema.ts";
import type { Result, TrialResult } from "../../../result/schema.ts";
import type { FurtherTrial } from "../../session/further-trials.ts";
import type { MapPlan } from "./map-options.ts";

/** What goes on around it. */
export interface MapContext {
  /** What a trial of the arm is to do: its load and what comes of the trigger are replaced. */
  specOf(arm: string): TrialSpec;
  /** Runs trials beside those of the experiment. @returns those that ended, by their index: undefined of one that did not begin. */
  further(trials: readonly FurtherTrial[]): Promise<readonly (TrialResult | undefined)[]>;
  stopRequested(): boolean;
  note(text: string): void;
  saveSoFar(result: Result): Promise<void>;
}

/**
 * The result with its map. When it is stopped, the result is a partial one, with what was found so far.
 *
 * @param times of the map's trials, which may be looked at for longer than those of the experiment.
 */
export async function withMap(
  result: Result,
  plan: MapPlan,
  times: Omit<RecoveryTimes, "horizonSeconds">,
  context: MapContext,
): Promise<Result> {
  const { recovery } = result;
  if (recovery === undefined || result.partial || context.stopRequested()) return result;
  const mapped: ArmMap[] = [];
  const soFar = (partial: boolean): Result => ({
    ...result,
    partial,
    recovery: { ...recovery, map: describeMap(plan, mapped) },
  });
  for (const arm of result.design.arms) {
    await context.saveSoFar(soFar(true));
    const { map, isWhole } = await mapArm(arm, plan, times, context);
    mapped.push(map);
    context.note(map.sentence);
    if (!isWhole || context.stopRequested()) return soFar(true);
  }
  return soFar(false);
}

function describeMap(
  { lowRps, highRps, tolerance, seeds, horizonSeconds }: MapPlan,
  arms: readonly ArmMap[],
): NonNullable<Recovery["map"]> {
  return { lowRps, highRps, tolerance, seeds, horizonSeconds, arms: [...arms] };
}

async function mapArm(
  arm: string,
  plan: MapPlan,
  { trigger, settleSeconds }: Omit<RecoveryTimes, "horizonSeconds">,
  context: MapContext,
): Promise<{ readonly map: ArmMap; readonly isWhole: boolean }> {
  const base = context.specOf(arm);
  const times = { trigger, settleSeconds, horizonSeconds: plan.horizonSeconds };
  let isWhole = true;
  const run = async (loads: readonly LoadToTry[]): Promise<readonly (readonly TrialResult[])[]> => {
    const asked = loads.flatMap((load) =>
      mapSpecs({ base, ...times }, load, plan.seeds).map((spec) => ({
        spec,
        triggered: load.triggered,
        label: labelOf(arm, load, spec.pair + 1, plan.seeds),
      })),
    );
    const trials = await context.further(asked);
    isWhole &&= !trials.includes(undefined);
    return loads.map((load, index) =>
      trials
        .slice(index * plan.seeds, (index + 1) * plan.seeds)
        .flatMap((trial) => (trial === undefined ? [] : [mapTrial(trial, times, load)])),
    );
  };
  const map = await mapHysteresis({ ...plan, arm, trigger: formatTrigger(trigger) }, run);
  return { map, isWhole };
}

function labelOf(arm: string, { rps, triggered }: LoadToTry, number: number, seeds: number): string {
  return `map of ${arm}: ${formatRate(rps)} ${triggered ? "with" : "without"} the trigger, ${number} of ${seeds}`;
}
