/** The policies by name: what a command line, a configuration file or a report calls them. */

import { backoffPresets } from "./backoff/presets.ts";
import { baselinePresets } from "./baseline-presets.ts";
import { breakerPresets } from "./breaker/presets.ts";
import { budgetPresets } from "./budget/presets.ts";
import { hedgePresets } from "./hedge/presets.ts";
import { limiterPresets } from "./limiter/presets.ts";
import { checkModifiers, modifierOptions, modifiersIn } from "./modifier/modifiers.ts";
import { didYouMean } from "./nearest-names.ts";
import { isAllowed, type OptionSpec, type OptionValue, ruleText } from "./option.ts";
import type { PolicyOptions, PolicyPreset, PresetOptions } from "./preset.ts";
import { throttlePresets } from "./throttle/presets.ts";

/** A policy with all its options settled. */
export interface ResolvedPolicy {
  readonly preset: PolicyPreset;
  readonly name: string;
  /** Every option of the preset, defaults included. */
  readonly own: PresetOptions;
  /** Every option of the preset, and the modifiers that differ from their defaults. */
  readonly options: PolicyOptions;
}

/** All presets, in the order in which a list shows them. */
export const policyPresets: readonly PolicyPreset[] = [
  ...baselinePresets,
  ...throttlePresets,
  ...backoffPresets,
  ...budgetPresets,
  ...breakerPresets,
  ...limiterPresets,
  ...hedgePresets,
];

/**
 * Finds a preset and completes its options.
 *
 * @param given values, or their text (`"1.5"`); options in seconds also take a duration with ms, s, m or h (`"10s"`).
 *   `undefined` means the default. Besides the preset's own options, those of {@link modifierOptions}.
 * @throws {RangeError} when there is no such policy or option, or when a value breaks the option's rule.
 */
export function resolvePolicy(name: string, given: Readonly<Record<string, unknown>> = {}): ResolvedPolicy {
  const preset = policyPresets.find((candidate) => candidate.name === name);
  if (preset === undefined) {
    const names = policyPresets.map((candidate) => candidate.name);
    throw new RangeError(`There is no policy '${name}'${didYouMean(name, names) || ": policyPresets has all"}`);
  }
  return resolvePreset(preset, given);
}

/** The same for a preset that is in no catalogue. @throws {RangeError} */
export function resolvePreset(preset: PolicyPreset, given: Readonly<Record<string, unknown>> = {}): ResolvedPolicy {
  const { name } = preset;
  for (const option of Object.keys(given)) {
    if (Object.hasOwn(preset.options, option) || Object.hasOwn(modifierOptions, option)) continue;
    const own = Object.keys(preset.options);
    const has = own.length === 0 ? "no options of its own" : own.join(", ");
    const all = [...own, ...Object.keys(modifierOptions)];
    throw new RangeError(`Policy '${name}' has no option '${option}'${didYouMean(option, all) || `: it has ${has}`}`);
  }
  const own: Record<string, number> = {};
  for (const [option, spec] of Object.entries(preset.options)) {
    own[option] = readValue(name, option, spec, valueIn(given, option)) as number;
  }
  const options: Record<string, OptionValue> = { ...own };
  for (const [option, spec] of Object.entries(modifierOptions)) {
    const value = readValue(name, option, spec, valueIn(given, option));
    if (value !== spec.default) options[option] = value;
  }
  checkModifiers(name, modifiersIn(options));
  return { preset, name, own: Object.freeze(own), options: Object.freeze(options) };
}

function valueIn(given: Readonly<Record<string, unknown>>, option: string): unknown {
  return Object.hasOwn(given, option) ? given[option] : undefined;
}

function readValue(policy: string, option: string, spec: OptionSpec, given: unknown): OptionValue {
  if (given === undefined) return spec.default;
  const value = typeof given === "string" ? parseText(given, spec) : given;
  if (isAllowed(spec, value)) return value;
  const inSeconds = "unit" in spec && spec.unit === "seconds";
  const rule = inSeconds ? `${ruleText(spec)} or a duration such as 10s` : ruleText(spec);
  throw new RangeError(
    `Cannot use policy '${policy}' as '${option}' must be ${rule}: current value is ${String(given)}`,
  );
}

const NUMBER_WITH_UNIT = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(ms|s|m|h)?$/;

/** @returns NaN for what is no number where one belongs, or has a unit where none belongs. */
function parseText(text: string, spec: OptionSpec): OptionValue {
  if (spec.kind === "choice" || spec.kind === "headerName") return text.trim();
  const [, digits, unit] = NUMBER_WITH_UNIT.exec(text.trim()) ?? [];
  if (unit === undefined) return Number(digits);
  if (spec.unit !== "seconds") return Number.NaN;
  switch (unit) {
    case "ms":
      return Number(digits) / 1000;
    case "m":
      return Number(digits) * 60;
    case "h":
      return Number(digits) * 3600;
    default:
      return Number(digits);
  }
}
