/** The search for the capacity of a target before an experiment whose load is a multiple of it: one trial under the governor. */

import type { ExperimentSpec } from "../../experiment/experiment.ts";
import { resolvePolicy } from "../../policy/catalogue.ts";
import { named } from "../flags/add-option.ts";
import { presetArm } from "../flags/arm-policy.ts";
import { governorSpec } from "../flags/governor-flag.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

/** The most that the search takes. With the defaults of the governor it comes to rest in a minute or two. */
const SEARCH_SECONDS = 180;
const ARM = "capacity";

/**
 * The search before the experiment `planned`: on the same target, with the same requests and users, and clients without a policy
 * and without a past. What happens to the target by a script comes later.
 *
 * @throws CliError for options of the governor that do not go together.
 */
export function planSearch(planned: PlannedExperiment, flags: LoadFlags): PlannedExperiment {
  const { plan } = planned;
  const control = flags.governor?.control ?? "rate";
  const governor = named("--governor", () =>
    governorSpec(flags.governor, control === "rate" ? flags.maxRps : plan.users),
  );
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

/** Without what happens to clients or target beside the load. */
function steady({ age: _, world, ...common }: ExperimentSpec["common"]): ExperimentSpec["common"] {
  if (world.kind === "real") return { ...common, world };
  const { script: _script, ...unchanged } = world;
  return { ...common, world: unchanged };
}
