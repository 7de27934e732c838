import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { isRepeatable } from "./flag-lists.ts";
import { noteFlag } from "./flag-texts.ts";

export const ENV_PREFIX = "OVERLOAD_BENCH_";

/**
 * Gives the options that no flag has set their values from the environment: `OVERLOAD_BENCH_MAX_IN_FLIGHT=500`. Options
 * without a value have no variable.
 *
 * @throws CliError
 */
export function applyEnvironment(command: Command, env: Readonly<Record<string, string | undefined>>): void {
  for (const option of command.options) {
    const variable = ENV_PREFIX + option.name().replaceAll("-", "_").toUpperCase();
    const text = env[variable];
    const name = option.attributeName();
    if (text === undefined || !(option.required || option.optional) || command.getOptionValueSource(name) === "cli") {
      continue;
    }
    try {
      const parse = option.parseArg;
      const value: unknown = parse === undefined ? text : parse(text, option.defaultValue as never);
      command.setOptionValueWithSource(name, value, "env");
      noteFlag(command, option, "env", isRepeatable(option) ? [text] : text, variable);
    } catch (error) {
      throw error instanceof CliError ? new CliError(`${variable}: ${error.message}`) : error;
    }
  }
}
