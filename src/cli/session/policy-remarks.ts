/** What the guard rails say of an arm's policy under the load, before it is run and of what was measured. */

import type { ModelSpec, TrialSpec, VirtualWorldSpec } from "../../engine/trial-spec.ts";
import { meanRps } from "../../plan/describe.ts";
import type { PlanSpec } from "../../plan/plan.ts";
import type { ResolvedPolicy } from "../../policy/catalogue.ts";
import { lintMeasured, lintPlan, traitsOf } from "../../policy/lint/lint.ts";
import type { LoadFacts, MeasuredFacts, Warning } from "../../policy/lint/warning.ts";
import type { Reason, TrialResult } from "../../result/schema.ts";
import { isAged } from "../../world/ageing.ts";
import { meanSeconds } from "../../world/virtual/durations.ts";
import type { PlannedArm } from "../flags/arm-policy.ts";

type Common = Pick<TrialSpec, "age" | "criticality" | "timeoutSeconds" | "workers" | "world">;

/** What is to be said of an arm before it is run. */
export function planRemarks({ resolved }: PlannedArm, plan: PlanSpec, common: Common): readonly Reason[] {
  return lintPlan(resolved, loadOf(resolved, plan, common)).map(noteOf);
}

/** What is to stand in the record of a trial of it. @param before what was said before it was run. */
export function trialRemarks(
  { resolved }: PlannedArm,
  plan: PlanSpec,
  common: Common,
  trial: TrialResult,
  before: readonly Reason[],
): readonly Reason[] {
  const found = lintMeasured(resolved, loadOf(resolved, plan, common), measuredOf(trial)).map(noteOf);
  // The trial itself says so when it was shorter than a single window, if it knows of this one.
  const window = traitsOf(resolved).window?.seconds;
  const isShort = trial.validity.reasons.some(({ code, limit }) => code === "short-run" && limit === window);
  return [...before.filter(({ code }) => !(isShort && code === "few-windows")), ...found];
}

/** Doubts about a policy leave the measurement of it valid. */
function noteOf(warning: Warning): Reason {
  return { ...warning, severity: "note" };
}

function loadOf(
  { options }: ResolvedPolicy,
  plan: PlanSpec,
  { age, criticality, timeoutSeconds, workers, world }: Common,
): LoadFacts {
  const { warmupSeconds, durationSeconds, users } = plan;
  return {
    clients: options.scope === "process" ? workers : users,
    callsPerSecond: meanRps(plan),
    age: isAged(age) ? age : undefined,
    warmupSeconds,
    durationSeconds,
    timeoutSeconds,
    latencySeconds: world.kind === "virtual" ? latencyOf(world) : undefined,
    criticalities: criticality === undefined ? 1 : criticality.filter((share) => share > 0).length,
  };
}

/** Of an answer without a queue. */
function latencyOf({ model, network }: VirtualWorldSpec): number {
  return model.latencySeconds + (network === undefined ? 0 : meanSeconds(network)) + workSeconds(model);
}

function workSeconds(model: ModelSpec): number {
  switch (model.name) {
    case "fifo":
      return meanSeconds(model.serviceSeconds);
    case "slope":
      return model.baseSeconds + model.slopeSeconds;
    case "worker":
      return model.acceptSeconds;
    case "shed":
    case "bernoulli":
      return 0;
    default:
      return model satisfies never;
  }
}

function measuredOf({ attempts, warmup, calls, series, latency }: TrialResult): MeasuredFacts {
  const all = [attempts, ...(warmup === undefined ? [] : [warmup.attempts])];
  const sum = (name: "accepted" | "overloaded" | "failed"): number =>
    all.reduce((total, counts) => total + counts[name], 0);
  const accepted = latency.service.accepted;
  return {
    accepted: sum("accepted"),
    overloaded: sum("overloaded"),
    failed: sum("failed"),
    throttled: calls.throttled + (warmup?.calls.throttled ?? 0),
    outageSeconds: longestOutage(series),
    latencySeconds: accepted === undefined || accepted.count === 0 ? undefined : accepted.p50Ms / 1000,
  };
}

/** Whole seconds one after the other in which calls came and none of their attempts was accepted. */
function longestOutage(series: TrialResult["series"]): number {
  let longest = 0;
  let current = 0;
  for (const { offered, accepted } of series) {
    if (offered === 0) continue;
    current = accepted === 0 ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}
