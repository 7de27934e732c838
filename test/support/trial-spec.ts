import type { ConnectionSpec, TrialSpec } from "../../src/engine/trial-spec.ts";
import type { PlanLabel } from "../../src/plan/plan-label.ts";
import type { TrialHooks } from "../../src/world/execute-trial.ts";
import { DIRECT_CONNECTIONS } from "../../src/world/real/direct-connections.ts";

/** Hooks of a trial that nobody watches or stops. */
export const UNWATCHED: TrialHooks = { stopRequested: () => false, progress() {} };

/** Of no plan in particular. */
export const PLAN_LABEL: PlanLabel = { hash: "plan", users: 50, rate: "1000/s", rps: 1000 };

/** A short virtual trial; `change` replaces what the test is about. */
export function trialSpec(change: Partial<TrialSpec> = {}): TrialSpec {
  return {
    arm: "on",
    pair: 0,
    plan: {
      seed: 1,
      arrival: { law: "poisson", rate: { kind: "constant", rps: 1000 } },
      warmupSeconds: 0,
      durationSeconds: 10,
      users: 50,
    },
    policy: { name: "sre", options: {} },
    timeoutSeconds: 1,
    drainSeconds: 5,
    maxInFlight: 10_000,
    late: { kind: "send" },
    workers: 1,
    overloadedOn: ["429", "503", "timeout", "refused", "reset"],
    okOn: ["2xx", "3xx"],
    world: { kind: "virtual", model: { name: "shed", capacity: 100, burst: 10, rejectCost: 0, latencySeconds: 0 } },
    ...change,
  };
}

/** Connections as a trial makes them when nobody asks for anything special. */
export const PLAIN_CONNECTIONS: ConnectionSpec = DIRECT_CONNECTIONS;
