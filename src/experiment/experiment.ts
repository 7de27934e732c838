/** Runs an experiment: trials, arm by arm and pair by pair, saved as they end. */

import type { Stopping } from "../comparison/stopping.ts";
import type { TrialSpec } from "../engine/trial-spec.ts";
import type { PlanSpec } from "../plan/plan.ts";
import type { PlanLabel } from "../plan/plan-label.ts";
import type { Design, Invocation } from "../result/design-schema.ts";
import type { Reason, Result, TargetStats, TrialResult } from "../result/schema.ts";
import { Course } from "./course.ts";
import { stagesOf, stoppingOf } from "./early-stop.ts";
import { emptyResult } from "./empty-result.ts";
import type { FoundCapacity } from "./found-capacity.ts";
import { scheduleTrials } from "./schedule.ts";
import { type Compare, placeOf, withTrials } from "./with-trials.ts";

/** One of the things compared: a name and a policy. */
export interface Arm {
  readonly name: string;
  readonly policy: TrialSpec["policy"];
  /** What it has of its own, where the other arms have what the experiment says. */
  readonly own?: ArmOwn;
}

/** Arms with a plan of their own get other arrivals than the others: they are compared among themselves. */
export interface ArmOwn
  extends Partial<
    Pick<TrialSpec, "timeoutSeconds" | "drainSeconds" | "maxInFlight" | "criticality" | "age" | "world">
  > {
  readonly plan?: PlanSpec;
}

export interface ExperimentSpec {
  readonly command: Result["command"];
  /** The first one is the baseline. */
  readonly arms: readonly Arm[];
  /** The most of them, where the experiment may stop early. */
  readonly pairs: number;
  /**
   * Whether the arms of a pair share the random numbers of policies, jitter, network and model, or each has its own: arms that
   * are equal are then as different as chance makes them. Arrivals, and what calls matter, they share always.
   */
  readonly chance: Design["chance"];
  readonly stopping: Design["stopping"];
  /** The smallest change of goodput that matters, as a share. */
  readonly smallestEffect: number;
  /** What is waited for between trials, in words. Default nothing. */
  readonly idle?: string;
  /** What an earlier run, which was cut short, had measured of this. */
  readonly resumed?: Resumed;
  /** What the load is a multiple of. Default nothing. */
  readonly found?: FoundCapacity;
  /** Whether the target was loaded just before, and may show traces of it. Default no. */
  readonly preceded?: boolean;
  /** The plan of the first pair; further pairs have seeds of their own, see {@link pairSeed}. */
  readonly plan: PlanSpec;
  /** What is the same in all trials. */
  readonly common: Omit<TrialSpec, "arm" | "pair" | "policy" | "plan">;
  /** What was said of this machine before the run: goes with every trial. */
  readonly remarks: readonly Reason[];
  /** Every option as resolved, secrets redacted. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What was asked for: enough to run it again. */
  readonly invocation?: Invocation;
}

export interface Resumed {
  /** Those that were complete, which are not run again. */
  readonly trials: readonly TrialResult[];
  readonly record: NonNullable<Design["resumed"]>;
}

/** What is known about the target around a trial. */
export interface TargetWatch {
  /**
   * To be called after the trial, however it ended: what the target counted meanwhile, what its script changed, and what is
   * wrong with it if anything.
   */
  end(): Promise<{ readonly stats?: TargetStats; readonly script?: string; readonly reason?: Reason }>;
}

/** The backend under load, as far as it can be asked. */
export interface Target {
  /** What {@link untilIdle} waits for and for how long at most, in words. */
  idleRule(): Promise<string>;
  /** Waits until the target has recovered from the trial before. A reason when it did not. */
  untilIdle(): Promise<Reason | undefined>;
  watch(): Promise<TargetWatch>;
}

/** What is known of a trial before and after it. */
export type ExperimentEvent =
  | {
      readonly kind: "trialStarts";
      readonly spec: TrialSpec;
      readonly planned: PlanLabel;
      /** What is to stand beside its verdict already. */
      readonly remarks: readonly Reason[];
    }
  | { readonly kind: "trialEnded"; readonly trial: TrialResult };

/** Where real trials run, one after another: they share the target and this machine. */
export interface RealPorts {
  readonly kind: "real";
  readonly target: Target;
  /** @param aboutToStart to be called when the measured window is about to begin; without a warm-up that waits for it. */
  execute(spec: TrialSpec, aboutToStart: () => Promise<void>): Promise<TrialResult>;
}

/** Where virtual trials run, several at a time: each has a server and a clock of its own. */
export interface VirtualPorts {
  readonly kind: "virtual";
  /** Resolves when all have ended that have begun. Those that had not when a stop was requested do not begin. */
  simulate(specs: readonly TrialSpec[], hooks: SimulationHooks): Promise<void>;
}

/** Each index is that of a trial's specification. */
export interface SimulationHooks {
  started(index: number): void;
  /** To be waited for in the end; rejects when the experiment cannot go on. */
  ended(index: number, trial: TrialResult): Promise<void>;
}

/** Everything that an experiment needs from outside. */
export interface ExperimentPorts {
  readonly world: RealPorts | VirtualPorts;
  readonly compare: Compare;
  /**
   * Called after each trial with the result so far; of many short ones after some. Its arms are not compared: that takes longer
   * with each trial, and whoever has the trials can do it.
   */
  saveSoFar(result: Result): Promise<void>;
  /** Called as it happens, for whoever keeps a journal. */
  happened(event: ExperimentEvent): void;
  stopRequested(): boolean;
  readonly tool: Result["tool"];
  readonly environment: Result["environment"];
}

/** Seeds lie this far apart from pair to pair, so that experiments with neighbouring seeds share no arrivals. */
const SEED_STRIDE = 2 ** 32;

/** The seed of a pair's plan; the first pair has the experiment's own. It must be a safe integer. */
export function pairSeed(seed: number, pair: number): number {
  return seed + pair * SEED_STRIDE;
}

/**
 * @returns the result, partial when it was stopped; undefined when it was stopped before anything was measured, also of what its
 *   load is a multiple of.
 */
export async function runExperiment(spec: ExperimentSpec, ports: ExperimentPorts): Promise<Result | undefined> {
  const empty = emptyResult(spec, ports);
  const { design } = empty;
  const stopping = stoppingOf(design);
  const schedule = scheduleTrials(design.arms, design.pairs, design.seed);
  const kept = spec.resumed?.trials ?? [];
  const isKept = new Set(kept.map(placeOf));
  const due = schedule.filter((trial) => !isKept.has(placeOf(trial)));
  const course = new Course(
    {
      total: schedule.length,
      remarks: spec.remarks,
      ...(spec.preceded === undefined ? {} : { preceded: spec.preceded }),
      world: ports.world,
      happened: (event) => ports.happened(event),
      stopRequested: () => ports.stopRequested(),
      saveSoFar: (trials) => ports.saveSoFar(withTrials(empty, trials, undefined)),
    },
    kept,
  );
  let stopped: Design["stopped"];
  let begun = 0;
  for (const pairs of stagesOf(design)) {
    const stage = due.filter(({ pair }) => pair >= begun && pair < pairs);
    begun = pairs;
    await course.run(stage.map(({ arm, pair }) => trialSpec(spec, arm, pair)));
    if (ports.stopRequested()) break;
    stopped = stoppedAt(stopping, pairs, design, course.trials);
    if (stopped !== undefined) break;
  }
  const isNothing = course.trials.length === 0 && spec.found === undefined;
  return isNothing ? undefined : withTrials(empty, course.trials, stopped, ports.compare);
}

/** The decision after so many pairs, where more could be run. */
function stoppedAt(
  stopping: Stopping | undefined,
  pairs: number,
  design: Design,
  trials: readonly TrialResult[],
): Design["stopped"] {
  if (pairs === design.pairs) return undefined;
  return stopping?.decide(
    trials.filter((trial) => trial.pair < pairs),
    pairs,
  );
}

/** What one trial of the experiment is to do. */
export function trialSpec(spec: ExperimentSpec, armName: string, pair: number): TrialSpec {
  const arm = spec.arms.find((candidate) => candidate.name === armName) as Arm;
  return {
    ...spec.common,
    ...arm.own,
    arm: armName,
    pair,
    policy: arm.policy,
    ...(spec.chance === "own" ? { chance: spec.arms.indexOf(arm) } : {}),
    plan: { ...(arm.own?.plan ?? spec.plan), seed: pairSeed(spec.plan.seed, pair) },
  };
}
