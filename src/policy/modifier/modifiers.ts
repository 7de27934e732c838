/** Options that any policy takes, whatever its own rule: what a cooperative client does beside it. */

import { backoffOptions } from "../backoff/backoff-options.ts";
import { PUSHBACK_HEADERS } from "../hint/pushback.ts";
import { RETRY_AFTER_HEADERS } from "../hint/retry-after.ts";
import type { OptionSpec } from "../option.ts";
import type { PolicyOptions } from "../preset.ts";

/** In the order in which a list shows them. The default of each changes nothing. */
export const modifierOptions = {
  scope: {
    default: "user",
    kind: "choice",
    choices: ["user", "process"],
    doc: "One policy for each virtual user, or one that all users of a process share",
  },
  retryAfter: {
    default: "off",
    kind: "choice",
    choices: ["off", "retry", "client"],
    doc: "Retry-After of a 429 or 503: retry delays the call's own retry, client also the user's other calls",
  },
  retryAfterCap: {
    default: 300,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "A longer Retry-After is cut to this",
  },
  retryAfterJitter: {
    default: 0.2,
    kind: "number",
    min: 0,
    max: 10,
    unit: "ratio",
    doc: "Up to this share of a Retry-After is added to it, so that clients do not come back together",
  },
  pushback: {
    default: "off",
    kind: "choice",
    choices: ["off", "on"],
    doc: "grpc-retry-pushback-ms: the retry comes exactly then, or not at all",
  },
  backoff: {
    default: "own",
    kind: "choice",
    choices: ["own", "none", "exponential", "full", "equal", "decorrelated", "v2"],
    doc: "Replaces the delay of the policy's retries",
  },
  backoffBase: { ...backoffOptions.base, doc: "With backoff: what the delay starts from" },
  backoffCap: { ...backoffOptions.cap, doc: "With backoff: no delay is longer" },
  reconnect: {
    default: "off",
    kind: "choice",
    choices: ["off", "on"],
    doc: "After a refused or broken connection the user sends nothing for a backoff that grows, as a gRPC channel",
  },
  startJitter: {
    default: 0,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "Each user's first call waits for a random time up to this",
  },
  deadline: {
    default: 0,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "A call's time from its planned start, waits and retries included; 0 means none",
  },
  deadlineHeader: {
    default: "",
    kind: "headerName",
    doc: "Header that tells the target how many milliseconds the attempt still has; grpc-timeout in its own format",
  },
  attemptHeader: {
    default: "",
    kind: "headerName",
    doc: "Header that tells the target the number of the attempt, 0 for the first",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

type Specs = typeof modifierOptions;

/** The value of every modifier. */
export type Modifiers = {
  readonly [Name in keyof Specs]: Specs[Name] extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Specs[Name] extends { readonly kind: "headerName" }
      ? string
      : number;
};

/** Completes the modifiers among a policy's options with their defaults. */
export function modifiersIn(options: PolicyOptions): Modifiers {
  const all = Object.entries(modifierOptions).map(([name, spec]) => [name, options[name] ?? spec.default]);
  return Object.fromEntries(all) as Modifiers;
}

/** Whether any of them changes what a policy does; the scope alone does not. */
export function isModified(modifiers: Modifiers): boolean {
  const { retryAfter, pushback, backoff, reconnect, startJitter, deadline, deadlineHeader, attemptHeader } = modifiers;
  const switched = retryAfter !== "off" || pushback !== "off" || backoff !== "own" || reconnect !== "off";
  return switched || startJitter > 0 || deadline > 0 || deadlineHeader !== "" || attemptHeader !== "";
}

/** The headers of an answer that they read, in lower case. */
export function modifierHeaders(modifiers: Modifiers): readonly string[] {
  return [
    ...(modifiers.retryAfter === "off" ? [] : RETRY_AFTER_HEADERS),
    ...(modifiers.pushback === "off" ? [] : PUSHBACK_HEADERS),
  ];
}

/** Values that have no effect without another one. */
const DEPENDENT: readonly (readonly [keyof Modifiers, (modifiers: Modifiers) => boolean, string])[] = [
  ["retryAfterCap", ({ retryAfter }) => retryAfter !== "off", "retryAfter=retry or retryAfter=client"],
  ["retryAfterJitter", ({ retryAfter }) => retryAfter !== "off", "retryAfter=retry or retryAfter=client"],
  ["backoffBase", ({ backoff }) => backoff !== "own" && backoff !== "none", "backoff=full or another backoff"],
  ["backoffCap", ({ backoff }) => backoff !== "own" && backoff !== "none", "backoff=full or another backoff"],
];

/**
 * Whether the modifiers go together: a value that changes nothing is a mistake, and one header cannot say two things.
 *
 * @throws {RangeError}
 */
export function checkModifiers(policy: string, modifiers: Modifiers): void {
  for (const [option, isUsed, needed] of DEPENDENT) {
    if (modifiers[option] === modifierOptions[option].default || isUsed(modifiers)) continue;
    throw new RangeError(`Cannot use policy '${policy}' as '${option}' changes nothing without ${needed}`);
  }
  const { deadlineHeader, attemptHeader } = modifiers;
  if (attemptHeader !== "" && attemptHeader.toLowerCase() === deadlineHeader.toLowerCase()) {
    throw new RangeError(
      `Cannot use policy '${policy}' as 'attemptHeader' must differ from 'deadlineHeader': current value is ${attemptHeader}`,
    );
  }
}
