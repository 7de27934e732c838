/**
 * How long each arm takes to come back when a disturbance ends, in simulation: a backend loses three quarters of its capacity and
 * gets it back, under a load that the whole of it serves with ease. A throttle that counts its own rejections then lets
 * A(t) = (c W / K) (1 + (K - 1) e^(K t / W)) of its calls through, so that it is back after
 *
 *     t = (W / K) ln((rho - 1) / (K - 1))      rho: load over capacity during the disturbance, here 3.2
 *
 * which is 2.8 W for K = 1.1, W for 1.5, 0.4 W for 2 and next to nothing for 3: what a smaller K spares while the backend is
 * overloaded, it pays for here. The rule holds for times up to W; beyond, the simulation says what happens.
 *
 * The disturbance lasts two of the longest window among the arms, so that every throttle's counts hold nothing else.
 */

import { DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../engine/classify.ts";
import type { TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";
import type { Sweep } from "../result/sweep-schema.ts";
import { medianTime } from "../stats/recovery-time.ts";
import { pairSeed } from "./experiment.ts";
import { recoverySpecs, triggerSpan } from "./recovery-specs.ts";
import { formatTrigger, type Trigger } from "./recovery-trigger.ts";
import { trialRecovery } from "./trial-recovery.ts";

/** The load, as a share of the capacity ... */
const LOAD = 0.8;
/** ... and what is left of that during the disturbance. */
const LEFT = 0.25;
const WINDOWS_DISTURBED = 2;
const WINDOWS_AFTER = 10;
const DISTURBED_SECONDS_MIN = 10;
const AFTER_SECONDS_MIN = 60;
/** For policies without a window. */
const USUAL_WINDOW_SECONDS = 10;
/** Longer windows are not waited for. */
const WINDOW_SECONDS_MAX = 300;
/** That with which the closed forms hold. */
const BURST = 10;
const LATENCY_SECONDS = 0.001;
const SEEDS = 3;
/** So many policies are simulated: those that come first. */
const POLICIES_MAX = 40;
/** All simulations together, and each of them, walk about so many arrivals at most: a few seconds. */
const ARRIVALS_MAX = 2_500_000;
const ARRIVALS_EACH_MAX = 100_000;

/** An arm, as its trials would be. */
export interface RecoveryArm {
  readonly spec: TrialSpec;
  /** Of its policy; undefined: it has none. */
  readonly windowSeconds: number | undefined;
}

interface RecoveryPlan {
  readonly specs: readonly TrialSpec[];
  /** A sentence; another one where not all policies are simulated. */
  readonly scenario: string;
  /** What the trials say, once they have ended. @param trials by the index of their specification; undefined: it did not end. */
  conclude(trials: readonly (TrialResult | undefined)[]): NonNullable<Sweep["recovery"]>;
}

/**
 * @param arms those of which it is to be known, the most interesting ones first; those whose clients are the same are simulated
 *   once.
 * @param rejectCost 0 where it is not known.
 */
export function planRecovery(
  arms: readonly RecoveryArm[],
  { capacity, rejectCost = 0 }: { readonly capacity: number; readonly rejectCost: number | undefined },
): RecoveryPlan {
  const all = groupsOf(arms);
  const groups = all.slice(0, POLICIES_MAX);
  const windows = arms.flatMap(({ windowSeconds }) => (windowSeconds === undefined ? [] : [windowSeconds]));
  const longest = Math.min(WINDOW_SECONDS_MAX, windows.length === 0 ? USUAL_WINDOW_SECONDS : Math.max(...windows));
  const disturbedSeconds = Math.max(DISTURBED_SECONDS_MIN, Math.ceil(WINDOWS_DISTURBED * longest));
  const afterSeconds = Math.max(AFTER_SECONDS_MIN, Math.ceil(WINDOWS_AFTER * longest));
  const warmupSeconds = disturbedSeconds;
  const allSeconds = warmupSeconds + disturbedSeconds + afterSeconds;
  const arrivalsMax = Math.min(ARRIVALS_EACH_MAX, ARRIVALS_MAX / Math.max(1, groups.length * SEEDS));
  const trigger: Trigger = { kind: "slowdown", factor: LEFT, seconds: disturbedSeconds };
  // The disturbance comes with the measured window: what is before it is the warm-up.
  const times = { trigger, settleSeconds: 0, horizonSeconds: afterSeconds };
  const specs = groups.flatMap(({ spec }) => {
    const scaled = scale(capacity, spec.plan.users, arrivalsMax / (LOAD * allSeconds));
    return Array.from({ length: SEEDS }, (_, pair): TrialSpec => {
      const base: TrialSpec = {
        ...withoutPast(spec),
        pair,
        plan: {
          seed: pairSeed(spec.plan.seed, pair),
          arrival: { law: "poisson", rate: { kind: "constant", rps: LOAD * scaled.capacity } },
          warmupSeconds,
          durationSeconds: disturbedSeconds + afterSeconds,
          users: scaled.users,
        },
        workers: 1,
        late: { kind: "send" },
        overloadedOn: DEFAULT_OVERLOADED_ON,
        okOn: DEFAULT_OK_ON,
        world: {
          kind: "virtual",
          model: {
            name: "shed",
            capacity: scaled.capacity,
            burst: BURST,
            rejectCost,
            latencySeconds: LATENCY_SECONDS,
          },
        },
      };
      return recoverySpecs({ base, ...times });
    });
  });
  return {
    specs,
    scenario: `Simulated, not measured: a backend with the sweep's capacity and rejection cost, loaded to ${100 * LOAD} % of it, has a quarter of it for ${disturbedSeconds} s and then all again; the time until 95 % of the calls are served, median of ${SEEDS} seeds.${all.length > groups.length ? ` Of ${all.length} policies the first ${groups.length} were simulated, those on a plateau before the others.` : ""}`,
    conclude: (trials) =>
      groups.flatMap(({ names }, group) => {
        const own = trials.slice(group * SEEDS, (group + 1) * SEEDS).filter((trial) => trial !== undefined);
        if (own.length < SEEDS) return [];
        const told = { kind: trigger.kind, text: formatTrigger(trigger), ...triggerSpan(times) };
        const taken = own.map((trial) => trialRecovery(trial, told).seconds);
        const seconds = medianTime(taken);
        return names.map((arm) => ({ arm, seconds, horizonSeconds: afterSeconds }));
      }),
  };
}

/** The warm-up fills their windows. */
function withoutPast({ age: _past, ...spec }: TrialSpec): TrialSpec {
  return spec;
}

interface Group {
  readonly spec: TrialSpec;
  readonly names: string[];
}

/** Arms that differ in their load alone are one group: the scenario has a load of its own. */
function groupsOf(arms: readonly RecoveryArm[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { spec } of arms) {
    const key = JSON.stringify([spec.policy, spec.timeoutSeconds, spec.plan.users, spec.criticality]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { spec, names: [spec.arm] });
    else group.names.push(spec.arm);
  }
  return [...groups.values()];
}

/** Fewer users and as much less capacity for them, each client so as busy as it was; below one user, that one less busy. */
function scale(
  capacity: number,
  users: number,
  capacityMax: number,
): { readonly capacity: number; readonly users: number } {
  if (capacity <= capacityMax) return { capacity, users };
  const fewer = Math.max(1, Math.floor((users * capacityMax) / capacity));
  return { capacity: Math.min(capacityMax, (capacity * fewer) / users), users: fewer };
}
