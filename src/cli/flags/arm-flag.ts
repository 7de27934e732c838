/** The value of `--arm`: a name, the policy that goes by it, and what the arm has of its own beside. */

import type { AgeSpec } from "../../engine/trial-spec.ts";
import { parseAge } from "./age-option.ts";
import { positiveDuration } from "./flag-values.ts";
import { type PolicyChoice, parsePolicy } from "./policy-flag.ts";

/** An arm as the user named it. */
export interface ArmChoice {
  readonly name: string;
  readonly policy: PolicyChoice;
  /** The time an attempt may take in this arm; undefined: as in all others. */
  readonly timeoutSeconds?: number;
  /** What its clients have behind them; undefined: as in all others. */
  readonly age?: AgeSpec;
}

/** Names stand in tables, plots and assertions. */
const NAME_LENGTH_MAX = 24;
/** A letter or digit first, then what can be read and typed: no space, no `:` and no `,`, which end a name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._=+@/%-]*$/u;
/** Not `timeout`, which is an option of breakers: how long they stay open. */
const OWN_TIMEOUT = "attemptTimeout";
const OWN_AGE = "age";
/** As in `--age 120s,latency=20ms`, where it does not have to be told from a policy's options. */
const OWN_AGE_LATENCY = "ageLatency";
/** What an arm has of its own beside its policy. */
const OWN = [OWN_TIMEOUT, OWN_AGE, OWN_AGE_LATENCY] as const;
const FORM = "as in on:policy=sre,k=2,window=10";

/**
 * `on:policy=sre,k=2,window=10`, `mine:policy=./mine.ts,factor=2`, `hasty:policy=retry,attemptTimeout=250ms`,
 * `old:policy=sre,age=120s,ageLatency=20ms`, `new:policy=sre,age=none`.
 *
 * @param before the arms of the flags before this one; names are unique.
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseArm(text: string, before: readonly ArmChoice[] | undefined): readonly ArmChoice[] {
  const [, name = "", rest] = /^([^:]*)(?::(.*))?$/su.exec(text.trim()) ?? [];
  checkName(name, before ?? [], text);
  const parts = (rest ?? "").split(",").map((part) => part.trim());
  const policies = parts.filter((part) => part.startsWith("policy="));
  const [policy = ""] = policies;
  if (policies.length !== 1) throw refusal(`must name one policy, ${FORM}`, text);
  const own = ownParts(parts, text);
  const options = parts.filter((part) => part !== policy && !own.all.has(part));
  const choice = parsePolicy([valueIn(policy), ...options].join(","));
  return [
    ...(before ?? []),
    {
      name,
      policy: { ...choice, origin: `--arm ${name}` },
      ...ownTimeout(name, own.values.get(OWN_TIMEOUT)),
      ...ownAge(name, own.values.get(OWN_AGE), own.values.get(OWN_AGE_LATENCY)),
    },
  ];
}

interface OwnParts {
  readonly all: ReadonlySet<string>;
  readonly values: ReadonlyMap<(typeof OWN)[number], string>;
}

function ownParts(parts: readonly string[], text: string): OwnParts {
  const all = new Set<string>();
  const values = new Map<(typeof OWN)[number], string>();
  for (const key of OWN) {
    const given = parts.filter((part) => part.startsWith(`${key}=`));
    const [first] = given;
    if (given.length > 1) throw refusal(`must give '${key}' once, ${FORM}`, text);
    if (first === undefined) continue;
    all.add(first);
    values.set(key, valueIn(first));
  }
  return { all, values };
}

function checkName(name: string, before: readonly ArmChoice[], text: string): void {
  if (!NAME.test(name) || [...name].length > NAME_LENGTH_MAX) {
    throw refusal(
      `must begin with a name of at most ${NAME_LENGTH_MAX} letters, digits and ._=+@/%-, a letter or digit first, ${FORM}`,
      text,
    );
  }
  if (before.some((arm) => arm.name === name)) throw refusal(`must give each arm a name of its own, ${FORM}`, text);
}

function ownTimeout(name: string, text: string | undefined): Pick<ArmChoice, "timeoutSeconds"> {
  if (text === undefined) return {};
  return { timeoutSeconds: ruled(name, OWN_TIMEOUT, () => positiveDuration(text)) };
}

function ownAge(name: string, age: string | undefined, latency: string | undefined): Pick<ArmChoice, "age"> {
  if (age === undefined) {
    if (latency === undefined) return {};
    throw new RangeError(`${name}: ${OWN_AGE_LATENCY} needs ${OWN_AGE}: current value is ${JSON.stringify(latency)}`);
  }
  return { age: ruled(name, OWN_AGE, () => parseAge(latency === undefined ? age : `${age},latency=${latency}`)) };
}

/** @throws RangeError of `parse`, with the arm and the option in front. */
function ruled<T>(name: string, option: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new RangeError(`${name}: ${option} ${(error as Error).message}`);
  }
}

function valueIn(part: string): string {
  return part.slice(part.indexOf("=") + 1);
}

function refusal(rule: string, text: string): RangeError {
  return new RangeError(`${rule}: current value is ${JSON.stringify(text)}`);
}
