/** Whether a partial result is of the experiment that the flags ask for now, and what around it is not as it was. */

import { emptyResult } from "../experiment/empty-result.ts";
import { trialSpec } from "../experiment/experiment.ts";
import { labelOf } from "../plan/plan-label.ts";
import type { Design } from "../result/design-schema.ts";
import type { Result } from "../result/schema.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import { completeTrials, type Difference, fields } from "./reproduce-differences.ts";

/** Virtual trials at a time: no figure depends on it. */
const AT_A_TIME = "workers";

/** What must be the same, and is not: one line each. */
export function experimentDifferences(before: Result, planned: PlannedExperiment): readonly string[] {
  const { tool, environment } = before;
  const now = emptyResult(planned, { tool, environment });
  const isVirtual = planned.common.world.kind === "virtual";
  const found = [
    ...fields("", before.config, written(now.config), new Set(isVirtual ? [AT_A_TIME] : [])),
    ...fields("design", laidOut(before.design), laidOut(now.design)),
  ];
  return [...found.map(described), ...otherArrivals(before, planned)];
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
  ].map(described);
}

/** What the options do not say. */
function laidOut({ chance, stopping, smallestEffect }: Design): object {
  return { chance, stopping: stopping.rule, smallestEffect };
}

/** As it comes back from a file. */
function written(config: Result["config"]): unknown {
  return JSON.parse(JSON.stringify(config));
}

/** Of a replay the options name the file alone; what stands in it, its plan tells. */
function otherArrivals(before: Result, planned: PlannedExperiment): readonly string[] {
  const isKnown = new Set(planned.arms.map(({ name }) => name));
  return completeTrials(before)
    .filter(({ arm, pair, plan }) => {
      return isKnown.has(arm) && pair < planned.pairs && labelOf(trialSpec(planned, arm, pair).plan).hash !== plan.hash;
    })
    .map(({ arm, pair }) => `the arrivals of ${arm} in pair ${pair + 1} are others now`);
}

function described({ field, recorded, now }: Difference): string {
  if (field.endsWith("policySha256")) return "the policy's file has changed";
  if (field.endsWith("bodySha256")) return "the body is another one";
  return `${field}: ${shown(recorded)} then, ${shown(now)} now`;
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
