/** The options that the interceptor and the fetch wrapper share, and what they come to. */

import { resolvePolicy, resolvePreset } from "../policy/catalogue.ts";
import { PUSHBACK_HEADERS } from "../policy/hint/pushback.ts";
import { RETRY_AFTER_HEADERS } from "../policy/hint/retry-after.ts";
import { modifierOptions } from "../policy/modifier/modifiers.ts";
import { nearestNames } from "../policy/nearest-names.ts";
import type { Clock, Criticality, Policy, PolicyFactory, Random } from "../policy/policy.ts";
import { ADAPTER_OPTIONS, presetOf, type UserPolicy } from "../policy/policy-module.ts";
import { headersRead, userPolicies } from "../policy/user-policies.ts";
import { type CounterMeter, Hooks, type OverloadControlEvent } from "./events.ts";
import { KeyedPolicies } from "./keyed-policies.ts";
import { DEFAULT_SIGNS, type OverloadSign, OverloadSigns } from "./overload-signs.ts";

/** A request that is about to be made, as the callbacks see it. */
export interface OutgoingRequest {
  /** Such as `https://api.example.com`; empty where it is not known. */
  readonly origin: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
}

/**
 * Options of {@link overloadControl} and {@link overloadFetch}. Any other name is an option of the policy, its
 * modifiers' included: `{ policy: "sre", k: 1.5, window: "30s" }`. One that the policy does not have is an error.
 */
export interface OverloadControlOptions {
  /**
   * A preset by its name, what a policy module exports ({@link UserPolicy}), or what makes the policy of each key.
   * Default `sre`, the {@link OverloadClient}. Hedging is not done: one that hedges by its family is an error, and the
   * copies that a function's policy asks for are not sent.
   */
  readonly policy?: string | UserPolicy | PolicyFactory | undefined;
  /** Calls with the same key share a policy. Default the origin. */
  readonly keyOf?: ((request: OutgoingRequest) => string) | undefined;
  /** Policies kept at once, the least recently used being forgotten. Default 1000. */
  readonly maxKeys?: number | undefined;
  /** How much a call matters, for policies that tell. Default 1, `CRITICAL`. */
  readonly criticalityOf?: ((request: OutgoingRequest) => Criticality) | undefined;
  /**
   * Seconds that an attempt may take until the headers of its answer are there; then it ends as `timeout`. A policy may
   * lower it. Default none: then only the time-outs of the transport tell the policy of a backend that does not answer,
   * since the caller's own signal ends a call without saying anything of the backend.
   */
  readonly timeoutSeconds?: number | undefined;
  /**
   * What counts as overload: statuses (`503`), classes (`"5xx"`), `"timeout"`, `"refused"`, `"reset"`. Default 429, 503
   * and the three faults.
   */
  readonly overloadedOn?: readonly OverloadSign[] | undefined;
  /**
   * Retries requests that are not idempotent (POST, PATCH) after any overload. Default false: only after a 429 or 503,
   * or when the connection was refused, for then the work was not done.
   */
  readonly retryUnsafe?: boolean | undefined;
  /** Told of each attempt and each call. What it throws is ignored. */
  readonly onEvent?: ((event: OverloadControlEvent) => void) | undefined;
  /**
   * Where counters are made, such as an OpenTelemetry meter: `overload_control.attempts`, `.calls` and `.not_resent`.
   */
  readonly meter?: CounterMeter | undefined;
  /**
   * Headers of answers that a {@link PolicyFactory} reads, in lower case; presets and modifiers declare their own.
   * Default `retry-after`, `date` and `grpc-retry-pushback-ms`.
   */
  readonly readsHeaders?: readonly string[] | undefined;
  /** Seconds, monotonic. Default `performance.now() / 1000`. */
  readonly clock?: Clock | undefined;
  /** For decisions and jitter. Default `Math.random`. */
  readonly random?: Random | undefined;
  readonly [policyOption: string]: unknown;
}

/** What a {@link PolicyFactory} may want when nothing else is said. */
const HINT_HEADERS: readonly string[] = [...RETRY_AFTER_HEADERS, ...PUSHBACK_HEADERS];

/** The options, resolved once. */
export interface Settings {
  readonly policies: KeyedPolicies;
  readonly keyOf: (request: OutgoingRequest) => string;
  readonly criticalityOf: ((request: OutgoingRequest) => Criticality) | undefined;
  readonly timeoutSeconds: number;
  readonly signs: OverloadSigns;
  readonly retryUnsafe: boolean;
  readonly readsHeaders: readonly string[];
  readonly clock: Clock;
}

/** @throws {RangeError} when an option breaks its rule, or is none. */
export function resolveSettings(options: OverloadControlOptions): Settings {
  const { policy = "sre", maxKeys = 1000, timeoutSeconds = Number.POSITIVE_INFINITY } = options;
  if (!(Number.isSafeInteger(maxKeys) && maxKeys >= 1)) refuse("maxKeys", "a positive integer", maxKeys);
  if (!(typeof timeoutSeconds === "number" && timeoutSeconds > 0)) {
    refuse("timeoutSeconds", "a number of seconds above 0", timeoutSeconds);
  }
  checkShapes(options);
  const clock = options.clock ?? { now: () => performance.now() / 1000 };
  const random = options.random ?? { random: () => Math.random() };
  const { make, readsHeaders } = policyMaker(policy, options, random);
  const { onEvent, meter } = options;
  const hooks = onEvent === undefined && meter === undefined ? undefined : new Hooks(onEvent, meter);
  return {
    policies: new KeyedPolicies((index) => make(index, clock), hooks, maxKeys),
    keyOf: (request) => String(options.keyOf?.(request) ?? request.origin),
    criticalityOf: options.criticalityOf,
    timeoutSeconds,
    signs: new OverloadSigns(options.overloadedOn ?? DEFAULT_SIGNS),
    retryUnsafe: options.retryUnsafe === true,
    readsHeaders,
    clock,
  };
}

/** Each as far as it is used: what is not, nobody need have. */
function checkShapes(options: OverloadControlOptions): void {
  for (const name of ["keyOf", "criticalityOf", "onEvent"] as const) {
    const given: unknown = options[name];
    if (given !== undefined && typeof given !== "function") refuse(name, "a function", given);
  }
  for (const [name, method] of [
    ["meter", "createCounter"],
    ["clock", "now"],
    ["random", "random"],
  ] as const) {
    const given: unknown = options[name];
    if (given === undefined) continue;
    const found: unknown = (given as Readonly<Record<string, unknown>> | null)?.[method];
    if (typeof found !== "function") refuse(name, `an object with ${method}()`, given);
  }
  const { overloadedOn } = options;
  if (overloadedOn !== undefined && !Array.isArray(overloadedOn)) refuse("overloadedOn", "a list", overloadedOn);
}

interface PolicyMaker {
  readonly make: (index: number, clock: Clock) => Policy;
  readonly readsHeaders: readonly string[];
}

function policyMaker(
  policy: string | UserPolicy | PolicyFactory,
  options: OverloadControlOptions,
  random: Random,
): PolicyMaker {
  const given = policyOptions(options);
  if (typeof policy === "function") {
    checkNames(given, []);
    return {
      make: (_index, clock) => policy(clock, random, random),
      readsHeaders: options.readsHeaders ?? HINT_HEADERS,
    };
  }
  const preset = typeof policy === "string" ? resolvePolicy(policy).preset : presetOf(policy);
  if (preset.family === "hedge") {
    throw new RangeError(
      `Cannot control overload by policy '${preset.name}' as it hedges, and neither overloadFetch nor overloadControl sends copies of a call`,
    );
  }
  checkNames(given, [...Object.keys(preset.options), ...Object.keys(modifierOptions)]);
  const resolved = resolvePreset(preset, given);
  return {
    make: userPolicies(resolved, { policy: () => random, jitter: () => random }),
    readsHeaders: headersRead(resolved),
  };
}

function policyOptions(options: OverloadControlOptions): Readonly<Record<string, unknown>> {
  const own: readonly string[] = ADAPTER_OPTIONS;
  return Object.fromEntries(Object.entries(options).filter(([name]) => !own.includes(name)));
}

/** @param known the names of the policy's options; none when it is a function. */
function checkNames(given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [near] = nearestNames(unknown, [...ADAPTER_OPTIONS, ...known]);
  const meant = near === undefined ? "" : ` (did you mean '${near}'?)`;
  const besides = known.length === 0 ? "" : "besides the policy's ";
  throw new RangeError(`There is no option '${unknown}'${meant}: ${besides}there are ${ADAPTER_OPTIONS.join(", ")}`);
}

function refuse(name: string, rule: string, value: unknown): never {
  throw new RangeError(`Cannot control overload as '${name}' must be ${rule}: current value is ${String(value)}`);
}
