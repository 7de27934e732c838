/** What was written for each flag of a command, and where: what its value was made of. */

import type { Command, Option } from "commander";
import { isRepeatable } from "./flag-lists.ts";
import { type FlagSource, isDisplaced } from "./flag-sources.ts";

/** A value as a configuration file writes it. */
export type WrittenValue = string | readonly string[] | boolean;

/** A flag of a command as it stands. */
export interface FlagText {
  readonly option: Option;
  /** Its key in a configuration file: the long name without `no-`. */
  readonly key: string;
  /** undefined: it says nothing, and nothing is said instead. */
  readonly value: WrittenValue | undefined;
  readonly source: FlagSource;
  /** `default`, `bench.yaml:3`, `OVERLOAD_BENCH_RPS` or `--rps`. */
  readonly place: string;
}

interface Written {
  readonly value: WrittenValue;
  readonly place: string;
}

/** By command, by the source and the name of the option's attribute: what each source said last. */
const WRITTEN = new WeakMap<Command, Map<string, Written>>();

/** The key of an option in a configuration file. */
export function keyOf(option: Option): string {
  return option.name().replace(/^no-/u, "");
}

/** Keeps what the command line says of the command's flags from now on. To be called once, when it has all its options. */
export function watchFlags(command: Command): void {
  for (const option of command.options) {
    command.on(`option:${option.name()}`, (text: string | null | undefined) => {
      const place = option.long ?? option.flags;
      // Without a text it was switched on, or off by a flag such as --no-pin.
      noteFlag(command, option, "cli", typeof text === "string" ? added(command, option, text) : !option.negate, place);
    });
  }
}

function added(command: Command, option: Option, text: string): WrittenValue {
  if (!isRepeatable(option)) return text;
  const before = WRITTEN.get(command)?.get(`cli ${option.attributeName()}`)?.value ?? [];
  return typeof before === "object" ? [...before, text] : [text];
}

/** Keeps what a source said of a flag, in place of what it said before. */
export function noteFlag(
  command: Command,
  option: Option,
  source: Exclude<FlagSource, "default">,
  value: WrittenValue,
  place: string,
): void {
  const written = WRITTEN.get(command) ?? new Map<string, Written>();
  WRITTEN.set(command, written.set(`${source} ${option.attributeName()}`, { value, place }));
}

/** The command's flags in the order of its help, each as the source that decides says it. */
export function flagTexts(command: Command): readonly FlagText[] {
  return command.options.map((option) => flagText(command, option));
}

function flagText(command: Command, option: Option): FlagText {
  const name = option.attributeName();
  const source = (command.getOptionValueSource(name) ?? "default") as FlagSource;
  const written = source === "default" ? undefined : WRITTEN.get(command)?.get(`${source} ${name}`);
  const shared = { option, key: keyOf(option), source };
  if (written !== undefined) return { ...shared, ...written };
  return { ...shared, source: "default", place: "default", value: defaultText(command, option) };
}

/** What stands in the help as the default; undefined where another flag answers the same question. */
function defaultText(command: Command, option: Option): WrittenValue | undefined {
  if (isDisplaced(command, option.attributeName())) return undefined;
  const takesValue = option.required || option.optional;
  if (!takesValue) return option.negate;
  const { defaultValueDescription: text, defaultValue: value, description } = option;
  if (text !== undefined) return text;
  if (typeof value === "number" || typeof value === "string") return String(value);
  const [, where = "", told] = /\(default( [^:()]*)?: ([^()]*)\)/u.exec(description) ?? [];
  return told === undefined || where === "" ? told : `${told} (${where.trim()})`;
}
