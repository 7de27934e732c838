/** One trial of a recovery experiment: base load, the trigger, base load again. */

import type { TrialSpec } from "../engine/trial-spec.ts";
import type { ConstantRateSpec, RateSpec, ReplaySpec, Stage } from "../plan/load.ts";
import type { PlanSpec } from "../plan/plan.ts";
import type { ScriptChange } from "../plan/script.ts";
import type { Trigger } from "./recovery-trigger.ts";

export interface RecoveryTimes {
  readonly trigger: Trigger;
  /** Base load before the trigger, in the measured window. */
  readonly settleSeconds: number;
  /** Base load after it. */
  readonly horizonSeconds: number;
}

export interface RecoverySpecOptions extends RecoveryTimes {
  /** Of a constant rate, the base load; its duration does not matter. */
  readonly base: TrialSpec;
}

/**
 * The trial with the trigger in it: a spike in its plan, a slow-down or an outage in the script of a virtual world. What a real
 * target does, whoever starts it must tell it: see {@link triggerScript}.
 *
 * @throws RangeError unless the base load is of a constant rate.
 */
export function recoverySpecs({ base, ...times }: RecoverySpecOptions): TrialSpec {
  const { world } = base;
  const script = [...(world.kind === "virtual" ? (world.script ?? []) : []), ...triggerScript(times)];
  return {
    ...base,
    plan: recoveryPlan(base.plan, times),
    world: world.kind === "virtual" && script.length > 0 ? { ...world, script } : world,
  };
}

/** The same trial without its trigger: what the base load alone makes of the system. @throws RangeError as above */
export function untriggeredSpecs({ base, ...times }: RecoverySpecOptions): TrialSpec {
  return {
    ...base,
    plan: { ...base.plan, durationSeconds: recoveryWindowSeconds(times), arrival: baseArrival(base.plan) },
  };
}

/** The whole measured window. */
export function recoveryWindowSeconds({ trigger, settleSeconds, horizonSeconds }: RecoveryTimes): number {
  return settleSeconds + trigger.seconds + horizonSeconds;
}

/** When the trigger is to be, in seconds of the measured window. */
export function triggerSpan({ trigger, settleSeconds }: Pick<RecoveryTimes, "trigger" | "settleSeconds">): {
  readonly fromSeconds: number;
  readonly toSeconds: number;
} {
  return { fromSeconds: settleSeconds, toSeconds: settleSeconds + trigger.seconds };
}

/** @throws RangeError unless the plan's rate is constant. */
export function recoveryPlan(plan: PlanSpec, times: RecoveryTimes): PlanSpec {
  const durationSeconds = recoveryWindowSeconds(times);
  const arrival = baseArrival(plan);
  const { trigger, settleSeconds, horizonSeconds } = times;
  if (trigger.kind !== "spike") return { ...plan, durationSeconds, arrival };
  const { rps } = arrival.rate;
  const hold = (seconds: number, at: number): Stage => ({ seconds, fromRps: at, toRps: at });
  const rate: RateSpec = {
    kind: "stages",
    stages: [hold(settleSeconds, rps), hold(trigger.seconds, trigger.factor * rps), hold(horizonSeconds, rps)].filter(
      ({ seconds }) => seconds > 0,
    ),
  };
  return { ...plan, durationSeconds, arrival: { ...arrival, rate } };
}

/** What the trigger changes at the backend; nothing where it is in the load, or a command does it. */
export function triggerScript(times: Pick<RecoveryTimes, "trigger" | "settleSeconds">): readonly ScriptChange[] {
  const { trigger } = times;
  switch (trigger.kind) {
    case "slowdown":
      return [{ kind: "capacity", ...triggerSpan(times), factor: trigger.factor }];
    case "outage":
      return [{ kind: "capacity", ...triggerSpan(times), factor: 0 }];
    case "spike":
    case "hook":
      return [];
    default:
      return trigger satisfies never;
  }
}

type BaseArrival = Exclude<PlanSpec["arrival"], ReplaySpec> & { readonly rate: ConstantRateSpec };

function baseArrival({ arrival }: PlanSpec): BaseArrival {
  if (arrival.law === "replay") throw notConstant("a replay");
  const { rate } = arrival;
  if (rate.kind !== "constant") throw notConstant(rate.kind);
  return { ...arrival, rate };
}

function notConstant(is: string): RangeError {
  return new RangeError(`Cannot plan a recovery as 'rate' must be constant: current value is ${is}`);
}
