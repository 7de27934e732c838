/** The value of `--arm`: a name, the policy that goes by it, and what the arm has of its own beside. */

import { positiveDuration } from "./flag-values.ts";
import { type PolicyChoice, parsePolicy } from "./policy-flag.ts";

/** An arm as the user named it. */
export interface ArmChoice {
  readonly name: string;
  readonly policy: PolicyChoice;
  /** The time an attempt may take in this arm; undefined: as in all others. */
  readonly timeoutSeconds?: number;
}

/** Names stand in tables, plots and assertions. */
const NAME_LENGTH_MAX = 24;
/** A letter or digit first, then what can be read and typed: no space, no `:` and no `,`, which end a name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._=+@/%-]*$/u;
/** Not `timeout`, which is an option of breakers: how long they stay open. */
const OWN_TIMEOUT = "attemptTimeout";
const FORM = "as in on:policy=sre,k=2,window=10";

/**
 * `on:policy=sre,k=2,window=10`, `mine:policy=./mine.ts,factor=2`, `hasty:policy=retry,attemptTimeout=250ms`.
 *
 * @param before the arms of the flags before this one; names are unique.
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseArm(text: string, before: readonly ArmChoice[] | undefined): readonly ArmChoice[] {
  const [, name = "", rest] = /^([^:]*)(?::(.*))?$/su.exec(text.trim()) ?? [];
  checkName(name, before ?? [], text);
  const parts = (rest ?? "").split(",").map((part) => part.trim());
  const policies = parts.filter((part) => part.startsWith("policy="));
  const timeouts = parts.filter((part) => part.startsWith(`${OWN_TIMEOUT}=`));
  const [policy = ""] = policies;
  const [timeout] = timeouts;
  if (policies.length !== 1 || timeouts.length > 1) throw refusal(`must name one policy, ${FORM}`, text);
  const options = parts.filter((part) => part !== policy && part !== timeout);
  const choice = parsePolicy([valueIn(policy), ...options].join(","));
  return [
    ...(before ?? []),
    {
      name,
      policy: { ...choice, origin: `--arm ${name}` },
      ...(timeout === undefined ? {} : { timeoutSeconds: ownTimeout(name, valueIn(timeout)) }),
    },
  ];
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

function ownTimeout(name: string, text: string): number {
  try {
    return positiveDuration(text);
  } catch (error) {
    throw new RangeError(`${name}: ${OWN_TIMEOUT} ${(error as Error).message}`);
  }
}

function valueIn(part: string): string {
  return part.slice(part.indexOf("=") + 1);
}

function refusal(rule: string, text: string): RangeError {
  return new RangeError(`${rule}: current value is ${JSON.stringify(text)}`);
}
