/** `--resume`: continues an experiment that was cut short, from its partial result or its journal. */

import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { completeTrials } from "../../comparison/arms.ts";
import type { Resumed } from "../../experiment/experiment.ts";
import { recoverResult } from "../../experiment/recover.ts";
import { JOURNAL_EXTENSION } from "../../result/journals.ts";
import { parseResult } from "../../result/read-result.ts";
import type { Reason, Result, TrialResult } from "../../result/schema.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { applyInvocation } from "../flags/invocation.ts";
import type { Host } from "../host.ts";
import { readText } from "../input-file.ts";
import type { Services } from "../services.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import { checkPolicyFiles } from "./policy-files.ts";
import { environmentDifferences, experimentDifferences } from "./resume-differences.ts";
import { trialFaults } from "./resume-trials.ts";

const FLAG = "--resume";
const PARTIAL_EXTENSION = ".partial.json";

/** One mistake spoils all trials of a file alike. */
const FAULTS_MAX = 10;

/** What a run continues, and with what. */
export interface Resumption {
  readonly path: string;
  readonly resumed: Resumed;
  /** What is to be said of each further trial. */
  readonly remarks: readonly Reason[];
  /** Where the result goes unless the user says otherwise. */
  readonly suggested: string;
}

/** Gives the command the flags of the experiment that it is to continue; those of the command line are checked later. */
export async function applyResume(command: Command, host: Host, services: Services): Promise<void> {
  const path = command.getOptionValue("resume") as string | undefined;
  if (path === undefined) return;
  const result = await readPartial(host, services, path);
  if (result.command !== command.name()) {
    throw new CliError(`${FLAG} ${path} is of '${result.command}', not of '${command.name()}'`);
  }
  if (result.invocation === undefined) return;
  applyInvocation(command, result.invocation, path);
  await checkPolicyFiles(host, command, result, path);
}

/** @param before what stands at `path`. @throws CliError when the experiment is not the one that the file began. */
export function resumptionOf(services: Services, path: string, before: Result, planned: PlannedExperiment): Resumption {
  const differences = experimentDifferences(before, planned);
  if (differences.length > 0) {
    throw new CliError([`${FLAG} ${path} is of another experiment:`, ...differences].join("\n  "));
  }
  const trials = completeTrials(before.trials);
  const faults = trialFaults(trials, planned);
  if (faults.length > 0) {
    throw new CliError([`${FLAG} ${path} has trials that cannot be taken over:`, ...shortened(faults)].join("\n  "));
  }
  const changed = environmentDifferences(before, planned, {
    environment: services.environment(),
    version: services.version(),
  });
  const record = {
    kept: trials.length,
    splitPairs: splitPairs(trials, planned.arms.length),
    differences: [...changed],
  };
  return {
    path,
    resumed: { trials, record: [...(before.design.resumed ?? []), record] },
    remarks: changed.length === 0 ? [] : [elsewhere(path, changed)],
    suggested: `${stemOf(path)}.json`,
  };
}

/**
 * Removes what the run before had left to be continued, once all of it that counts is in the new result. A result that it had
 * written in the end stays.
 *
 * @param note is told what became of it.
 */
export async function retire(
  host: Host,
  services: Services,
  path: string,
  result: Result,
  note: (text: string) => void,
): Promise<void> {
  if (!isLeftOver(path)) {
    note(`${path} stays as it is: what it had measured in full is in the new result too`);
    return;
  }
  const stem = stemOf(path);
  for (const left of [stem + JOURNAL_EXTENSION, stem + PARTIAL_EXTENSION]) {
    const held = await readPartial(host, services, left).catch(() => undefined);
    if (held === undefined) continue;
    const isCovered =
      areIn(result.trials, completeTrials(held.trials)) &&
      areIn(result.capacityTrials ?? [], held.capacityTrials ?? []);
    if (isCovered) await services.journals.remove(left);
    note(isCovered ? `${left} is removed: all of it that counts is in the new result` : `${left} stays: it has more`);
  }
}

function areIn(kept: readonly TrialResult[], trials: readonly TrialResult[]): boolean {
  return trials.every((trial) => kept.some((one) => isDeepStrictEqual(one, trial)));
}

/** @throws CliError for what cannot be read, and for what is not partial. */
export async function readPartial(host: Host, services: Services, path: string): Promise<Result> {
  const journal = stemOf(path) + JOURNAL_EXTENSION;
  if (isLeftOver(path) && (await services.journals.isBeingWritten(journal))) {
    throw new CliError(`${FLAG} must not be of a run that is still going on: current value is "${path}"`, EXIT.failed);
  }
  try {
    return path.endsWith(JOURNAL_EXTENSION)
      ? await fromJournal(services, path)
      : unfinished(parseResult(await readText(host, FLAG, path), path), path);
  } catch (error) {
    if (error instanceof StoreError) throw new CliError(`${FLAG}: ${error.message}`);
    throw error;
  }
}

async function fromJournal(services: Services, path: string): Promise<Result> {
  const result = await recoverResult(path, services.journals.read(path));
  if (result !== undefined) return result;
  throw new CliError(`${FLAG} ${path} holds nothing: its run was killed before anything was measured`);
}

/** Only what a run leaves behind may be whole and yet unfinished: it was killed as it was about to write its result. */
function unfinished(result: Result, path: string): Result {
  if (result.partial || isLeftOver(path)) return result;
  throw new CliError(`${FLAG} must be a partial result or a journal: "${path}" is complete`);
}

function isLeftOver(path: string): boolean {
  return path.endsWith(JOURNAL_EXTENSION) || path.endsWith(PARTIAL_EXTENSION);
}

function stemOf(path: string): string {
  const extension = [JOURNAL_EXTENSION, PARTIAL_EXTENSION, ".json"].find((end) => path.endsWith(end)) ?? "";
  return path.slice(0, path.length - extension.length);
}

function shortened(faults: readonly string[]): readonly string[] {
  const more = faults.length - FAULTS_MAX;
  return more > 0 ? [...faults.slice(0, FAULTS_MAX), `and ${more} more`] : faults;
}

/** Pairs of which some trials are there and others are not. */
function splitPairs(trials: readonly TrialResult[], arms: number): number[] {
  const counts = new Map<number, number>();
  for (const { pair } of trials) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return [...counts].flatMap(([pair, count]) => (count < arms ? [pair] : [])).toSorted((a, b) => a - b);
}

function elsewhere(path: string, changed: readonly string[]): Reason {
  return {
    code: "resumed-elsewhere",
    severity: "note",
    message: `The trials that were kept of ${path} were measured otherwise: ${changed.join("; ")}`,
    figure: changed.length,
    limit: 0,
    hint: "Look at the pairs by themselves, or run the experiment anew",
  };
}
