/** `reproduce`: runs a recorded experiment again, from its result alone, and tells whether it comes out the same. */

import { Command, type Option } from "commander";
import { completeTrials } from "../../../comparison/arms.ts";
import { capacityOf } from "../../../experiment/found-capacity.ts";
import { commandLine } from "../../../report/command-line.ts";
import { page } from "../../../report/page.ts";
import { renderReproduction } from "../../../report/reproduction-text.ts";
import type { Invocation } from "../../../result/design-schema.ts";
import { parseResult } from "../../../result/read-result.ts";
import type { Result } from "../../../result/schema.ts";
import type { ResultStore } from "../../../result/store.ts";
import { StoreError } from "../../../result/store-error.ts";
import { CliError } from "../../cli-error.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { adderFor } from "../../flags/add-option.ts";
import { flagTexts, noteFlag, type WrittenValue } from "../../flags/flag-texts.ts";
import { header, url } from "../../flags/flag-values.ts";
import { addAllowOption } from "../../flags/guard-options.ts";
import { applyInvocation } from "../../flags/invocation.ts";
import { addOutputOptions, type LoadFlags } from "../../flags/load-options.ts";
import type { Host } from "../../host.ts";
import { readText } from "../../input-file.ts";
import type { Services } from "../../services.ts";
import { checkPolicyFiles } from "../../session/policy-files.ts";
import { recordedTransport } from "../../session/recorded-transport.ts";
import { addAbCommand } from "../ab-command.ts";
import { addCapacityCommand } from "../capacity-command.ts";
import { addDemoCommand } from "../demo-command.ts";
import { addRecoveryCommand } from "../recovery/recovery-command.ts";
import { addRunCommand } from "../run-command.ts";
import { addSweepCommand } from "../sweep/sweep-command.ts";
import { settingDifferences } from "./reproduce-setting.ts";
import { judgeReproduction, type Reproduction } from "./reproduce-verdict.ts";

interface ReproduceFlags {
  readonly json?: boolean | "line" | "pretty";
  readonly output?: string;
  readonly quiet: boolean;
}

/** Flags that stand in for those of the record. */
const REPLACING = ["url", "header", "body", "bodyFile", "policy", "arm"] as const;
/** Flags of a record that send what is meant for the host of its URL to another place. */
const LEADING_ELSEWHERE = ["resolve", "unix"];

const TRANSPORT: keyof LoadFlags = "transport";

/** Flags of the repetition that are the same as here. */
const PASSED_ON = ["allow", "quiet"] as const;

/** @param finish takes the exit code of the command that ran. */
export function addReproduceCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("reproduce")
    .description(
      "run a recorded experiment again, from its result file alone, and tell whether it comes out the same:\na simulation to the bit, real load within what chance allows",
    )
    .argument("<file>", "a result of run, ab, sweep, demo, capacity or recovery; also a partial or a recovered one");
  const add = adderFor(command);
  command.optionsGroup("In place of what the record says (secrets are not in it, and must be given again):");
  add("--url <url>", "the HTTP endpoint to load", url);
  add("-H, --header <header>", "'Name: value', may be repeated", header, []);
  add("-b, --body <text>", "body of each request");
  add("--body-file <file>", "the same, from a file");
  add("-p, --policy <policy>", "the policy, where its file is no longer what it was");
  add(
    "--arm <arm>",
    "the arms, all of them; may be repeated",
    (text: string, before: readonly string[]) => [...before, text],
    [],
  );
  addAllowOption(add);
  command.optionsGroup("Output:");
  addOutputOptions(add);
  add("-q, --quiet", "no progress on stderr", undefined, false);
  command.action(async (file: string, _flags: unknown, reproduce: Command) => {
    finish(await reproduceFile(host, services, file, reproduce));
  });
}

/** @throws CliError */
async function reproduceFile(host: Host, services: Services, file: string, asked: Command): Promise<ExitCode> {
  const { json, output, quiet } = asked.opts<ReproduceFlags>();
  const before = await readRecord(host, file);
  const note = (text: string): void => {
    if (!quiet) host.stderr.write(page([text]));
  };
  note(`Again: ${commandLine(before.invocation)}`);
  const again = new Repetition(host, services, before, output, note);
  const { exitCode, after } = await again.run(file, asked);
  if (after === undefined || CUT_SHORT.has(exitCode)) return exitCode;
  const reproduction = judgeReproduction(before, after.result);
  const setting = settingDifferences(before, after.result);
  if (json === undefined) {
    host.stdout.write(renderReproduction({ ...reproduction, setting, before, after: after.result }));
  } else {
    const data = { ...reproduction, setting, recorded: file, result: after.path };
    host.stdout.write(`${JSON.stringify(data, undefined, json === "pretty" ? 2 : undefined)}\n`);
  }
  (json === undefined ? host.stdout : host.stderr).write(`Result: ${after.path}\n`);
  return exitCodeOf(reproduction, exitCode);
}

/** Nothing came of it that could be judged. */
const CUT_SHORT: ReadonlySet<ExitCode> = new Set([EXIT.failed, EXIT.sigint, EXIT.sigterm]);

/** @param ran that of the experiment itself. */
function exitCodeOf({ verdict }: Reproduction, ran: ExitCode): ExitCode {
  switch (verdict) {
    case "different":
      return EXIT.assertion;
    // Whatever it was, it is that again.
    case "identical":
      return EXIT.ok;
    case "reproduced":
    case "undecided":
      return ran === EXIT.invalid ? ran : EXIT.ok;
    default:
      return verdict satisfies never;
  }
}

type Recorded = Result & { readonly invocation: Invocation };

/** @throws CliError for what is no result, and for one that does not say what was asked for. */
async function readRecord(host: Host, file: string): Promise<Recorded> {
  const text = await readText(host, "reproduce", file);
  let result: Result;
  try {
    result = parseResult(text, file);
  } catch (error) {
    throw error instanceof StoreError ? new CliError(error.message) : error;
  }
  const { invocation } = result;
  if (completeTrials(result.trials).length === 0) {
    throw new CliError(`Cannot reproduce '${file}' as it has no complete trial: there is nothing to compare with`);
  }
  if (invocation !== undefined) return { ...result, invocation };
  const hint = "run it again by hand, with what stands under 'config'";
  throw new CliError(
    `Cannot reproduce '${file}' as overload-bench ${result.tool.version} did not yet record the flags of a run: ${hint}`,
  );
}

/** The experiment once more: its own report goes nowhere, its result is kept to be compared. */
class Repetition {
  readonly #program = new Command();
  readonly #host: Host;
  readonly #before: Recorded;
  #exitCode: ExitCode = EXIT.ok;
  #after: { readonly result: Result; readonly path: string } | undefined;

  constructor(
    host: Host,
    services: Services,
    before: Recorded,
    output: string | undefined,
    note: (text: string) => void,
  ) {
    this.#host = host;
    this.#before = before;
    const silent: Host = { ...host, stdout: { ...host.stdout, write: () => {} } };
    const watched: Services = {
      ...services,
      resultStore: (options) =>
        this.#watched(services.resultStore(output === undefined ? options : { ...options, output }), note),
    };
    const commands = [
      addRunCommand,
      addAbCommand,
      addSweepCommand,
      addDemoCommand,
      addCapacityCommand,
      addRecoveryCommand,
    ];
    for (const add of commands) {
      add(this.#program, silent, watched, (code) => {
        this.#exitCode = code;
      });
    }
  }

  /** @param asked the command with the flags that stand in for those of the record. @throws CliError */
  async run(
    file: string,
    asked: Command,
  ): Promise<{
    readonly exitCode: ExitCode;
    readonly after: { readonly result: Result; readonly path: string } | undefined;
  }> {
    const { invocation } = this.#before;
    const command = this.#program.commands.find((candidate) => candidate.name() === invocation.command);
    if (command === undefined) {
      throw new CliError(`Cannot reproduce '${file}' as this version of overload-bench has no '${invocation.command}'`);
    }
    replace(command, invocation, file, asked);
    for (const name of PASSED_ON) {
      const value: unknown = asked.getOptionValue(name);
      if (value !== undefined) command.setOptionValueWithSource(name, value, "cli");
    }
    applyInvocation(command, invocation, file);
    await checkPolicyFiles(this.#host, command, this.#before, file);
    // Also where the record says nothing of it, or what it says is no longer what is taken when nobody says.
    const transport = recordedTransport(this.#before.config);
    if (transport !== undefined) {
      const source = command.getOptionValueSource(TRANSPORT) ?? "default";
      command.setOptionValueWithSource(TRANSPORT, transport, source);
    }
    // The same load: of a capacity that was found anew it would be another one.
    command.setOptionValue("found" satisfies keyof LoadFlags, capacityOf(this.#before));
    await command.parseAsync([], { from: "user" });
    return { exitCode: this.#exitCode, after: this.#after };
  }

  #watched(store: ResultStore, note: (text: string) => void): ResultStore {
    return {
      prepare: () => store.prepare(),
      save: async (result, options) => {
        const saved = await store.save(result, options);
        if (options.final) this.#after = { result: asSaved(result), path: saved.path };
        return saved;
      },
      startJournal: (journalHeader, failed) => {
        // The first moment at which all of it is known, and nothing was measured yet.
        for (const phrase of settingDifferences(this.#before, asSaved(journalHeader.result)))
          note(`Not as it was: ${phrase}`);
        return store.startJournal(journalHeader, failed);
      },
    };
  }
}

/** As it is when it comes back from its file: JSON has no infinity. */
function asSaved(result: Result): Result {
  return JSON.parse(JSON.stringify(result)) as Result;
}

/** Gives the command what was said in place of the record. @throws CliError for what the record has nothing of. */
function replace(command: Command, { flags, redacted }: Invocation, file: string, asked: Command): void {
  const isOwnPlace = replacesUrl(asked, flags, redacted);
  for (const { option, key, value, source, place } of flagTexts(asked)) {
    const name = option.attributeName();
    if (source === "default" || value === undefined || !(REPLACING as readonly string[]).includes(name)) continue;
    const recorded = name === "bodyFile" ? ["body", "body-file"] : [key];
    // The environment is set for many commands: it fills in secrets, and changes nothing else.
    if (source !== "cli" && !recorded.some((flag) => redacted.includes(flag))) continue;
    if (source !== "cli" && name !== "url" && !isOwnPlace) {
      const line = LEADING_ELSEWHERE.some((flag) => flag in flags) ? `--${key}` : "--url";
      throw new CliError(
        `${place} would go to a place that '${file}' names: give ${line} on the command line to send it`,
      );
    }
    const isNew = ![...recorded, ...(name === "header" ? ["url"] : [])].some((flag) => flag in flags);
    const own = command.options.find((candidate) => candidate.attributeName() === name);
    if (own === undefined || isNew) {
      throw new CliError(`${place} is in place of what '${file}' says, which is nothing: it had no --${key}`);
    }
    command.setOptionValueWithSource(name, valueFor(own, asked, value), "cli");
    noteFlag(command, own, "cli", value, place);
  }
}

/** Whether the place that secrets of the environment would go to is one that whoever set them named, and not the record. */
function replacesUrl(asked: Command, flags: Invocation["flags"], redacted: readonly string[]): boolean {
  if (!("url" in flags)) return true;
  if (LEADING_ELSEWHERE.some((flag) => flag in flags)) return false;
  const source = asked.getOptionValueSource("url");
  return source === "cli" || (source === "env" && redacted.includes("url"));
}

/** What the command makes of it: a policy is one of `run` and a list of a `sweep`. */
function valueFor(own: Option, asked: Command, written: WrittenValue): unknown {
  const name = own.attributeName();
  if (name !== "policy" && name !== "arm") return asked.getOptionValue(name);
  let parsed: unknown = own.defaultValue;
  for (const text of typeof written === "object" ? written : [String(written)]) {
    parsed = own.parseArg?.(text, parsed as never);
  }
  return parsed;
}
