/** The search for the capacity of a target before an experiment whose load is a multiple of it: one trial under the governor. */

import type { ExperimentSpec } from "../../experiment/experiment.ts";
import { resolvePolicy } from "../../policy/catalogue.ts";
import type { TrialResult } from "../../result/schema.ts";
import { presetArm } from "../flags/arm-policy.ts";
import { boundedGovernor } from "../flags/governor-flag.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

/** The most that the search takes. With the defaults of the governor it comes to rest in a minute or two. */
const SEARCH_SECONDS = 180;
const ARM = "capacity";
/** For a search that found no rest: no flag says how long it may take. */
const HINT =
  "Widen the band of --governor, shorten its window, or start it nearer to the capacity; overload-bench capacity may search for longer";

/**
 * The search before the experiment `planned`: on the same target, with the same requests and users, and clients without a policy
 * and without a past. What happens to the target by a script comes later.
 *
 * @throws CliError for options of the governor that do not go together.
 */
export function planSearch(planned: PlannedExperiment, flags: LoadFlags): PlannedExperiment {
  const { plan } = planned;
  const governor = boundedGovernor(flags.governor, { maxRps: flags.maxRps, users: plan.users });
  return {
    ...planned,
    arms: [presetArm(ARM, resolvePolicy("none", {}))],
    pairs: 1,
    chance: "common",
    stopping: { rule: "all-pairs" },
    plan: {
      seed: plan.seed,
      arrival: { law: "constant", rate: { kind: "constant", rps: governor.start } },
      warmupSeconds: 0,
      durationSeconds: SEARCH_SECONDS,
      users: plan.users,
    },
    common: { ...steady(planned.common), governor, workers: 1 },
    workers: 1,
  };
}

/** The trial of a search, with advice that is for it and not for the load which it precedes. */
export function hinted(trial: TrialResult): TrialResult {
  const { validity } = trial;
  const reasons = validity.reasons.map((reason) =>
    reason.code === "capacity-not-held" ? { ...reason, hint: HINT } : reason,
  );
  return { ...trial, validity: { ...validity, reasons } };
}

/** Without what happens to clients or target beside the load. */
function steady({ age: _, world, ...common }: ExperimentSpec["common"]): ExperimentSpec["common"] {
  if (world.kind === "real") return { ...common, world };
  const { script: _script, ...unchanged } = world;
  return { ...common, world: unchanged };
}
