/** `--config FILE`: flags from a file, which the environment and the flags themselves override. */

import type { Command, Option } from "commander";
import { didYouMean } from "../policy/nearest-names.ts";
import { CliError } from "./cli-error.ts";
import type { ConfigEntry } from "./config-document.ts";
import { ENV_PREFIX } from "./environment-options.ts";
import { maySet } from "./flag-sources.ts";
import type { Host } from "./host.ts";
import { readText } from "./input-file.ts";
import type { PolicyChoice } from "./policy-flag.ts";

const CONFIG = "config";

/** Flags whose lists are written with commas. */
const COMMA_LISTS: ReadonlySet<string> = new Set(["overloadedOn", "okOn", "stages", "script"]);
/** Flags that may be repeated. */
const REPEATED: ReadonlySet<string> = new Set(["header", "resolve"]);

/**
 * Gives the options that neither a flag nor the environment sets their values from the file that `--config` names, if it
 * names one. A key is the flag's long name, with dashes or in camel case. One file serves all commands that take it: keys of
 * flags that only another of them has are checked and passed over.
 *
 * @throws CliError that says the file, the line, the key, the rule and the value.
 */
export async function applyConfig(command: Command, host: Host): Promise<void> {
  if (!takesConfig(command)) return;
  const path = (command.getOptionValue(CONFIG) as string | undefined) ?? host.env[`${ENV_PREFIX}CONFIG`];
  if (path === undefined) return;
  const text = await readText(host, "--config", path);
  const siblings = (command.parent?.commands ?? []).filter((other) => other !== command && takesConfig(other));
  const known = [...command.options, ...siblings.flatMap((other) => other.options)].filter(
    (option) => option.attributeName() !== CONFIG,
  );
  const seen = new Map<string, string>();
  for (const entry of await entriesOf(path, text)) {
    const place = `--config ${path}:${entry.line}: `;
    const option = known.find((candidate) => isKeyOf(candidate, entry.key));
    if (option === undefined) {
      const guess = didYouMean(entry.key, known.map(nameOf));
      throw new CliError(`${place}there is no flag '${entry.key}'${guess}`);
    }
    const name = option.attributeName();
    const before = seen.get(name);
    if (before !== undefined) throw new CliError(`${place}'${entry.key}' says again what '${before}' says`);
    seen.set(name, entry.key);
    const value = settingOf(option, entry, place, path);
    if (value === undefined || !command.options.includes(option) || !maySet(command, name, "config")) continue;
    command.setOptionValueWithSource(name, value, "config");
  }
}

/** A value of the file in a message. Aliases may make it contain itself. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    return "one that contains itself";
  }
}

function takesConfig(command: Command): boolean {
  return command.options.some((option) => option.attributeName() === CONFIG);
}

async function entriesOf(path: string, text: string): Promise<readonly ConfigEntry[]> {
  // Here, as most runs need no parser of YAML.
  const { ConfigSyntaxError, readConfigDocument } = await import("./config-document.ts");
  try {
    return readConfigDocument(text);
  } catch (error) {
    if (error instanceof ConfigSyntaxError) throw new CliError(`--config ${path}:${error.line}: ${error.message}`);
    throw error;
  }
}

/** The flag's long name without dashes in front; that of `--no-pin` is `pin`. */
function nameOf(option: Option): string {
  return option.name().replace(/^no-/u, "");
}

function isKeyOf(option: Option, key: string): boolean {
  return [option.name(), nameOf(option)].includes(dashed(key));
}

function dashed(key: string): string {
  return key.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

/** @returns undefined where the entry asks for nothing: `http2: false`. */
function settingOf(option: Option, entry: ConfigEntry, place: string, path: string): unknown {
  const { key, value, line } = entry;
  const refuse = (rule: string): never => {
    throw new CliError(`${place}'${key}' must be ${rule}: current value is ${shown(value)}`);
  };
  const takesValue = option.required || option.optional;
  if (!takesValue || (option.optional && typeof value === "boolean")) {
    if (typeof value !== "boolean") return refuse("true or false");
    if (option.negate) return dashed(key) === option.name() ? !value : value;
    return value ? true : option.defaultValue;
  }
  const name = option.attributeName();
  try {
    if (name === "policy") return { ...policyOf(option, value, refuse), origin: `--config ${path}:${line}: policy` };
    if (REPEATED.has(name)) {
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      return items.reduce((before, item) => parsedBy(option, textOf(item, refuse), before), option.defaultValue);
    }
    const isList = Array.isArray(value) && COMMA_LISTS.has(name);
    const text = isList ? value.map((item) => textOf(item, refuse)).join(",") : textOf(value, refuse);
    return parsedBy(option, text, option.defaultValue);
  } catch (error) {
    if (!(error instanceof CliError) || error.message.startsWith(place)) throw error;
    throw new CliError(`${place}${error.message.replace(option.long ?? "", `'${key}'`)}`);
  }
}

function parsedBy(option: Option, text: string, before: unknown): unknown {
  return option.parseArg === undefined ? text : option.parseArg(text, before as never);
}

/** `sre,k=1.5`, or a map with `name` and the policy's options. */
function policyOf(option: Option, value: unknown, refuse: (rule: string) => never): PolicyChoice {
  if (typeof value !== "object" || value === null) {
    return parsedBy(option, textOf(value, refuse), undefined) as PolicyChoice;
  }
  const { name, ...options } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value) || typeof name !== "string" || name === "") {
    return refuse("a policy such as sre,k=1.5, or a map with its name and its options");
  }
  const texts = Object.entries(options).map(([key, given]) => {
    if (typeof given === "number" || typeof given === "string") return [key, String(given)] as const;
    return refuse(`a map whose options are numbers or texts, which '${key}' is not`);
  });
  return { name, options: Object.fromEntries(texts) };
}

function textOf(value: unknown, refuse: (rule: string) => never): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : refuse("a text or a number");
}
