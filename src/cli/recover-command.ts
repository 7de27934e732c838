/** `recover`: the result of a run that was killed, from its journal. */

import { dirname } from "node:path";
import type { Command } from "commander";
import { compareArms } from "../comparison/compare-arms.ts";
import { recoverResult } from "../experiment/recover.ts";
import { renderAb } from "../report/ab-text.ts";
import { renderTrial } from "../report/trial-text.ts";
import { stemOfJournal } from "../result/journals.ts";
import { StoreError } from "../result/store-error.ts";
import { adderFor } from "./add-option.ts";
import { CliError } from "./cli-error.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { addOutputOptions } from "./load-options.ts";
import { exitCodeOf, printResult, saveResult } from "./save-result.ts";
import type { Services } from "./services.ts";

const RESULTS_FOLDER = "results";
/** Journals told of at the start of a run: more would hide what else is said there. */
const TOLD_MAX = 3;

interface RecoverFlags {
  readonly json?: boolean | "line" | "pretty";
  readonly output?: string;
}

export function addRecoverCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("recover")
    .description("the result of a run that was killed, from its journal")
    .argument("[journal]", "the journal (default: the newest one in results/)");
  addOutputOptions(adderFor(command));
  command.action(async (journal: string | undefined, flags: RecoverFlags) => {
    finish(await runRecoverCommand(host, services, journal, flags));
  });
}

/** @param journal the path; undefined: the newest one in the results folder. @throws CliError */
async function runRecoverCommand(
  host: Host,
  services: Services,
  journal: string | undefined,
  flags: RecoverFlags,
): Promise<ExitCode> {
  const path = journal ?? (await newest(services));
  if (await services.journals.isBeingWritten(path)) {
    throw new CliError(`Cannot recover '${path}' as the run that writes it is still going on`, EXIT.failed);
  }
  const note = (text: string): void => host.stderr.write(`${text}\n`);
  const store = services.resultStore({
    startedAt: host.now(),
    command: "recover",
    // By default the name that the run itself would have given to it.
    output: flags.output ?? `${stemOfJournal(path)}.json`,
  });
  if (flags.output !== undefined) await checked(() => store.prepare());
  const result = await checked(() => recoverResult(path, services.journals.read(path), compareArms));
  if (result === undefined) {
    await services.journals.remove(path);
    note(`The run was killed before anything was known of it: there is no result, and '${path}' is removed`);
    return EXIT.failed;
  }
  const saved = await saveResult(host, store, result, true, note);
  await services.journals.remove(path, result);
  printResult(host, flags.json, result, saved, result.command === "run" ? (run) => renderTrial(run, 0) : renderAb);
  return exitCodeOf(result);
}

/** Tells of journals that runs before this one left in the folder of its result. */
export async function tellOfJournals(
  services: Services,
  output: string | undefined,
  note: (text: string) => void,
): Promise<void> {
  const left = await leftBehind(services, output === undefined ? RESULTS_FOLDER : dirname(output));
  for (const path of left.slice(0, TOLD_MAX)) {
    note(`${path} is of a run that was killed: overload-bench recover ${path}`);
  }
  if (left.length > TOLD_MAX) note(`So are ${left.length - TOLD_MAX} more journals beside it`);
}

async function newest(services: Services): Promise<string> {
  const [path] = await leftBehind(services, RESULTS_FOLDER);
  if (path !== undefined) return path;
  throw new CliError(`No journal of a run that was killed is in '${RESULTS_FOLDER}': name one`);
}

/** The journals that no run is writing, the newest first. */
async function leftBehind({ journals }: Services, folder: string): Promise<readonly string[]> {
  const paths = await journals.find(folder);
  const written = await Promise.all(paths.map((path) => journals.isBeingWritten(path)));
  return paths.filter((_, index) => written[index] === false);
}

async function checked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new CliError(error.message, error.code === "broken-journal" ? EXIT.failed : EXIT.usage);
  }
}
