/** Flags that take more than one value, or maps: how what a configuration file writes becomes the texts that the flags take. */

import type { Option } from "commander";

const REPEATABLE = new WeakSet<Option>();
/** Says that a flag may be given several times, each time with one more value; its parser takes what it made before. */
export function markRepeatable(option: Option): void {
  REPEATABLE.add(option);
}

export function isRepeatable(option: Option): boolean {
  return REPEATABLE.has(option);
}

/** Whether a flag takes one text with commas in it, so that a list may be written instead: its help says so. */
export function takesCommas(option: Option): boolean {
  return /<list>|<changes>/u.test(option.flags);
}

/** Whether a flag's value may be written as a map: `{ name: sre, k: 2 }`. */
export function takesMaps(option: Option): boolean {
  return MAPS.has(option.attributeName());
}

const POLICY_RULE = "a policy such as sre,k=1.5, or a map with its name and its options";
const ARM_RULE = "an arm such as on:policy=sre,k=1.5, or a map with its name and what it has of its own";
const MAPS: ReadonlySet<string> = new Set(["policy", "arm"]);

/**
 * The text of a map: its name, then the rest as options. The map of an arm may hold that of its policy.
 *
 * @param refuse throws an error that says the rule.
 * @returns undefined where the flag takes no maps.
 */
export function mapText(option: Option, value: unknown, refuse: (rule: string) => never): string | undefined {
  if (!takesMaps(option)) return undefined;
  return option.attributeName() === "policy" ? policyText(value, refuse) : armText(value, refuse);
}

function policyText(value: unknown, refuse: (rule: string) => never): string {
  const { name, options } = namedMap(value, POLICY_RULE, refuse);
  return [name, ...options.map(([key, given]) => optionText(key, given, refuse))].join(",");
}

function armText(value: unknown, refuse: (rule: string) => never): string {
  const { name, options } = namedMap(value, ARM_RULE, refuse);
  const texts = options.map(([key, given]) =>
    key === "policy" && typeof given === "object"
      ? `policy=${policyText(given, refuse)}`
      : optionText(key, given, refuse),
  );
  return texts.length === 0 ? name : `${name}:${texts.join(",")}`;
}

function namedMap(
  value: unknown,
  rule: string,
  refuse: (rule: string) => never,
): { readonly name: string; readonly options: readonly (readonly [string, unknown])[] } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(rule);
  const { name, ...options } = value as Readonly<Record<string, unknown>>;
  return typeof name === "string" && name !== "" ? { name, options: Object.entries(options) } : refuse(rule);
}

function optionText(key: string, given: unknown, refuse: (rule: string) => never): string {
  if (typeof given === "number" || typeof given === "string") return `${key}=${given}`;
  return refuse(`a map whose options are numbers or texts, which '${key}' is not`);
}
