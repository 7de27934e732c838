/** The flags of a benchmark: `--rounds 3 --rps 5000,10000`. */

import process from "node:process";

/** A list of numbers where the default is one, else one number. */
export type ArgumentValues<T> = { readonly [K in keyof T]: T[K] extends number ? number : readonly number[] };

/**
 * Reads the process's arguments. One that is unknown, or no number above 0, ends the process with what would be right.
 *
 * @param defaults the flags there are, by name, with their values.
 */
export function readArguments<T extends Readonly<Record<string, number | readonly number[]>>>(
  defaults: T,
): ArgumentValues<T> {
  const values: Record<string, number | readonly number[]> = { ...defaults };
  const words = process.argv.slice(2);
  for (let i = 0; i < words.length; i += 2) {
    const name = (words[i] as string).replace(/^--/, "");
    const numbers = (words[i + 1] ?? "").split(",").map(Number);
    const known = name !== words[i] && Object.hasOwn(defaults, name);
    const isList = known && typeof defaults[name] !== "number";
    if (!known || !numbers.every((value) => value > 0 && value < Number.POSITIVE_INFINITY)) refuse(defaults);
    if (!isList && numbers.length !== 1) refuse(defaults);
    values[name] = isList ? numbers : (numbers[0] as number);
  }
  return values as ArgumentValues<T>;
}

function refuse(defaults: Readonly<Record<string, number | readonly number[]>>): never {
  const flags = Object.entries(defaults).map(([name, value]) => `[--${name} ${value}]`);
  console.error(`Arguments, with their defaults: ${flags.join(" ")}`);
  process.exit(2);
}
