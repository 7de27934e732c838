/** What a command was asked for, for the record, and a record made into flags again. */

import type { Command, Option } from "commander";
import type { Invocation } from "../../result/design-schema.ts";
import { redactHeaders, redactUrl } from "../../result/redact.ts";
import { CliError } from "../cli-error.ts";
import { settingOf } from "../config/config-values.ts";
import { NOT_RECORDED } from "../session/not-recorded.ts";
import { isDisplaced, settleSources } from "./flag-sources.ts";
import { flagTexts, keyOf, noteFlag, type WrittenValue } from "./flag-texts.ts";
import { header } from "./flag-values.ts";

const HIDDEN = "REDACTED";

/** The flags of a command that are not at their defaults, without those of the output and without secrets. */
export function invocationOf(command: Command): Invocation {
  const flags: Record<string, string | string[] | boolean> = {};
  const redacted: string[] = [];
  for (const { option, key, value, source } of flagTexts(command)) {
    if (source === "default" || value === undefined || NOT_RECORDED.has(option.attributeName())) continue;
    const shown = withoutSecrets(option, value);
    if (JSON.stringify(shown) !== JSON.stringify(value)) redacted.push(key);
    flags[key] = typeof shown === "object" ? [...shown] : shown;
  }
  return { command: command.name(), flags, redacted };
}

/** A value as it may be shown and kept. A body may be a secret; what is a path stays. */
export function withoutSecrets(option: Option, value: WrittenValue): WrittenValue {
  if (typeof value === "object") return value.map((text) => textWithoutSecrets(option, text));
  return typeof value === "string" ? textWithoutSecrets(option, value) : value;
}

function textWithoutSecrets(option: Option, text: string): string {
  switch (option.attributeName()) {
    case "header":
      return headerText(redactHeaders(header(text, []))[0]);
    case "pushHeader":
      // Any of them may be a secret, whatever it is called.
      return headerText([header(text, [])[0]?.[0] ?? "", HIDDEN]);
    case "body":
      return HIDDEN;
    case "push":
    case "url":
      return redactUrl(text);
    default:
      return text.replace(/https?:\/\/[^\s,]+/giu, redactUrl);
  }
}

function headerText([name = "", value = ""]: readonly string[] = []): string {
  return `${name}: ${value}`;
}

/**
 * Gives a command the flags of a recorded invocation, as a configuration file would: what the command line says wins, and all
 * else that is not in the record goes back to its default, whatever the environment or a file said. Headers are added to those
 * of the record: one of the same name takes its place.
 *
 * @param path the file with the record, for messages and as the place of the values.
 * @throws CliError for a flag that the command does not have, whose value it refuses or that no record has, and for secrets that were not given again.
 */
export function applyInvocation(command: Command, invocation: Invocation, path: string): void {
  if (invocation.command !== command.name()) {
    throw new CliError(`${path} is of ${invocation.command}: it says nothing of ${command.name()}`);
  }
  forgetWeaker(command);
  const open = Object.entries(invocation.flags)
    .map(([key, value]) => ({ option: optionOf(command, key, path), value }))
    .filter(({ option }) => !isDisplaced(command, option.attributeName()));
  const missing = open.flatMap(({ option, value }) => secretsMissing(command, option, value, invocation));
  if (missing.length > 0) {
    throw new CliError(`${path} keeps no secrets: give again ${missing.join(", ")}`);
  }
  for (const { option, value } of open) {
    if (option.attributeName() === "header") addHeaders(command, option, textsOf(value), path);
    else if (!isGiven(command, option)) apply(command, option, value, path);
  }
  settleSources(command);
}

function optionOf(command: Command, key: string, path: string): Option {
  const option = command.options.find((candidate) => keyOf(candidate) === key);
  if (option !== undefined && NOT_RECORDED.has(option.attributeName())) {
    throw new CliError(`${path}: it says --${key}, which no result of overload-bench does: it is not to be trusted`);
  }
  if (option !== undefined) return option;
  throw new CliError(`${path}: '${command.name()}' has no flag --${key} in this version of overload-bench`);
}

/** What the environment or a file said of the experiment. */
function forgetWeaker(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (NOT_RECORDED.has(name) || isGiven(command, option)) continue;
    command.setOptionValueWithSource(name, option.negate ? true : option.defaultValue, "default");
  }
}

function isGiven(command: Command, option: Option): boolean {
  return command.getOptionValueSource(option.attributeName()) === "cli";
}

function apply(command: Command, option: Option, value: WrittenValue, path: string): void {
  const setting = settingOf(option, { key: keyOf(option), value, place: path });
  if (setting === undefined) return;
  command.setOptionValueWithSource(option.attributeName(), setting.parsed, "config");
  noteFlag(command, option, "config", setting.written, path);
}

/** How to give again what the record does not have. */
function secretsMissing(
  command: Command,
  option: Option,
  value: WrittenValue,
  { redacted }: Invocation,
): readonly string[] {
  if (!redacted.includes(keyOf(option))) return [];
  if (option.attributeName() !== "header") return isGiven(command, option) ? [] : [`--${keyOf(option)}`];
  const given = headersGiven(command, option).map(nameOfHeader);
  return textsOf(value)
    .filter((text) => text.endsWith(`: ${HIDDEN}`) && !given.includes(nameOfHeader(text)))
    .map((text) => `-H '${text.slice(0, text.indexOf(":"))}: ...'`);
}

function addHeaders(command: Command, option: Option, recorded: readonly string[], path: string): void {
  const given = headersGiven(command, option);
  if (given.length === 0) {
    apply(command, option, recorded, path);
    return;
  }
  const names = given.map(nameOfHeader);
  const texts = [...recorded.filter((text) => !names.includes(nameOfHeader(text))), ...given];
  const setting = settingOf(option, { key: keyOf(option), value: texts, place: path });
  command.setOptionValueWithSource(option.attributeName(), setting?.parsed, "cli");
  noteFlag(command, option, "cli", texts, `${path}, --header`);
}

/** Those of the command line. */
function headersGiven(command: Command, option: Option): readonly string[] {
  if (!isGiven(command, option)) return [];
  return (command.getOptionValue(option.attributeName()) as readonly (readonly string[])[]).map(headerText);
}

function nameOfHeader(text: string): string {
  return text.slice(0, text.indexOf(":")).toLowerCase();
}

function textsOf(value: WrittenValue): readonly string[] {
  return typeof value === "object" ? value : [String(value)];
}
