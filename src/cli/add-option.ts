/** How flags are added to a command, and how what a parser refuses is told. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "./cli-error.ts";

type Parse = (text: string, before: never) => unknown;

/** Adds one flag: how it is written, its text, its parser, its default and how that is shown. */
export type Add = (flags: string, text: string, parse?: Parse, fallback?: unknown, fallbackText?: string) => void;

export function adderFor(command: Command): Add {
  return (flags, text, parse, fallback, fallbackText) => {
    const option = new Option(flags, text);
    const name = option.long ?? flags;
    if (parse !== undefined) option.argParser((value, before) => named(name, () => parse(value, before as never)));
    if (fallback !== undefined) option.default(fallback, fallbackText);
    command.addOption(option);
  };
}

/** Runs a parser and puts the flag's name in front of its complaint. */
export function named<T>(flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError || error instanceof InvalidArgumentError) {
      throw new CliError(`${flag} ${error.message}`);
    }
    throw error;
  }
}
