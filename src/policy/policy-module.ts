/**
 * The contract of a module that brings a policy of one's own (`--policy ./mine.ts,factor=2`): it exports `policy`, a
 * {@link UserPolicy}. It is loaded once in every thread of the generator, so what it keeps outside of the policies that it
 * makes is shared by the users of one thread only; time and chance are handed in, and it should use no others.
 *
 * @example
 * ```ts
 * import type { UserPolicy } from "overload-bench";
 *
 * // One retry, and only after a pause.
 * export const policy: UserPolicy<"pause"> = {
 *   name: "patient",
 *   summary: "One retry of what was overloaded, after a pause",
 *   options: {
 *     pause: { default: 0.5, kind: "number", min: 0, max: 60, unit: "seconds", doc: "Before the retry" },
 *   },
 *   create: ({ pause }) => (_clock, _random, jitter) => ({
 *     admit: () => "send",
 *     settle(call, verdict) {
 *       if (verdict !== "overloaded" || call.attempt > 0) return "done";
 *       call.delaySeconds = pause * (1 + 0.2 * jitter.random());
 *       return "retry";
 *     },
 *   }),
 * };
 * ```
 */

import { shown } from "./guarded-policy.ts";
import { modifierOptions } from "./modifier/modifiers.ts";
import { isAllowed, type NumberSpec, type OptionUnit } from "./option.ts";
import type { PolicyFactory } from "./policy.ts";
import type { PolicyFamily, PolicyPreset, PresetOptions } from "./preset.ts";

/**
 * What a policy module exports as `policy`: a {@link PolicyPreset} of which only the first four fields are required.
 *
 * @typeParam Option the names of its options, where they are to be checked.
 */
export interface UserPolicy<Option extends string = string>
  extends Pick<PolicyPreset, "name" | "summary">,
    Partial<Pick<PolicyPreset, "family" | "use" | "fails" | "equation" | "source" | "readsHeaders">> {
  readonly options: Readonly<Record<Option, NumberSpec>>;
  /**
   * @param options a value for each of them.
   * @returns what makes the policy of one virtual user; called once a user, or once a thread with `scope=process`.
   */
  create(options: Readonly<Record<Option, number>>): PolicyFactory;
}

const FAMILIES = {
  baseline: true,
  backoff: true,
  throttle: true,
  budget: true,
  breaker: true,
  limiter: true,
  hedge: true,
  custom: true,
} as const satisfies Readonly<Record<PolicyFamily, true>>;

const UNITS = {
  seconds: true,
  attempts: true,
  ratio: true,
  count: true,
  perSecond: true,
} as const satisfies Readonly<Record<OptionUnit, true>>;

/** The options of `overloadFetch` and `overloadControl` that are no policy's, and stand beside those of any policy. */
export const ADAPTER_OPTIONS = [
  "policy",
  "keyOf",
  "maxKeys",
  "criticalityOf",
  "timeoutSeconds",
  "overloadedOn",
  "retryUnsafe",
  "onEvent",
  "meter",
  "readsHeaders",
  "clock",
  "random",
] as const satisfies readonly string[];

/** Stands where a module says nothing. */
const OWN = "Own policy";
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const OPTION_NAME = /^[a-zA-Z][a-zA-Z0-9]*$/u;
const LINE_MAX = 300;

/**
 * Makes a preset of what a module exported as `policy`, after a look at every field.
 *
 * @param taken names that it may not have: those of the catalogue.
 * @throws {RangeError} that says which field, the rule and the value, in one line.
 */
export function presetOf(exported: unknown, taken: readonly string[] = []): PolicyPreset {
  if (exported === undefined) throw new RangeError("It must export 'policy': there is no such export");
  if (typeof exported !== "object" || exported === null) {
    throw refusal("policy", "an object with name, summary, options and create", exported);
  }
  const given = exported as Readonly<Record<string, unknown>>;
  const { name, create } = given;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw refusal("policy.name", "a name in lower case, with dashes, such as my-policy", name);
  }
  if (taken.includes(name)) throw refusal("policy.name", "a name that no preset has", name);
  if (typeof create !== "function") throw refusal("policy.create", "a function", create);
  const family = given.family ?? "custom";
  if (typeof family !== "string" || !Object.hasOwn(FAMILIES, family)) {
    throw refusal("policy.family", `one of ${Object.keys(FAMILIES).join(", ")}`, family);
  }
  return {
    name,
    family: family as PolicyFamily,
    summary: lineOf(given, "summary", undefined),
    use: lineOf(given, "use", OWN),
    fails: lineOf(given, "fails", OWN),
    equation: lineOf(given, "equation", OWN),
    source: lineOf(given, "source", OWN),
    options: optionsOf(given.options),
    readsHeaders: headersOf(given.readsHeaders),
    // Through the object: its `this` may matter.
    create: (options: PresetOptions) => (exported as UserPolicy).create(options),
  };
}

function lineOf(given: Readonly<Record<string, unknown>>, field: string, otherwise: string | undefined): string {
  const value = given[field] ?? otherwise;
  if (typeof value === "string" && value.trim() !== "" && value.length <= LINE_MAX) return value;
  throw refusal(`policy.${field}`, `a text of 1 to ${LINE_MAX} characters`, value);
}

function optionsOf(options: unknown): PolicyPreset["options"] {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw refusal("policy.options", "an object, {} where there are none", options);
  }
  for (const [name, spec] of Object.entries(options)) checkOption(name, spec);
  return options as PolicyPreset["options"];
}

function checkOption(name: string, given: unknown): void {
  const path = `policy.options.${name}`;
  if (!OPTION_NAME.test(name))
    throw new RangeError(`'${path}' must be named in letters and digits, such as maxAttempts`);
  if (Object.hasOwn(modifierOptions, name)) {
    throw new RangeError(`'${path}' must have another name: '${name}' is an option that any policy has`);
  }
  if ((ADAPTER_OPTIONS as readonly string[]).includes(name)) {
    throw new RangeError(
      `'${path}' must have another name: '${name}' is an option of overloadFetch and overloadControl`,
    );
  }
  if (typeof given !== "object" || given === null) throw refusal(path, "an object with default, kind, min, max", given);
  const spec = given as NumberSpec;
  if (spec.kind !== "number" && spec.kind !== "integer") throw refusal(`${path}.kind`, "number or integer", spec.kind);
  for (const bound of ["min", "max"] as const) {
    if (typeof spec[bound] !== "number" || Number.isNaN(spec[bound])) {
      throw refusal(`${path}.${bound}`, "a number", spec[bound]);
    }
  }
  if (!Object.hasOwn(UNITS, spec.unit)) {
    throw refusal(`${path}.unit`, `one of ${Object.keys(UNITS).join(", ")}`, spec.unit);
  }
  if (typeof spec.doc !== "string") throw refusal(`${path}.doc`, "a text", spec.doc);
  if (!isAllowed(spec, spec.default)) {
    throw refusal(
      `${path}.default`,
      `${spec.kind === "integer" ? "an integer" : "a number"} from min to max`,
      spec.default,
    );
  }
}

function headersOf(headers: unknown): readonly string[] | undefined {
  if (headers === undefined) return undefined;
  const areNames =
    Array.isArray(headers) && headers.every((name) => typeof name === "string" && /^[^A-Z\s]+$/u.test(name));
  if (areNames) return headers as readonly string[];
  throw refusal("policy.readsHeaders", "a list of names of headers in lower case", headers);
}

function refusal(what: string, rule: string, value: unknown): RangeError {
  return new RangeError(`'${what}' must be ${rule}: current value is ${shown(value)}`);
}
