/** The policies by name: what a command line, a configuration file or a report calls them. */

import { FixedRetry } from "./fixed-retry.ts";
import { isAllowed, maxAttemptsOption, type OptionSpec, ruleText } from "./option.ts";
import { OverloadClient, overloadClientOptions } from "./overload-client.ts";
import type { PolicyFactory } from "./policy.ts";
import { SentOnlyPolicy, sentOnlyPolicyOptions } from "./sent-only-policy.ts";

/** Values of a policy's options, by name. */
export type PolicyOptions = Readonly<Record<string, number>>;

/** A named policy with the options that it takes. */
export interface PolicyPreset {
  readonly name: string;
  /** One line for a list of policies. */
  readonly summary: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** @param options a value for each of the preset's options. */
  create(options: PolicyOptions): PolicyFactory;
}

/** A policy that is ready to be built for any number of users. */
export interface ResolvedPolicy {
  readonly name: string;
  /** Every option of the preset, defaults included. */
  readonly options: PolicyOptions;
  readonly factory: PolicyFactory;
}

/** All presets, in the order in which a list shows them. */
export const policyPresets: readonly PolicyPreset[] = [
  {
    name: "none",
    summary: "No overload control: one attempt for each call",
    options: {},
    create: () => shared(new FixedRetry({ maxAttempts: 1 })),
  },
  {
    name: "retry",
    summary: "Immediate retries on overload, without throttle or budget",
    options: { maxAttempts: maxAttemptsOption },
    create: (options) => shared(new FixedRetry(options)),
  },
  {
    name: "sre",
    summary:
      "OverloadClient: adaptive throttling that counts local rejects, with a retry budget (SRE book, chapter 21)",
    options: overloadClientOptions,
    create: (options) => (clock, random) => new OverloadClient(clock, random, options),
  },
  {
    name: "sre-sent-only",
    summary: "AdaptiveThrottle: adaptive throttling that counts only what was sent",
    options: sentOnlyPolicyOptions,
    create: (options) => (clock, random) => new SentOnlyPolicy(clock, random, options),
  },
];

/**
 * Finds a preset and completes its options.
 *
 * @param given numbers, or their text (`"1.5"`); options in seconds also take a duration with ms, s, m or h (`"10s"`).
 *   `undefined` means the default.
 * @throws {RangeError} when there is no such policy or option, or when a value breaks the option's rule.
 */
export function resolvePolicy(name: string, given: Readonly<Record<string, unknown>> = {}): ResolvedPolicy {
  const preset = policyPresets.find((candidate) => candidate.name === name);
  if (preset === undefined) {
    const names = policyPresets.map((candidate) => candidate.name).join(", ");
    throw new RangeError(`There is no policy '${name}': choose one of ${names}`);
  }
  const known = Object.keys(preset.options);
  for (const option of Object.keys(given)) {
    if (known.includes(option)) continue;
    const has = known.length === 0 ? "no options" : known.join(", ");
    throw new RangeError(`Policy '${name}' has no option '${option}': it has ${has}`);
  }
  const options: Record<string, number> = {};
  for (const [option, spec] of Object.entries(preset.options)) {
    options[option] = readValue(name, option, spec, Object.hasOwn(given, option) ? given[option] : undefined);
  }
  Object.freeze(options);
  return { name, options, factory: preset.create(options) };
}

function shared(policy: ReturnType<PolicyFactory>): PolicyFactory {
  return () => policy;
}

function readValue(policy: string, option: string, spec: OptionSpec, given: unknown): number {
  if (given === undefined) return spec.default;
  const value = typeof given === "string" ? parseNumber(given, spec) : given;
  if (isAllowed(spec, value)) return value;
  const rule = spec.unit === "seconds" ? `${ruleText(spec)} or a duration such as 10s` : ruleText(spec);
  throw new RangeError(
    `Cannot use policy '${policy}' as '${option}' must be ${rule}: current value is ${String(given)}`,
  );
}

const NUMBER_WITH_UNIT = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(ms|s|m|h)?$/;

/** @returns NaN for what is no number, or has a unit where none belongs. */
function parseNumber(text: string, spec: OptionSpec): number {
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
