/** What all commands that measure have in common: an experiment, a result file, a verdict. */

import type { Command } from "commander";
import { designLines } from "../../report/design-text.ts";
import type { Result } from "../../result/schema.ts";
import type { ResultStore } from "../../result/store.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import type { RecoveryContext } from "../commands/sweep/sweep-recovery.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { PlannedArm } from "../flags/arm-policy.ts";
import { checkAsserted } from "../flags/assert-options.ts";
import { printDryRun } from "../flags/dry-run.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import { createProgress } from "../live/progress.ts";
import type { Services } from "../services.ts";
import { checkReports, prepareReports } from "./exports.ts";
import { tellOfJournals } from "./left-journals.ts";
import { LoadSession } from "./load-session.ts";
import { designOf } from "./planned-design.ts";
import { type PlannedExperiment, planExperiment } from "./planned-experiment.ts";
import { type Resumption, resumptionOf } from "./resume.ts";

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
  readonly finished?: (result: Result, context: RecoveryContext) => Promise<Result>;
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
  const asked = await planExperiment(host, services, flags, command);
  const resumption = flags.resume === undefined ? undefined : await resumptionOf(host, services, flags.resume, asked);
  const planned = resumption === undefined ? asked : continued(asked, resumption);
  if (flags.dryRun === true) {
    printDryRun(host, flags.json, command.asked, {
      config: planned.config,
      lines: designLines(designOf(planned, flags, command)),
    });
    return EXIT.ok;
  }
  const store = await prepareStore(host, services, flags, command.command, resumption?.suggested);
  await prepareReports(services, flags);
  const progress = createProgress(host, flags.quiet);
  await tellOfJournals(services, flags.output, (text) => progress.note(text));
  if (!flags.quiet) for (const remark of command.remarks ?? []) progress.note(remark);
  if (resumption !== undefined) progress.note(toldOf(resumption, planned));
  const session = new LoadSession(host, services, flags, progress, command, planned, store);
  try {
    return await session.run();
  } finally {
    await session.close();
  }
}

function continued(planned: PlannedExperiment, { resumed, remarks }: Resumption): PlannedExperiment {
  return { ...planned, resumed, remarks: [...planned.remarks, ...remarks] };
}

function toldOf({ path, resumed }: Resumption, { arms, pairs }: PlannedExperiment): string {
  return `Continuing ${path}: ${resumed.trials.length} of at most ${arms.length * pairs} trials are kept`;
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
