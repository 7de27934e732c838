/** What a shell needs to know of the program to complete its commands, flags and values. */

import type { Argument, Command, Option } from "commander";
import { METRICS } from "../../figures/metrics.ts";
import { policyPresets } from "../../policy/catalogue.ts";
import { parserOf } from "../flags/add-option.ts";
import { choicesOf } from "../flags/flag-values.ts";
import { SIM_MODELS } from "../flags/sim-option.ts";

/** What may stand where a value is expected. */
export type CompletedValue =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Policies: those of the catalogue, or a file of one's own. */
  | { readonly kind: "wordsOrFile"; readonly words: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "text" };

export interface CompletedFlag {
  /** With dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** undefined: it takes none. */
  readonly value: CompletedValue | undefined;
  /** Whether it stands alone too: `--json`, `--json pretty`. */
  readonly valueIsOptional: boolean;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  /** What its arguments are; undefined: it has none. */
  readonly argument: CompletedValue | undefined;
}

export interface CompletionModel {
  readonly program: string;
  /** Which of the commands is meant where none is named. */
  readonly defaultCommand: string;
  readonly commands: readonly CompletedCommand[];
}

/** Names and words go into scripts as they are: nothing in them means anything to a shell. */
const WORD = /^[A-Za-z0-9@_][A-Za-z0-9@_.,=/+-]*$/u;
const FLAG = /^--?[A-Za-z0-9][A-Za-z0-9-]*$/u;
/** Longer descriptions wrap in the lists that shells show. */
const DESCRIPTION_MAX = 60;

/** @throws Error for a name that no script could hold: a bug, as all names are this program's own. */
export function completionModel(program: Command, defaultCommand: string): CompletionModel {
  return {
    program: word(program.name()),
    defaultCommand: word(defaultCommand),
    commands: program.commands.map((command) => ({
      name: word(command.name()),
      description: short(command.description()),
      flags: [...command.options.map(completedFlag), HELP],
      argument: argumentOf(command),
    })),
  };
}

/** What a value begins with, where more may follow: a shell offers it, the user goes on. */
const FIRST_WORDS: Readonly<Record<string, readonly string[]>> = {
  metric: METRICS.map(({ key }) => key),
  sim: SIM_MODELS,
};

const HELP: CompletedFlag = {
  long: "--help",
  short: "-h",
  description: "tell all flags",
  value: undefined,
  valueIsOptional: false,
};

function completedFlag(option: Option): CompletedFlag {
  return {
    long: flag(option.long ?? `--${option.name()}`),
    short: option.short === undefined ? undefined : flag(option.short),
    description: short(option.description),
    value: option.required || option.optional ? completedValue(option) : undefined,
    valueIsOptional: option.optional,
  };
}

function completedValue(option: Option): CompletedValue {
  if (option.attributeName() === "policy") return { kind: "wordsOrFile", words: policyNames() };
  const words = option.argChoices ?? choicesOf(parserOf(option)) ?? FIRST_WORDS[option.attributeName()];
  if (words !== undefined) return { kind: "words", words: words.map(word) };
  return /<(?:file|path)>/u.test(option.flags) ? { kind: "file" } : { kind: "text" };
}

function argumentOf(command: Command): CompletedValue | undefined {
  const [argument] = command.registeredArguments as readonly Argument[];
  if (argument === undefined) return undefined;
  if (argument.argChoices !== undefined) return { kind: "words", words: argument.argChoices.map(word) };
  if (command.name() === "policies") return { kind: "words", words: policyNames() };
  return { kind: "file" };
}

function policyNames(): readonly string[] {
  return policyPresets.map(({ name }) => word(name));
}

function word(text: string): string {
  if (WORD.test(text)) return text;
  throw new Error(`Cannot complete ${JSON.stringify(text)}: a shell would not take it as it is`);
}

function flag(text: string): string {
  if (FLAG.test(text)) return text;
  throw new Error(`Cannot complete the flag ${JSON.stringify(text)}: a shell would not take it as it is`);
}

/** The first thing that a description says. */
function short(description: string): string {
  const [first = ""] = description.split(/[:;(]|, /u);
  const text = first.trim();
  return text.length <= DESCRIPTION_MAX ? text : `${text.slice(0, DESCRIPTION_MAX - 3).trimEnd()}...`;
}
