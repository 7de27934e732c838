/** Whether a partial result is of the experiment that the flags ask for now, and what around it is not as it was. */

import { completeTrials } from "../../comparison/arms.ts";
import { emptyResult } from "../../experiment/empty-result.ts";
import { trialSpec } from "../../experiment/experiment.ts";
import { labelOf } from "../../plan/plan-label.ts";
import type { Design } from "../../result/design-schema.ts";
import type { Result } from "../../result/schema.ts";
import { configDifferences, differenceText } from "./config-differences.ts";
import { fields } from "./field-differences.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

/** What must be the same, and is not: one line each. */
export function experimentDifferences(before: Result, planned: PlannedExperiment): readonly string[] {
  const { tool, environment } = before;
  const now = emptyResult(planned, { tool, environment });
  const found = [
    ...configDifferences(before.config, now.config),
    ...fields("design", laidOut(before.design), laidOut(now.design)),
  ];
  return [...found.map(differenceText), ...otherArrivals(before, planned)];
}

/** What may differ, but is to be known. In a simulation only the program matters. */
export function environmentDifferences(
  before: Result,
  planned: PlannedExperiment,
  now: { readonly environment: Result["environment"]; readonly version: string },
): readonly string[] {
  const isVirtual = planned.common.world.kind === "virtual";
  return [
    ...fields("overload-bench", before.tool.version, now.version),
    ...(isVirtual ? [] : fields("", before.environment, now.environment)),
  ].map(differenceText);
}

/** What the options do not say. */
function laidOut({ chance, stopping, smallestEffect }: Design): object {
  return { chance, stopping: stopping.rule, smallestEffect };
}

/** Of a replay the options name the file alone; what stands in it, its plan tells. */
function otherArrivals(before: Result, planned: PlannedExperiment): readonly string[] {
  const isKnown = new Set(planned.arms.map(({ name }) => name));
  return completeTrials(before.trials)
    .filter(({ arm, pair, plan }) => {
      return isKnown.has(arm) && pair < planned.pairs && labelOf(trialSpec(planned, arm, pair).plan).hash !== plan.hash;
    })
    .map(({ arm, pair }) => `the arrivals of ${arm} in pair ${pair + 1} are others now`);
}
