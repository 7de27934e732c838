/** Which command is meant where the arguments name none: the one that the configuration file names. */

import type { Command } from "commander";
import { ENV_PREFIX } from "../flags/environment-options.ts";
import type { Host } from "../host.ts";
import { type ConfigFiles, configurable } from "./config-file.ts";

const HELP: ReadonlySet<string> = new Set(["help", "-h", "--help", "-V", "--version"]);

/**
 * The arguments, with the command of the file that `--config` or the environment names in front when they name none.
 *
 * @throws CliError for a file that cannot be read, and for a command that there is not.
 */
export async function withConfiguredCommand(
  { args, env }: Pick<Host, "args" | "env">,
  { commands }: Command,
  files: ConfigFiles,
): Promise<readonly string[]> {
  const isNamed = commands.some((command) => [command.name(), ...command.aliases()].includes(args[0] ?? ""));
  if (isNamed || args.some((arg) => HELP.has(arg))) return args;
  const taking = configurable(commands);
  const path = configIn(args, taking) ?? env[`${ENV_PREFIX}CONFIG`];
  if (path === undefined) return args;
  const { command } = await files.read(path, taking);
  return command === undefined ? args : [command.name, ...args];
}

/** What `--config` says, the last one as always. Texts of other flags may look like it. */
function configIn(args: readonly string[], commands: readonly Command[]): string | undefined {
  const takingText = commands.flatMap(({ options }) => options).filter((option) => option.required);
  let path: string | undefined;
  for (let index = 0; index < args.length && args[index] !== "--"; index += 1) {
    const arg = args[index] as string;
    const [, attached] = /^--config=(.*)$/su.exec(arg) ?? [];
    if (attached !== undefined) path = attached;
    if (!takingText.some(({ long, short }) => arg === long || arg === short)) continue;
    index += 1;
    if (arg === "--config") path = args[index];
  }
  return path;
}
