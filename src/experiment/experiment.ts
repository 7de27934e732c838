/** Runs an experiment: trials, arm by arm and pair by pair, saved as they end. */

import type { TrialSpec } from "../engine/trial-spec.ts";
import { withReason } from "../engine/validity.ts";
import { indexOfDispersion } from "../plan/bursty-arrivals.ts";
import { describeArrival, describeRate, meanRps } from "../plan/describe.ts";
import { createPlan, type PlanSpec } from "../plan/plan.ts";
import type { Reason, Result, TargetStats, TrialResult } from "../result/schema.ts";
import { SCHEMA_VERSION } from "../result/schema.ts";
import { scheduleTrials } from "./schedule.ts";
import { type Compare, withTrials } from "./with-trials.ts";

/** One of the things compared: a name and a policy. */
export interface Arm {
  readonly name: string;
  readonly policy: TrialSpec["policy"];
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
  /** To be called after the trial: what the target counted meanwhile, and what is wrong with it if anything. */
  end(): Promise<{ readonly stats?: TargetStats; readonly reason?: Reason }>;
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
      readonly planHash: string;
      /** What is to stand beside its verdict already. */
      readonly remarks: readonly Reason[];
    }
  | { readonly kind: "trialEnded"; readonly trial: TrialResult };

/** Everything that an experiment needs from outside. */
export interface ExperimentPorts {
  readonly target: Target;
  /** @param aboutToStart to be called, and waited for, when all is ready for the first arrival. */
  execute(spec: TrialSpec, aboutToStart: () => Promise<void>): Promise<TrialResult>;
  readonly compare: Compare;
  /** Called after each trial with the result so far. */
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
  const trials: TrialResult[] = [];
  const arms = spec.arms.map((arm) => arm.name);
  const empty = emptyResult(spec, ports);
  const assemble = (partial: boolean): Result => withTrials(empty, trials, partial, arms, ports.compare);
  const schedule = scheduleTrials(arms, spec.pairs);
  for (const [index, { arm, pair }] of schedule.entries()) {
    const busy = index === 0 ? undefined : await ports.target.untilIdle();
    if (ports.stopRequested()) break;
    trials.push(
      await runTrial(trialSpec(spec, arm, pair), busy === undefined ? spec.remarks : [...spec.remarks, busy], ports),
    );
    if (index < schedule.length - 1) await ports.saveSoFar(assemble(true));
    if (ports.stopRequested()) break;
  }
  if (trials.length === 0) return undefined;
  return assemble(trials.length < schedule.length || trials.some((trial) => trial.interrupted));
}

async function runTrial(spec: TrialSpec, remarks: readonly Reason[], ports: ExperimentPorts): Promise<TrialResult> {
  ports.happened({ kind: "trialStarts", spec, planHash: createPlan(spec.plan).hash, remarks });
  let watch: TargetWatch | undefined;
  const measured = await ports.execute(spec, async () => {
    watch = await ports.target.watch();
  });
  const { stats, reason } = (await watch?.end()) ?? {};
  const found = reason === undefined ? remarks : [...remarks, reason];
  const validity = found.reduce(withReason, measured.validity);
  const trial = { ...measured, ...(stats === undefined ? {} : { target: stats }), validity };
  ports.happened({ kind: "trialEnded", trial });
  return trial;
}

function trialSpec(spec: ExperimentSpec, armName: string, pair: number): TrialSpec {
  const arm = spec.arms.find((candidate) => candidate.name === armName) as Arm;
  return {
    ...spec.common,
    arm: armName,
    pair,
    policy: arm.policy,
    plan: { ...spec.plan, seed: pairSeed(spec.plan.seed, pair) },
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
  { command, config, plan }: ExperimentSpec,
  { tool, environment }: Pick<ExperimentPorts, "tool" | "environment">,
): Result {
  return {
    schemaVersion: SCHEMA_VERSION,
    command,
    partial: true,
    tool,
    environment,
    config: { ...config },
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
