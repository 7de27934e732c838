/** What a trial under the governor may be asked for. */

import { resolveGovernorOptions } from "../governor/governor-options.ts";
import type { PlanSpec } from "../plan/plan.ts";
import type { OfferedLaw } from "./offered-arrivals.ts";
import type { TrialSpec } from "./trial-spec.ts";

/** @throws RangeError when `spec` has a governor and breaks one of its rules. */
export function checkGoverned({ governor, plan, workers }: Pick<TrialSpec, "governor" | "plan" | "workers">): void {
  if (governor === undefined) return;
  const { windowSeconds: window, holdWindows, holdBand, ceiling, control, ...options } = governor;
  resolveGovernorOptions({ ...options, ceiling, control, window });
  const { warmupSeconds, users } = plan;
  check(workers === 1, "'workers' must be 1", workers);
  check(warmupSeconds === 0, "'warmupSeconds' must be 0, as it warms up by itself", warmupSeconds);
  check(
    Number.isSafeInteger(holdWindows) && holdWindows >= 2,
    "'holdWindows' must be a whole number of at least 2",
    holdWindows,
  );
  check(holdBand >= 0 && holdBand < Number.POSITIVE_INFINITY, "'holdBand' must be a number of at least 0", holdBand);
  if (control === "rate") offeredLaw(plan);
  else check(ceiling <= users, `'ceiling' must be at most the number of users (${users}), one for each fibre`, ceiling);
}

/** @throws RangeError for arrivals that cannot follow an offer. */
export function offeredLaw({ arrival: { law }, seed, users }: PlanSpec): OfferedLaw {
  if (law === "constant" || law === "poisson") return { law, seed, users };
  throw refusal("'arrival' must be constant or poisson", law);
}

function check(holds: boolean, rule: string, value: unknown): void {
  if (!holds) throw refusal(rule, value);
}

function refusal(rule: string, value: unknown): RangeError {
  return new RangeError(`Cannot govern as ${rule}: current value is ${String(value)}`);
}
