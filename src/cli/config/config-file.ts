/** Configuration files: read once each, as what may be a pipe, into the command that they name and their other entries. */

import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { Host } from "../host.ts";
import { readText } from "../input-file.ts";
import type { ConfigEntry } from "./config-document.ts";

/** The key under which editors find the schema. */
export const SCHEMA_KEY = "$schema";
/** The key that names the command. */
export const COMMAND_KEY = "command";

export interface ConfigFile {
  readonly path: string;
  /** The command that the file is for, if it says so. */
  readonly command: { readonly name: string; readonly line: number } | undefined;
  /** All that are flags. */
  readonly entries: readonly ConfigEntry[];
}

export class ConfigFiles {
  readonly #host: Host;
  readonly #files = new Map<string, Promise<ConfigFile>>();

  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * @param commands those that a file may name.
   * @throws CliError that says the file, the line and what is wrong with its text, its command or its schema's address.
   */
  read(path: string, commands: readonly Command[]): Promise<ConfigFile> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const reading = readFile(this.#host, path, commands);
    this.#files.set(path, reading);
    return reading;
  }
}

/** Commands whose flags a file may set. */
export function configurable(commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => command.options.some((option) => option.attributeName() === "config"));
}

async function readFile(host: Host, path: string, commands: readonly Command[]): Promise<ConfigFile> {
  const entries = await entriesOf(path, await readText(host, "--config", path));
  const names = commands.map((command) => command.name());
  for (const { key, value, line } of entries) {
    if (key === SCHEMA_KEY && typeof value !== "string") {
      throw new CliError(`--config ${path}:${line}: '${key}' must be the address of a schema`);
    }
    if (key === COMMAND_KEY && !names.includes(value as string)) {
      const rule = `'${key}' must be one of ${names.join(", ")}`;
      throw new CliError(`--config ${path}:${line}: ${rule}: current value is ${JSON.stringify(value)}`);
    }
  }
  const command = entries.find(({ key }) => key === COMMAND_KEY);
  return {
    path,
    command: command === undefined ? undefined : { name: command.value as string, line: command.line },
    entries: entries.filter(({ key }) => key !== COMMAND_KEY && key !== SCHEMA_KEY),
  };
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
