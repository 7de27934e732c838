/** Runs an experiment: trials, arm by arm and pair by pair, saved as they end. */

import type { TrialSpec } from "../engine/trial-spec.ts";
import { withReason } from "../engine/validity.ts";
import { indexOfDispersion } from "../plan/bursty-arrivals.ts";
import { describeArrival, describeRate, meanRps } from "../plan/describe.ts";
import { createPlan, type PlanSpec } from "../plan/plan.ts";
import { labelOf, type PlanLabel } from "../plan/plan-label.ts";
import type { Reason, Result, TargetStats, TrialResult } from "../result/schema.ts";
import { SCHEMA_VERSION } from "../result/schema.ts";
import { scheduleTrials } from "./schedule.ts";
import { type Compare, withTrials } from "./with-trials.ts";

/** One of the things compared: a name and a policy. */
export interface Arm {
  readonly name: string;
  readonly policy: TrialSpec["policy"];
  /** What it has of its own, where the other arms have what the experiment says. */
  readonly own?: ArmOwn;
}

/** Arms with a plan of their own get other arrivals than the others: they are compared among themselves. */
export interface ArmOwn
  extends Partial<Pick<TrialSpec, "timeoutSeconds" | "drainSeconds" | "maxInFlight" | "criticality" | "world">> {
  readonly plan?: PlanSpec;
}

export interface ExperimentSpec {
  readonly command: Result["command"];
  /** The first one is the baseline. */
  readonly arms: readonly Arm[];
  readonly pairs: number;
  /** The plan of the first pair; further pairs have seeds of their own, see {@link pairSeed}. */
  readonly plan: PlanSpec;
  /** What is the same in all trials. */
  readonly common: Omit<TrialSpec, "arm" | "pair" | "policy" | "plan">;
  /** What was said of this machine before the run: goes with every trial. */
  readonly remarks: readonly Reason[];
  /** Every option as resolved, secrets redacted. */
  readonly config: Readonly<Record<string, unknown>>;
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
  /** Called after each trial with the result so far; of many short ones after some. */
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

/** @returns the result, partial when it was stopped; undefined when it was stopped before anything was measured. */
export async function runExperiment(spec: ExperimentSpec, ports: ExperimentPorts): Promise<Result | undefined> {
  const arms = spec.arms.map((arm) => arm.name);
  const empty = emptyResult(spec, ports);
  const assemble = (trials: readonly TrialResult[], partial: boolean): Result =>
    withTrials(empty, trials, partial, arms, ports.compare);
  const specs = scheduleTrials(arms, spec.pairs).map(({ arm, pair }) => trialSpec(spec, arm, pair));
  const course: Course = {
    specs,
    remarks: spec.remarks,
    saveSoFar: (trials) => ports.saveSoFar(assemble(trials, true)),
    happened: (event) => ports.happened(event),
    stopRequested: () => ports.stopRequested(),
  };
  const { world } = ports;
  const trials = world.kind === "real" ? await oneAfterAnother(course, world) : await severalAtATime(course, world);
  if (trials.length === 0) return undefined;
  return assemble(trials, trials.length < specs.length || trials.some((trial) => trial.interrupted));
}

/** The trials of an experiment, and who is told of them. */
interface Course extends Pick<ExperimentPorts, "happened" | "stopRequested"> {
  readonly specs: readonly TrialSpec[];
  readonly remarks: readonly Reason[];
  saveSoFar(trials: readonly TrialResult[]): Promise<void>;
}

async function oneAfterAnother(course: Course, world: RealPorts): Promise<readonly TrialResult[]> {
  const { specs, remarks } = course;
  const trials: TrialResult[] = [];
  for (const [index, spec] of specs.entries()) {
    const busy = index === 0 ? undefined : await world.target.untilIdle();
    if (course.stopRequested()) break;
    trials.push(await realTrial(spec, busy === undefined ? remarks : [...remarks, busy], course, world));
    if (index < specs.length - 1) await course.saveSoFar(trials);
    if (course.stopRequested()) break;
  }
  return trials;
}

async function realTrial(
  spec: TrialSpec,
  remarks: readonly Reason[],
  { happened }: Course,
  world: RealPorts,
): Promise<TrialResult> {
  happened({ kind: "trialStarts", spec, planned: labelOf(spec.plan), remarks });
  let watch: TargetWatch | undefined;
  const measured = await world
    .execute(spec, async () => {
      watch = await world.target.watch();
    })
    .catch(async (error: unknown) => {
      await watch?.end();
      throw error;
    });
  const { stats, script, reason } = (await watch?.end()) ?? {};
  const found = reason === undefined ? remarks : [...remarks, reason];
  const validity = found.reduce(withReason, measured.validity);
  const trial = {
    ...measured,
    ...(script === undefined ? {} : { script }),
    ...(stats === undefined ? {} : { target: stats }),
    validity,
  };
  happened({ kind: "trialEnded", trial });
  return trial;
}

/** What was saved is written anew when so many times as many trials have ended: all saving then costs what a few saves cost. */
const SAVE_AGAIN_AT = 1.25;

async function severalAtATime(course: Course, world: VirtualPorts): Promise<readonly TrialResult[]> {
  const { specs, remarks, happened } = course;
  const trials: (TrialResult | undefined)[] = specs.map(() => undefined);
  const ended = (): readonly TrialResult[] => trials.filter((trial) => trial !== undefined);
  let savedCount = 0;
  let saving: Promise<void> = Promise.resolve();
  await world.simulate(specs, {
    started(index) {
      const spec = specs[index] as TrialSpec;
      happened({ kind: "trialStarts", spec, planned: labelOf(spec.plan), remarks });
    },
    ended(index, measured) {
      const trial = { ...measured, validity: remarks.reduce(withReason, measured.validity) };
      trials[index] = trial;
      happened({ kind: "trialEnded", trial });
      const soFar = ended();
      if (soFar.length === specs.length || soFar.length < SAVE_AGAIN_AT * savedCount) return saving;
      savedCount = soFar.length;
      saving = saving.then(() => course.saveSoFar(soFar));
      return saving;
    },
  });
  return ended();
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
    plan: { ...(arm.own?.plan ?? spec.plan), seed: pairSeed(spec.plan.seed, pair) },
  };
}

/** How bursty the arrivals are; a replay is as bursty as it was. */
function dispersionOf(plan: PlanSpec): Pick<Result["plan"], "dispersion"> {
  const { arrival } = plan;
  switch (arrival.law) {
    case "constant":
      return { dispersion: 0 };
    case "poisson":
      return { dispersion: 1 };
    case "bursty":
      return { dispersion: indexOfDispersion(arrival, meanRps(plan)) };
    case "replay":
      return {};
    default:
      return arrival satisfies never;
  }
}

/** The result before anything was measured. */
export function emptyResult(
  { command, config, plan, arms, pairs }: ExperimentSpec,
  { tool, environment }: Pick<ExperimentPorts, "tool" | "environment">,
): Result {
  return {
    schemaVersion: SCHEMA_VERSION,
    command,
    partial: true,
    tool,
    environment,
    config: { ...config },
    design: {
      arms: arms.map(({ name }) => name),
      pairs,
      seed: plan.seed,
      chance: "common",
      stopping: { rule: "all-pairs" },
    },
    plan: {
      hash: createPlan(plan).hash,
      seed: plan.seed,
      arrivals: 0,
      users: plan.users,
      arrival: describeArrival(plan.arrival),
      ...dispersionOf(plan),
      rate: describeRate(plan),
      rps: meanRps(plan),
      warmupSeconds: plan.warmupSeconds,
      durationSeconds: plan.durationSeconds,
    },
    trials: [],
  };
}
