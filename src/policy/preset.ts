/** What the catalogue knows of a policy. */

import type { PolicyTraits } from "./lint/policy-traits.ts";
import type { NumberSpec, OptionValue } from "./option.ts";
import type { PolicyFactory } from "./policy.ts";

/** Values of a policy's own options, by name. */
export type PresetOptions = Readonly<Record<string, number>>;

/** Values of all options of a policy, its modifiers' included, by name. */
export type PolicyOptions = Readonly<Record<string, OptionValue>>;

/** By what means a policy protects the backend. */
export type PolicyFamily = "baseline" | "backoff" | "throttle" | "budget" | "breaker" | "limiter" | "hedge" | "custom";

/** A named policy with the options that it takes. */
export interface PolicyPreset {
  /** Kebab-case. */
  readonly name: string;
  readonly family: PolicyFamily;
  /** One line for a list of policies, without a full stop. */
  readonly summary: string;
  /** When people use it: one line, without a full stop. */
  readonly use: string;
  /** How it is known to fail: one line, without a full stop. */
  readonly fails: string;
  /** Its rule in one or two lines of formula. */
  readonly equation: string;
  /** Where the rule and its defaults come from: a book's chapter, a specification, an owner/repository path. */
  readonly source: string;
  /** Those of the source, with the source's defaults. */
  readonly options: Readonly<Record<string, NumberSpec>>;
  /** Headers of the answer that it reads (see {@link PolicyCall.answerHeaders}), in lower case. Default none. */
  readonly readsHeaders?: readonly string[] | undefined;
  /** What the guard rails need to know of it. Default nothing. @param own a value for each of the preset's options. */
  traits?(own: PresetOptions): PolicyTraits;
  /** @param options a value for each of the preset's options. @throws {RangeError} when they do not go together. */
  create(options: PresetOptions): PolicyFactory;
}
