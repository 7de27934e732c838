/** From the arguments to an exit code. */

import { CommanderError, type Option } from "commander";
import { LOAD_ERROR } from "../world/load-error.ts";
import { CliError } from "./cli-error.ts";
import { withConfiguredCommand } from "./config/config-command.ts";
import { ConfigFiles } from "./config/config-file.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { watchFlags } from "./flags/flag-texts.ts";
import type { Host } from "./host.ts";
import { buildProgram } from "./program.ts";
import { realServices, type Services } from "./services.ts";

/** Never throws: whatever goes wrong becomes a line on stderr and an exit code. */
export async function main(host: Host, services: Services = realServices): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const files = new ConfigFiles(host);
  const program = buildProgram(host, services, files, (code) => {
    exitCode = code;
  });
  for (const command of [program, ...program.commands]) {
    watchFlags(command);
    command
      .exitOverride()
      .configureHelp({ optionDescription: describeOption })
      .configureOutput({
        writeOut: (text) => host.stdout.write(text),
        writeErr: (text) => host.stderr.write(text),
        outputError: () => {}, // Reported below, in one form with all other errors.
        getOutHelpWidth: () => host.stdout.columns ?? 100,
      });
  }
  try {
    await program.parseAsync([...(await withConfiguredCommand(host, program, files))], { from: "user" });
    return exitCode;
  } catch (error) {
    return report(host, error);
  }
}

/** The environment variables all follow one rule, told once: naming each would double the help. */
function describeOption(option: Option): string {
  const { defaultValueDescription: value } = option;
  return value === undefined ? option.description : `${option.description} (default: ${value})`;
}

function report(host: Host, error: unknown): ExitCode {
  if (error instanceof CliError) {
    host.stderr.write(`overload-bench: ${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    host.stderr.write(`overload-bench: ${error.message.replace(/^error: /, "").replace(/\n/g, " ")} (see --help)\n`);
    return EXIT.usage;
  }
  const { name, stack, message } = error as Error;
  if (name === LOAD_ERROR) {
    host.stderr.write(`overload-bench: ${message}\n`);
    return EXIT.failed;
  }
  host.stderr.write(`overload-bench: internal error, please report it: ${stack ?? message}\n`);
  return EXIT.failed;
}
