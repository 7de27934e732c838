/** How flags are added to a command, and how what a parser refuses is told. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "../cli-error.ts";
import { markRepeatable } from "./flag-lists.ts";

export type Parse = (text: string, before: never) => unknown;

/** The parsers as they were given, which tell what kind of value a flag takes. */
const PARSERS = new WeakMap<Option, Parse>();

export function parserOf(option: Option): Parse | undefined {
  return PARSERS.get(option);
}

/**
 * Adds one flag: how it is written, its text, its parser, its default and how that is shown. A parser with two parameters is that
 * of a flag which may be repeated: the second one is what it made of those before.
 */
export type Add = (flags: string, text: string, parse?: Parse, fallback?: unknown, fallbackText?: string) => void;

export function adderFor(command: Command): Add {
  return (flags, text, parse, fallback, fallbackText) => {
    const option = new Option(flags, text);
    const name = option.long ?? flags;
    if (parse !== undefined) {
      option.argParser((value, before) => named(name, () => parse(value, before as never)));
      PARSERS.set(option, parse);
      if (parse.length > 1) markRepeatable(option);
    }
    if (fallback !== undefined) option.default(fallback, fallbackText);
    command.addOption(option);
  };
}

/** `--rps` of `-r, --rps <rate>`. */
export function longName(flags: string): string {
  return /--[a-z0-9-]+/u.exec(flags)?.[0] ?? flags;
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
