import { parseStrictly, UsageError } from "./arguments.ts";

/** One flag of a program. */
export interface Flag<Value> {
  /** Without the dashes. */
  readonly name: string;
  /** What stands for the value in the help; none marks a switch. */
  readonly placeholder?: string;
  readonly help: string;
  readonly fallback: Value;
  /** @throws UsageError unless the text is a value of this flag; a switch is never asked. */
  read(text: string): Value;
}

/** The flags behind an object of options: one per field. */
export type Flags<Options> = { readonly [Key in keyof Options]: Flag<Options[Key]> };

/**
 * Reads a command line of flags alone.
 *
 * @returns the options, those that are not told with their fallback; or `"help"`.
 * @throws UsageError for anything unknown, malformed or out of range.
 */
export function parseFlags<Options>(flags: Flags<Options>, args: readonly string[]): Options | "help" {
  const all = entriesOf(flags);
  const known: Record<string, { type: "string" | "boolean" }> = { help: { type: "boolean" } };
  for (const [, flag] of all) known[flag.name] = { type: flag.placeholder === undefined ? "boolean" : "string" };
  const { values } = parseStrictly(args, known, false);
  if (values.help === true) return "help";
  const options: Record<string, unknown> = {};
  for (const [key, flag] of all) {
    const value = values[flag.name];
    options[key] = typeof value === "string" ? flag.read(value) : (value ?? flag.fallback);
  }
  return options as Options;
}

/** One line for each flag. */
export function describeFlags<Options>(flags: Flags<Options>): string {
  const rows = entriesOf(flags).map(([, { name, placeholder, help }]) => [
    `--${name}${placeholder === undefined ? "" : ` ${placeholder}`}`,
    help,
  ]);
  rows.push(["--help", "print this text"]);
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", help = ""]) => `  ${left.padEnd(width)}  ${help}\n`).join("");
}

export function switchFlag(name: string, help: string): Flag<boolean> {
  return { name, help, fallback: false, read: () => true };
}

export interface NumberRule {
  readonly placeholder: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  /** Default: true. */
  readonly isWhole?: boolean;
}

export function numberFlag(name: string, rule: NumberRule, fallback: number, help: string): Flag<number> {
  return { name, placeholder: rule.placeholder, help, fallback, read: (text) => readNumber(name, rule, text) };
}

/** A number, or null when it is not told. */
export function optionalNumberFlag(name: string, rule: NumberRule, help: string): Flag<number | null> {
  return { name, placeholder: rule.placeholder, help, fallback: null, read: (text) => readNumber(name, rule, text) };
}

export function refusal(name: string, rule: string, text: string): UsageError {
  return new UsageError(`Cannot use --${name} as it must be ${rule}: current value is '${text}'`);
}

function readNumber(name: string, { unit, min, max, isWhole = true }: NumberRule, text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (Number.isInteger(value) || !isWhole)) return value;
  throw refusal(name, `a ${isWhole ? "whole " : ""}${unit} from ${min} to ${max}`, text);
}

function entriesOf<Options>(flags: Flags<Options>): [string, Flag<unknown>][] {
  return Object.entries(flags) as [string, Flag<unknown>][];
}
