/** `policies`: which policies there are, and all of one. */

import type { Command } from "commander";
import { policyPresets } from "../../policy/catalogue.ts";
import { modifierOptions } from "../../policy/modifier/modifiers.ts";
import { didYouMean } from "../../policy/nearest-names.ts";
import type { OptionSpec, OptionUnit } from "../../policy/option.ts";
import type { PolicyPreset } from "../../policy/preset.ts";
import { type OptionFacts, type PolicyFacts, policiesText, policyText } from "../../report/policies-text.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import { oneOf } from "../flags/flag-values.ts";
import type { Host } from "../host.ts";

interface PoliciesFlags {
  readonly json?: boolean | "line" | "pretty";
}

/** Where nobody looks at a terminal. */
const COLUMNS = 100;

/** @param finish takes the exit code of the command that ran. */
export function addPoliciesCommand(program: Command, host: Host, finish: (code: ExitCode) => void): void {
  const command = program
    .command("policies")
    .description("all policies that --policy takes: what they do, when people use them, how they are known to fail")
    .argument("[name]", "tell all of this one: its rule, its source and its options");
  adderFor(command)("--json [style]", "all of it as data: line or pretty", oneOf(["line", "pretty"]));
  command.action((name: string | undefined, { json }: PoliciesFlags) => {
    host.stdout.write(textOf(name, json, host.stdout.columns ?? COLUMNS));
    finish(EXIT.ok);
  });
}

/** @throws CliError for a name that no policy has. */
function textOf(name: string | undefined, json: PoliciesFlags["json"], columns: number): string {
  const presets = name === undefined ? policyPresets : [presetNamed(name)];
  if (json !== undefined) {
    const data = { policies: presets.map(presetData), modifiers: optionsData(modifierOptions) };
    return `${JSON.stringify(data, undefined, json === "pretty" ? 2 : undefined)}\n`;
  }
  const [first] = presets;
  if (name === undefined || first === undefined) return policiesText(presets.map(factsOf), columns);
  return policyText(factsOf(first), optionFacts(modifierOptions), columns);
}

function presetNamed(name: string): PolicyPreset {
  const preset = policyPresets.find((candidate) => candidate.name === name);
  if (preset !== undefined) return preset;
  const names = policyPresets.map((candidate) => candidate.name);
  throw new CliError(`There is no policy '${name}'${didYouMean(name, names) || ": overload-bench policies lists all"}`);
}

function factsOf(preset: PolicyPreset): PolicyFacts {
  const { name, family, summary, use, fails, equation, source } = preset;
  return { name, family, summary, use, fails, equation, source, options: optionFacts(preset.options) };
}

function optionFacts(specs: Readonly<Record<string, OptionSpec>>): OptionFacts[] {
  return Object.entries(specs).map(([name, spec]) => ({
    name,
    default: `${spec.default}${"unit" in spec ? UNIT_SUFFIXES[spec.unit] : ""}`,
    written: String(spec.default),
    range: rangeOf(spec),
    doc: spec.doc,
  }));
}

const UNIT_SUFFIXES = {
  seconds: " s",
  attempts: "",
  ratio: "",
  count: "",
  perSecond: "/s",
} as const satisfies Readonly<Record<OptionUnit, string>>;

function rangeOf(spec: OptionSpec): string {
  switch (spec.kind) {
    case "choice":
      return spec.choices.join(", ");
    case "headerName":
      return "the name of a header";
    case "integer":
    case "number": {
      const { min, max, kind, unit } = spec;
      const range = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`;
      return `${kind === "integer" ? "whole, " : ""}${range}${UNIT_SUFFIXES[unit]}`;
    }
    default:
      return spec satisfies never;
  }
}

/** The preset without what it is made by. */
function presetData({ create: _, options, readsHeaders = [], ...facts }: PolicyPreset): Record<string, unknown> {
  return { ...facts, readsHeaders, options: optionsData(options) };
}

/** JSON has no infinity: an option without a bound has `null` there. */
function optionsData(specs: Readonly<Record<string, OptionSpec>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      "max" in spec ? { ...spec, min: finite(spec.min), max: finite(spec.max) } : { ...spec },
    ]),
  );
}

function finite(bound: number): number | null {
  return Number.isFinite(bound) ? bound : null;
}
