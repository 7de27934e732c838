/** A value of a configuration file, made into that of a flag. */

import type { Option } from "commander";
import { CliError } from "../cli-error.ts";
import type { ArmChoice } from "../flags/arm-flag.ts";
import { isRepeatable, mapText, takesCommas } from "../flags/flag-lists.ts";
import { keyOf, type WrittenValue } from "../flags/flag-texts.ts";
import type { PolicyChoice } from "../flags/policy-flag.ts";
import type { Listed } from "../flags/value-list.ts";

/** What a file says of a flag, and where. */
export interface Said {
  readonly key: string;
  readonly value: unknown;
  /** For messages, as in `--config bench.yaml:3`. */
  readonly place: string;
}

export interface Setting {
  /** As the flag's parser makes it. */
  readonly parsed: unknown;
  readonly written: WrittenValue;
}

/** The flag's long name as keys are written: with dashes, or in camel case. */
export function isKeyOf(option: Option, key: string): boolean {
  return [option.name(), keyOf(option)].includes(dashed(key));
}

function dashed(key: string): string {
  return key.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * @returns undefined where nothing is asked for: `http2: false`.
 * @throws CliError that says the place, the key, the rule and the value.
 */
export function settingOf(option: Option, said: Said): Setting | undefined {
  const { key, value, place } = said;
  const refuse = (rule: string): never => {
    throw new CliError(`${place}: '${key}' must be ${rule}: current value is ${shownOf(option, value)}`);
  };
  const takesValue = option.required || option.optional;
  if (!takesValue || (option.optional && typeof value === "boolean")) return switched(option, said, refuse);
  const { defaultValue } = option;
  try {
    if (isRepeatable(option)) {
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      const written: string[] = [];
      let parsed: unknown = defaultValue;
      for (const item of items) {
        written.push(textOf(option, item, refuse));
        parsed = parsedBy(option, written.at(-1) as string, parsed);
      }
      return { parsed: option.attributeName() === "arm" ? armsWithOrigin(parsed, place) : parsed, written };
    }
    const isList = Array.isArray(value) && takesCommas(option);
    const texts = (isList ? value : [value]).map((item) => textOf(option, item, refuse));
    const written = texts.join(",");
    const parsed = parsedBy(option, written, defaultValue);
    return { parsed: option.attributeName() === "policy" ? withOrigin(parsed, `${place}: policy`) : parsed, written };
  } catch (error) {
    if (!(error instanceof CliError) || error.message.startsWith(`${place}: `)) throw error;
    throw new CliError(`${place}: ${error.message.replace(option.long ?? "", `'${key}'`)}`);
  }
}

function switched(option: Option, { key, value }: Said, refuse: (rule: string) => never): Setting | undefined {
  if (typeof value !== "boolean") return refuse("true or false");
  if (!option.negate) {
    const parsed = value ? true : option.defaultValue;
    return parsed === undefined ? undefined : { parsed, written: value };
  }
  const isOn = dashed(key) === option.name() ? !value : value;
  return { parsed: isOn, written: isOn };
}

function parsedBy(option: Option, text: string, before: unknown): unknown {
  return option.parseArg === undefined ? text : option.parseArg(text, before as never);
}

function textOf(option: Option, value: unknown, refuse: (rule: string) => never): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return mapText(option, value, refuse) ?? refuse("a text or a number");
}

/** Policies are looked up later, and a complaint says where they were named. @param parsed one, or a list of a sweep. */
function withOrigin(parsed: unknown, origin: string): unknown {
  if (!Array.isArray(parsed)) return { ...(parsed as PolicyChoice), origin };
  return (parsed as readonly Listed<PolicyChoice>[]).map(({ text, value }) => ({ text, value: { ...value, origin } }));
}

function armsWithOrigin(parsed: unknown, place: string): unknown {
  return (parsed as readonly ArmChoice[]).map((arm) => ({
    ...arm,
    policy: { ...arm.policy, origin: `${place}: arm ${arm.name}` },
  }));
}

/** Flags whose values may be secrets, by their attributes. */
const SECRET: ReadonlySet<string> = new Set(["header", "pushHeader", "body"]);

/** A value of the file in a message: of what may be secret no more than its shape. */
function shownOf(option: Option, value: unknown): string {
  if (!SECRET.has(option.attributeName())) return shown(value);
  if (typeof value !== "object" || value === null) return value === null ? "null" : `a ${typeof value}`;
  return Array.isArray(value) ? "a list" : `a map of ${Object.keys(value).join(", ") || "nothing"}`;
}

/** Aliases may make it contain itself. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    return "one that contains itself";
  }
}
