/** `--dry-run`: what a command would do, each value with the place that it came from. Nothing is started or written. */

import type { Command } from "commander";
import { page } from "../../report/page.ts";
import { renderTable } from "../../report/table.ts";
import type { Host } from "../host.ts";
import type { Add } from "./add-option.ts";
import type { FlagSource } from "./flag-sources.ts";
import { flagTexts, type WrittenValue } from "./flag-texts.ts";
import { withoutSecrets } from "./invocation.ts";

const DRY_RUN = "dryRun";

/** A flag that has a value, as it may be shown. */
interface ShownFlag {
  readonly flag: string;
  readonly value: WrittenValue;
  readonly source: "default" | "file" | "environment" | "flag";
  readonly place: string;
}

const SOURCES: Readonly<Record<FlagSource, ShownFlag["source"]>> = {
  default: "default",
  config: "file",
  env: "environment",
  cli: "flag",
};

export function addDryRunOption(add: Add): void {
  add("--dry-run", "show each value, where it came from, and what would be run; start and write nothing");
}

function shownFlags(command: Command): readonly ShownFlag[] {
  return flagTexts(command).flatMap(({ option, key, value, source, place }) => {
    if (value === undefined || option.attributeName() === DRY_RUN) return [];
    return [{ flag: key, value: withoutSecrets(option, value), source: SOURCES[source], place }];
  });
}

/** Every value and where it came from: what somebody said first, then the defaults. */
function dryRunLines(command: Command): string[] {
  const shown = shownFlags(command);
  const said = shown.filter(({ source }) => source !== "default");
  const left = shown.filter(({ source }) => source === "default");
  return [
    ...(said.length === 0 ? ["Nothing but defaults:"] : ["Set, and where:", ...saidLines(said), "", "Defaults:"]),
    ...indented(left.map(({ flag, value }) => [flag, String(value)])),
  ];
}

function saidLines(flags: readonly ShownFlag[]): readonly string[] {
  return indented(
    flags.flatMap(({ flag, place, value }) =>
      // One row a value for flags that were given several times.
      (typeof value === "object" ? value : [String(value)]).map((text, index) =>
        index === 0 ? [flag, place, text] : ["", "", text],
      ),
    ),
  );
}

function indented(rows: readonly (readonly string[])[]): readonly string[] {
  return renderTable(rows, { align: ["left", "left", "left"] }).map((line) => `  ${line}`);
}

/** What would be run, as data and in words. */
export interface DryRunPlan {
  /** Every option as resolved. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The order of the trials, their times and the total. */
  readonly lines: readonly string[];
}

export function printDryRun(
  host: Host,
  json: boolean | "line" | "pretty" | undefined,
  command: Command,
  { config, lines }: DryRunPlan,
): void {
  if (json === undefined) {
    host.stdout.write(page([...dryRunLines(command), "", ...lines, "", "Nothing was started (--dry-run)."]));
    return;
  }
  const data = { dryRun: true, command: command.name(), flags: shownFlags(command), config, plan: lines };
  host.stdout.write(`${JSON.stringify(data, undefined, json === "pretty" ? 2 : undefined)}\n`);
}
