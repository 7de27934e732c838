import { describeRate, meanRps } from "./describe.ts";
import { createPlan, type PlanSpec } from "./plan.ts";

/** What tells a plan from others, and says what it was, wherever the plan itself is too much. */
export interface PlanLabel {
  readonly hash: string;
  readonly users: number;
  /** The rate over the measured window, as the flags write it. */
  readonly rate: string;
  /** Its mean, per second. */
  readonly rps: number;
}

export function labelOf(spec: PlanSpec): PlanLabel {
  return { hash: createPlan(spec).hash, users: spec.users, rate: describeRate(spec), rps: meanRps(spec) };
}
