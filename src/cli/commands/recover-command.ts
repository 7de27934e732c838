/** `recover`: the result of a run that was killed, from its journal. */

import type { Command } from "commander";
import { recoverResult } from "../../experiment/recover.ts";
import { renderResult } from "../../report/result-text.ts";
import { stemOfJournal } from "../../result/journals.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import { addOutputOptions } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { withConclusions } from "../session/conclusions.ts";
import { leftBehind, RESULTS_FOLDER } from "../session/left-journals.ts";
import { exitCodeOf, printResult, saveResult } from "../session/save-result.ts";
import { withSavedMap } from "../session/saved-map.ts";

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
  const recovered = await checked(() => recoverResult(path, services.journals.read(path)));
  if (recovered === undefined) {
    await services.journals.remove(path);
    note(`The run was killed before anything was known of it: there is no result, and '${path}' is removed`);
    return EXIT.failed;
  }
  const result = withConclusions(await withSavedMap(host, path, recovered));
  const saved = await saveResult(host, store, result, true, note);
  await services.journals.remove(path, result);
  printResult(host, flags.json, result, saved, renderResult);
  return exitCodeOf(result);
}

async function newest(services: Services): Promise<string> {
  const [path] = await leftBehind(services, RESULTS_FOLDER);
  if (path !== undefined) return path;
  throw new CliError(`No journal of a run that was killed is in '${RESULTS_FOLDER}': name one`);
}

async function checked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new CliError(error.message, error.code === "broken-journal" ? EXIT.failed : EXIT.usage);
  }
}
