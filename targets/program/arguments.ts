/** The strict reading of a command line, and what is said of a mistake in one. */

import { type ParseArgsConfig, parseArgs } from "node:util";

/** A mistake in the arguments. Its message is one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** @throws UsageError for what is unknown, and for a value that is missing. */
export function parseStrictly(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig["options"]>,
  allowPositionals: boolean,
): Arguments {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    return { values: values as Arguments["values"], positionals };
  } catch (error) {
    const [firstSentence = ""] = String(error instanceof Error ? error.message : error).split(/\.\s|\n/);
    const [, flag] = /^Option '(--[\w-]+)[^']*' argument is ambiguous/.exec(firstSentence) ?? [];
    throw new UsageError(
      flag === undefined
        ? firstSentence
        : `Cannot use ${flag} as its value must not begin with a dash: use ${flag}=VALUE`,
    );
  }
}
