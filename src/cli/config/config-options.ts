/** `--config FILE`: flags from a file, which the environment and the flags themselves override. */

import type { Command } from "commander";
import { didYouMean } from "../../policy/nearest-names.ts";
import { CliError } from "../cli-error.ts";
import { ENV_PREFIX } from "../flags/environment-options.ts";
import { maySet } from "../flags/flag-sources.ts";
import { keyOf, noteFlag } from "../flags/flag-texts.ts";
import type { Host } from "../host.ts";
import { COMMAND_KEY, type ConfigFile, type ConfigFiles, configurable } from "./config-file.ts";
import { isKeyOf, settingOf } from "./config-values.ts";

const CONFIG = "config";
/** Asks whether the load of an experiment can be made here, so takes the files of all of them. */
const ASKS_OF_PLANS = "calibrate";

/**
 * Gives the options that neither a flag nor the environment sets their values from the file that `--config` names, if it
 * names one. A key is the flag's long name, with dashes or in camel case. One file serves all commands that take it, unless it
 * says which one it is for: keys of flags that only another of them has are checked and passed over.
 *
 * @throws CliError that says the file, the line, the key, the rule and the value.
 */
export async function applyConfig(command: Command, files: ConfigFiles, env: Host["env"]): Promise<void> {
  const commands = configurable(command.parent?.commands ?? []);
  if (!commands.includes(command)) return;
  const path = (command.getOptionValue(CONFIG) as string | undefined) ?? env[`${ENV_PREFIX}CONFIG`];
  if (path === undefined) return;
  const file = await files.read(path, commands);
  checkCommand(file, command.name());
  const meant = commands.find((other) => other.name() === file.command?.name) ?? command;
  const known = [command, meant, ...commands].flatMap(({ options }) => options.filter((option) => !isConfig(option)));
  const seen = new Map<string, string>();
  for (const { key, value, line } of file.entries) {
    const place = `--config ${path}:${line}`;
    const option = known.find((candidate) => isKeyOf(candidate, key));
    if (option === undefined) {
      throw new CliError(`${place}: there is no flag '${key}'${didYouMean(key, [COMMAND_KEY, ...known.map(keyOf)])}`);
    }
    const name = option.attributeName();
    const before = seen.get(name);
    if (before !== undefined) throw new CliError(`${place}: '${key}' says again what '${before}' says`);
    seen.set(name, key);
    const setting = settingOf(option, { key, value, place });
    if (setting === undefined || !command.options.includes(option) || !maySet(command, name, "config")) continue;
    command.setOptionValueWithSource(name, setting.parsed, "config");
    noteFlag(command, option, "config", setting.written, `${path}:${line}`);
  }
}

function isConfig(option: { attributeName(): string }): boolean {
  return option.attributeName() === CONFIG;
}

/** @throws CliError when the file is for another command than the one that was asked for. */
function checkCommand({ path, command }: ConfigFile, asked: string): void {
  if (command === undefined || command.name === asked || asked === ASKS_OF_PLANS) return;
  throw new CliError(
    `--config ${path}:${command.line}: 'command' is ${command.name}, but ${asked} was asked for: leave one of the two out`,
  );
}
