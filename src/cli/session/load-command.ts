/** What all commands that measure have in common: an experiment, a result file, a verdict. */

import type { Command } from "commander";
import type { GovernorSpec, TrialSpec } from "../../engine/trial-spec.ts";
import type { FoundCapacity } from "../../experiment/found-capacity.ts";
import { formatRate } from "../../figures/number-format.ts";
import type { PlanSpec } from "../../plan/plan.ts";
import { designLines } from "../../report/design-text.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import type { ResultStore } from "../../result/store.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { PlannedArm } from "../flags/arm-policy.ts";
import { checkAsserted } from "../flags/assert-options.ts";
import { printDryRun } from "../flags/dry-run.ts";
import { confirmTarget } from "../flags/guard-options.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import { createProgress } from "../live/progress.ts";
import type { Services } from "../services.ts";
import type { StartBeside } from "./beside-trial.ts";
import { loadsText, type MultipleLoads } from "./capacity-loads.ts";
import { checkReports, prepareReports } from "./exports.ts";
import type { FurtherTrial } from "./further-trials.ts";
import { tellOfJournals } from "./left-journals.ts";
import { LoadSession } from "./load-session.ts";
import { planCourse } from "./planned-course.ts";
import { designOf } from "./planned-design.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import type { Resumption } from "./resume.ts";
import type { TwinContext } from "./twin-run.ts";

/** What goes on around what is simulated once all trials have ended: that of a twin, and the trials of the experiment. */
export interface FinishContext extends TwinContext {
  readonly workers: number;
  /** What a trial of the arm is to do, in its first pair. */
  specOf(arm: string): TrialSpec;
  /** Runs trials beside those of the experiment, see {@link runFurther}. */
  further(trials: readonly FurtherTrial[]): Promise<readonly (TrialResult | undefined)[]>;
}

export interface LoadCommand {
  readonly command: Result["command"];
  /** With its flags, for the record and for `--dry-run`. */
  readonly asked: Command;
  readonly arms: readonly PlannedArm[];
  /** The most of them, where the experiment may stop early. */
  readonly pairs: number;
  /** Whether it asks from time to time if it has seen enough. Default no. */
  readonly stopsEarly?: boolean;
  /** What follows from the trials beside the comparison of arms, such as what a sweep recommends; of no trials, its layout. */
  readonly concluded?: (result: Result) => Result;
  /** What is simulated once all trials have ended, if anything. */
  readonly finished?: (result: Result, context: FinishContext) => Promise<Result>;
  /** What the target is to be asked for, in words, when it may have to be confirmed; see {@link confirmTarget}. Default: it need not be. */
  readonly confirms?: string;
  /** The governor drives the load of all trials. Default none. */
  readonly governor?: GovernorSpec;
  /** What becomes of the plan that the flags say. Default: it is that. */
  readonly shaped?: (plan: PlanSpec) => PlanSpec;
  /** What belongs in the record of the options besides. */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /** What becomes of each trial when it has ended. Default: it is that. */
  readonly judged?: (trial: TrialResult) => TrialResult;
  /** What goes on beside each real trial, and judges it then instead. Default nothing. */
  readonly beside?: StartBeside;
  /** Where loads are multiples of a capacity: which, and what is to be run once that is known. Default: what --rps says. */
  readonly multiples?: MultipleLoads;
  /** What is to be said of the plan besides, one sentence each. */
  readonly remarks?: readonly string[];
  /** Whether a page is made of the result without being asked for. Default no. */
  readonly page?: boolean;
  /** The text for stdout. */
  render(result: Result): string;
}

/** Runs the experiment from the checks to the exit code. @throws CliError */
export async function runLoadCommand(
  host: Host,
  services: Services,
  flags: LoadFlags,
  command: LoadCommand,
): Promise<ExitCode> {
  checkAsserted(
    flags,
    command.arms.map(({ name }) => name),
  );
  await checkReports(services, flags, flags.output);
  const course = await planCourse(host, services, flags, command);
  const { known, resumption } = course;
  if (flags.dryRun === true) {
    printDryRun(host, flags.json, command.asked, {
      config: known.planned.config,
      lines: designLines(designOf(course, flags)),
    });
    return EXIT.ok;
  }
  if (command.confirms !== undefined || course.loads !== undefined) {
    await confirmTarget(host, flags, command.confirms);
  }
  const store = await prepareStore(host, services, flags, command.command, resumption?.suggested);
  await prepareReports(services, flags);
  const progress = createProgress(host, flags.quiet);
  await tellOfJournals(services, flags.output, (text) => progress.note(text));
  if (!flags.quiet) for (const remark of command.remarks ?? []) progress.note(remark);
  if (resumption !== undefined) progress.note(toldOf(resumption, known.planned));
  const { found } = known.planned;
  if (found !== undefined && course.loads !== undefined) progress.note(knownText(found, known.planned, course.loads));
  const session = new LoadSession(host, services, flags, progress, course, store);
  try {
    return await session.run();
  } finally {
    await session.close();
  }
}

function toldOf({ path, resumed }: Resumption, { arms, pairs }: PlannedExperiment): string {
  return `Continuing ${path}: ${resumed.trials.length} of at most ${arms.length * pairs} trials are kept`;
}

function knownText({ capacity }: FoundCapacity, planned: PlannedExperiment, loads: MultipleLoads): string {
  const { goodput } = capacity;
  return `The capacity of ${formatRate(goodput)} was found before, and is not looked for again: ${loadsText(planned, loads, goodput)}`;
}

async function prepareStore(
  host: Host,
  services: Services,
  flags: LoadFlags,
  command: string,
  suggested: string | undefined,
): Promise<ResultStore> {
  const store = services.resultStore({
    startedAt: host.now(),
    command,
    ...(flags.output === undefined ? {} : { output: flags.output }),
    ...(suggested === undefined ? {} : { suggested }),
  });
  try {
    await store.prepare();
  } catch (error) {
    if (error instanceof StoreError) throw new CliError(error.message);
    throw error;
  }
  return store;
}
